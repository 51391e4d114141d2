import { expect, describe, test } from 'vitest';
import { createManualClock, type ManualClock } from '../kube/testing/manual-clock.ts';
import { buildImage, pushImage } from './build.ts';
import { pullFiles } from './image.ts';
import { registryWithin, sourceWithin, type PullTime } from './pull-time.ts';
import { parseReference } from './reference.ts';
import { createRegistry, type Registry } from './registry.ts';
import type { ImageSource } from './source.ts';
import { startFakeRegistry } from './testing/fake-registry.ts';

const SECONDS = 600;
const REFERENCE = parseReference('registry.example/team/app:v1');
const TOO_SLOW = { reason: 'RegistryUnavailable', retry: { afterSeconds: 300 } };

function timeOf(clock: ManualClock): PullTime {
  return { seconds: SECONDS, clock };
}

/** Ends only when its signal aborts. */
function silence(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
}

/** A registry that takes so many seconds for each answer and each piece of a blob. */
function slowRegistry(clock: ManualClock, seconds: number): Registry {
  const answer = async (signal: AbortSignal | undefined): Promise<never> => {
    clock.advance(seconds);
    signal?.throwIfAborted();
    return undefined as never;
  };
  const registry: Partial<Registry> = {
    pullManifest: (_, signal) => answer(signal),
    resolve: (_, signal) => answer(signal),
    listTags: (_, signal) => answer(signal),
    hasBlob: (_, _digest, signal) => answer(signal),
    referrers: (_, options) => answer(options?.signal),
    async *pullBlob(_, { size }, signal) {
      for (let at = 0; at < size; at += 1024) {
        await answer(signal);
        yield Buffer.alloc(1024);
      }
    },
  };
  return registry as Registry;
}

async function drain(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0;
  for await (const { length } of bytes) count += length;
  return count;
}

describe('the time of a pull', () => {
  type Ask = (registry: Registry, signal?: AbortSignal) => Promise<unknown>;
  const DESCRIPTOR = { digest: `sha256:${'a'.repeat(64)}`, size: 1024 };
  const requests: readonly { readonly name: string; readonly ask: Ask }[] = [
    { name: 'a manifest', ask: (registry, signal) => registry.pullManifest(REFERENCE, signal) },
    { name: 'a HEAD request', ask: (registry, signal) => registry.resolve(REFERENCE, signal) },
    { name: 'a list of tags', ask: (registry, signal) => registry.listTags(REFERENCE, signal) },
    { name: 'a search for a blob', ask: (registry, signal) => registry.hasBlob(REFERENCE, DESCRIPTOR.digest, signal) },
    {
      name: 'a list of referrers',
      ask: (registry, signal) => registry.referrers(REFERENCE, signal === undefined ? {} : { signal }),
    },
    { name: 'a layer', ask: (registry, signal) => drain(registry.pullBlob(REFERENCE, DESCRIPTOR, signal)) },
  ];

  test.each(requests)('counts for all requests together, each of which is fast enough: $name', async ({ ask }) => {
    const clock = createManualClock();
    const registry = registryWithin(slowRegistry(clock, 100), timeOf(clock));
    for (let done = 0; done < 5; done += 1) await ask(registry);
    await expect(ask(registry)).rejects.toMatchObject(TOO_SLOW);
    await expect(ask(registry), 'no request begins afterwards').rejects.toMatchObject(TOO_SLOW);
    expect(clock.now()).toBe(600);
  });

  test.each(requests)('leaves an abort of the caller its reason: $name', async ({ ask }) => {
    const clock = createManualClock();
    const stop = new AbortController();
    const registry = registryWithin(slowRegistry(clock, 1), timeOf(clock));
    stop.abort(new Error('shutdown'));
    await expect(ask(registry, stop.signal)).rejects.toThrow('shutdown');
    expect(clock.timers).toBe(0);
  });

  test('leaves the limit on the size of a manifest in force', async () => {
    const asked: unknown[] = [];
    const pullManifest = async (...[, , mostBytes]: Parameters<Registry['pullManifest']>): Promise<never> => {
      asked.push(mostBytes);
      return undefined as never;
    };
    const clock = createManualClock();
    await registryWithin({ ...slowRegistry(clock, 0), pullManifest }, timeOf(clock)).pullManifest(
      REFERENCE,
      undefined,
      1000,
    );
    expect(asked).toEqual([1000]);
  });

  test('does not pass while the caller works on the content', async () => {
    const clock = createManualClock();
    const source = sourceWithin(slowRegistry(clock, 1), timeOf(clock));
    let pieces = 0;
    for await (const _ of source.pullBlob(REFERENCE, { ...DESCRIPTOR, size: 4096 })) {
      pieces += 1;
      clock.advance(500);
    }
    expect([pieces, clock.timers]).toEqual([4, 0]);
  });

  test('passes once while several requests are under way', async () => {
    const clock = createManualClock();
    const source: ImageSource = { ...slowRegistry(clock, 0), pullManifest: (_, signal) => silence(signal) };
    const limited = sourceWithin(source, timeOf(clock));
    const ends = [limited.pullManifest(REFERENCE), limited.pullManifest(REFERENCE)].map((one) =>
      expect(one).rejects.toMatchObject(TOO_SLOW),
    );
    clock.advance(599);
    expect(clock.timers).toBe(1);
    clock.advance(1);
    await Promise.all(ends);
  });

  test('closes a layer that its reader leaves', async () => {
    let closed = false;
    const clock = createManualClock();
    const source: ImageSource = {
      ...slowRegistry(clock, 0),
      async *pullBlob() {
        try {
          for (;;) yield Buffer.alloc(1);
        } finally {
          closed = true;
        }
      },
    };
    for await (const _ of sourceWithin(source, timeOf(clock)).pullBlob(REFERENCE, DESCRIPTOR)) break;
    expect(closed).toBe(true);
  });
});

describe('the message of a pull that is too slow', () => {
  /** The failure of a pull of layers of so many KiB, of which each KiB takes so many seconds. */
  async function failureOf(layers: readonly number[], seconds: number): Promise<Error> {
    const clock = createManualClock();
    const source = sourceWithin(slowRegistry(clock, seconds), timeOf(clock));
    try {
      for (const kib of layers) await drain(source.pullBlob(REFERENCE, { digest: 'sha256:a', size: kib * 1024 }));
    } catch (error) {
      return error as Error;
    }
    throw new Error('it did not fail');
  }

  test('names the repository, the share that arrived, and the option to raise', async () => {
    const error = await failureOf([1000], 2);
    expect(error).toMatchObject(TOO_SLOW);
    expect(error.message).toContain('registry.example/team/app');
    expect(error.message).toContain('about 30 % of 1000 KiB');
    expect(error).toMatchObject({ hint: expect.stringContaining('--pull-timeout') });
  });

  test('is the same at the next retry, if the registry is about as slow', async () => {
    const [first, second] = [await failureOf([1000], 2), await failureOf([1000], 2.2)];
    expect(first.message).toBe(second.message);
  });
});

test('a registry that keeps sending a little loses the pull when its time is over', async () => {
  const fake = await startFakeRegistry();
  const client = createRegistry();
  const reference = fake.reference('team/app:v1');
  await pushImage(client, reference, buildImage({ files: new Map([['manifests/a.yaml', Buffer.from('a: 1')]]) }));
  const clock = createManualClock();
  fake.intercept = ({ path }) => {
    if (!path.includes('/blobs/')) return undefined;
    clock.advance(SECONDS);
    return undefined;
  };
  const pull = pullFiles(sourceWithin(client, timeOf(clock)), reference, { folders: ['manifests/'] });
  await expect(pull).rejects.toMatchObject(TOO_SLOW);
  expect(clock.timers).toBe(0);
  client.close();
  await fake.close();
});
