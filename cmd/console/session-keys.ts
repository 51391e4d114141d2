/** Secrets for sessions from a folder, as a mounted Secret has them: read again, so that a new one needs no restart. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReasonedError } from '../../api/errors.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import { ownKeys, type SessionKeys } from '../../console/server/login/session.ts';

const READ_AGAIN_SECONDS = 60;
const LEAST_BYTES = 32;

/**
 * The files of the folder by their names; without a folder one key of this process. The returned function throws
 * ReasonedError InvalidConfiguration, not retried, if the folder has no secret that is long enough.
 */
export function sessionKeys(folder: string | undefined, clock: Clock = systemClock): SessionKeys {
  if (folder === undefined) return ownKeys();
  let known: { readonly keys: ReadonlyMap<string, Uint8Array>; readonly until: number } | undefined;
  return async () => {
    if (known !== undefined && known.until > clock.now()) return known.keys;
    // Keys that are known are better than none, should the folder be unreadable for a moment.
    const keys = await readKeys(folder).catch((error: unknown) => known?.keys ?? Promise.reject(error as Error));
    known = { keys, until: clock.now() + READ_AGAIN_SECONDS };
    return keys;
  };
}

async function readKeys(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  // A mounted Secret has links beside its keys, which begin with dots.
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  const keys = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const));
  const usable = keys.filter(([, secret]) => secret.length >= LEAST_BYTES);
  if (usable.length > 0) return new Map(usable);
  throw new ReasonedError({
    reason: 'InvalidConfiguration',
    retry: 'never',
    message: `${folder} has no file of at least ${LEAST_BYTES} bytes to seal sessions with`,
    hint: 'Make one: head -c 48 /dev/urandom | base64, as a key of the Secret that is mounted there',
  });
}
