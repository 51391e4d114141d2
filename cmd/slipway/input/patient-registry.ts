/** A registry client that waits while a registry is busy, as a pipeline does not repeat its commands. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ReasonedError } from '../../../api/errors.ts';
import { isBusy } from '../../../oci/errors.ts';
import type { Registry } from '../../../oci/registry.ts';
import { cleanLine } from '../../../report/clean.ts';
import type { Environment } from '../environment.ts';

const MAX_ATTEMPTS = 4;
/** A command that would have to wait longer fails, so that its user can do something else meanwhile. */
const MAX_WAIT_SECONDS = 60;

/** Those that have the same effect if they are repeated: content by digest, and a tag that is set to the same content. */
const REPEATABLE = [
  'resolve',
  'pullManifest',
  'listTags',
  'hasBlob',
  'pushBlob',
  'mountBlob',
  'pushManifest',
  'tag',
  'referrers',
  'pushReferrer',
] as const satisfies readonly (keyof Registry)[];

/** The same client; a request that a busy registry refuses is sent again, after the time that it names, up to three times. */
export function patientRegistry(
  registry: Registry,
  { complain, signal }: Pick<Environment, 'complain' | 'signal'>,
  pause: (seconds: number) => Promise<unknown> = (seconds) => delay(seconds * 1000, undefined, { signal }),
): Registry {
  const again = async <Result>(ask: () => Promise<Result>, attempt = 1): Promise<Result> => {
    try {
      return await ask();
    } catch (error) {
      const seconds = isBusy(error) ? waitSeconds(error, attempt) : Infinity;
      if (attempt >= MAX_ATTEMPTS || seconds > MAX_WAIT_SECONDS) throw error;
      complain(`slipway: ${cleanLine((error as Error).message)}; it is asked again in ${seconds} s\n`);
      await pause(seconds);
    }
    return again(ask, attempt + 1);
  };
  const patient = (name: (typeof REPEATABLE)[number]) => {
    const ask = registry[name] as (...args: readonly unknown[]) => Promise<unknown>;
    return (...args: readonly unknown[]) => again(() => ask(...args));
  };
  return {
    ...registry,
    ...Object.fromEntries(REPEATABLE.map((name) => [name, patient(name)])),
    async *pullBlob(...args) {
      const { rest, first } = await again(async () => {
        const chunks = registry.pullBlob(...args)[Symbol.asyncIterator]();
        return { rest: chunks, first: await chunks.next() };
      });
      try {
        for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
      } finally {
        await rest.return?.();
      }
    },
  };
}

/** As the registry says, else 1, 2 and 4 seconds. */
function waitSeconds({ retry }: ReasonedError, attempt: number): number {
  return typeof retry === 'object' ? retry.afterSeconds : 2 ** (attempt - 1);
}
