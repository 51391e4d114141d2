import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import type { Cluster } from '../api/cluster.ts';
import { silentLog } from '../kube/log.ts';
import { createManualClock } from '../kube/testing/manual-clock.ts';
import type { Handlers, Informer } from '../kube/watch/informer.ts';
import { createWriteBarrier } from './cache-barrier.ts';

const KIND = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Revision' } as const;
const context = { signal: new AbortController().signal, log: silentLog };

function revision(resourceVersion: string, more: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { ...KIND, metadata: { namespace: 'a', name: 'x', uid: 'u', resourceVersion, ...more } };
}

function clientAnswering(written: KubeObject): Pick<Cluster, 'create' | 'patch'> {
  return { create: async () => written, patch: async () => written };
}

/** A cache whose content the test sets. */
function fakeCache(): Pick<Informer, 'apiVersion' | 'kind' | 'get' | 'on'> & { hold(object?: KubeObject): void } {
  let held: KubeObject | undefined;
  const all = new Set<Handlers>();
  return {
    ...KIND,
    get: () => held,
    on(handlers) {
      all.add(handlers);
      return () => void all.delete(handlers);
    },
    hold(object) {
      const old = held;
      held = object;
      for (const handlers of all) {
        if (object !== undefined) handlers.updated?.(old ?? object, object);
        else if (old !== undefined) handlers.deleted?.(old);
      }
    },
  };
}

describe('when a reconcile begins after a write', () => {
  it.each([
    { because: 'the cache holds the written object', namespace: 'a', written: revision('7'), held: revision('7') },
    { because: 'the cache holds a later state already', namespace: 'a', written: revision('7'), held: revision('9') },
    { because: 'the write was in another namespace', namespace: 'b', written: revision('7'), held: undefined },
    { because: 'the write has changed nothing', namespace: 'a', written: revision('6'), held: revision('6') },
    {
      because: 'no cache follows the kind that was written',
      namespace: 'a',
      written: { ...revision('7'), kind: 'Secret' },
      held: undefined,
    },
    {
      because: 'the cache no longer has the object whose finalizer the write took off',
      namespace: 'a',
      written: revision('7', { deletionTimestamp: 'x' }),
      held: undefined,
    },
  ])('a reconcile begins at once if $because', async ({ namespace, written, held }) => {
    const cache = fakeCache();
    cache.hold(held);
    const barrier = createWriteBarrier([cache]);
    const { patch } = barrier.watched(clientAnswering(written));
    await patch({ ...KIND, name: 'x' }, {});
    let begun = false;
    await barrier.behind(async () => void (begun = true))({ namespace, name: 'x' }, context);
    expect(begun).toBe(true);
  });

  it.each([
    { because: 'an update comes late', before: revision('6'), written: revision('7'), later: revision('7') },
    { because: 'a new object comes late', before: undefined, written: revision('7'), later: revision('7') },
    {
      because: 'a deletion comes late',
      before: revision('6'),
      written: revision('7', { deletionTimestamp: 'x' }),
      later: undefined,
    },
    {
      because: 'the written object is deleted before the cache has seen it, so it never will',
      before: revision('6'),
      written: revision('7'),
      later: undefined,
    },
    {
      because: 'another object of that name is made before the cache has seen it',
      before: undefined,
      written: revision('7'),
      later: revision('9', { uid: 'v' }),
    },
  ])('a reconcile begins only when the cache has caught up: $because', async ({ before, written, later }) => {
    const cache = fakeCache();
    cache.hold(before);
    const barrier = createWriteBarrier([cache]);
    const { create } = barrier.watched(clientAnswering(written));
    await create(written);
    const seen: unknown[] = [];
    const done = barrier.behind(async () => void seen.push(cache.get('a/x')))({ namespace: 'a', name: 'x' }, context);
    await Promise.resolve();
    expect(seen).toEqual([]);
    cache.hold(later);
    await done;
    expect(seen).toEqual([later]);
  });

  it.each([
    { because: 'the watch lags', before: revision('6'), written: revision('7') },
    { because: 'the object was gone before the wait began', before: undefined, written: revision('7') },
    { because: 'versions are no numbers', before: revision('a6'), written: revision('a7') },
  ])(
    'a reconcile begins after five seconds at the latest, whatever the cache holds: $because',
    async ({ before, written }) => {
      const cache = fakeCache();
      cache.hold(before);
      const clock = createManualClock();
      const barrier = createWriteBarrier([cache], clock);
      await barrier.watched(clientAnswering(written)).create(written);
      const again = (): Promise<unknown> =>
        Promise.resolve(barrier.behind(async () => undefined)({ namespace: 'a', name: 'x' }, context));
      const done = again();
      clock.advance(5);
      await done;
      await again();
      expect(clock.timers).toBe(0);
    },
  );
});
