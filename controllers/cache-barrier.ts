/**
 * Keeps a reconcile from deciding on a state from before the manager's own writes: the writes of a reconcile to our
 * kinds are remembered, and the next reconcile in that namespace begins when the caches have seen them. No worker waits
 * in between.
 */
import type { Cluster } from '../api/cluster.ts';
import { keyOfObject, type KubeObject } from '../api/object.ts';
import { systemClock, type Clock } from '../kube/clock.ts';
import type { Reconcile } from '../kube/controller/controller.ts';
import type { Informer } from '../kube/watch/informer.ts';

/** The cache of a kind of ours. */
type Cache = Pick<Informer, 'apiVersion' | 'kind' | 'get' | 'on'>;

export interface WriteBarrier {
  /** The same client, but its writes to cached kinds are remembered. */
  watched<Client extends Pick<Cluster, 'create' | 'patch'>>(client: Client): Client;
  /** The same reconcile function, but it begins when the caches have seen the writes to the namespace of its key. */
  behind(reconcile: Reconcile): Reconcile;
}

/** A barrier over the caches of our namespaced kinds. */
export function createWriteBarrier(caches: readonly Cache[], clock: Clock = systemClock): WriteBarrier {
  const unseen = new Map<string, Set<Promise<void>>>();

  function note(written: KubeObject): KubeObject {
    const cache = caches.find(({ apiVersion, kind }) => apiVersion === written.apiVersion && kind === written.kind);
    if (cache === undefined) return written;
    const namespace = written.metadata.namespace ?? '';
    const waiting = unseen.get(namespace) ?? new Set();
    const seen = awaitSeen(cache, written, clock).finally(() => {
      waiting.delete(seen);
      if (waiting.size === 0 && unseen.get(namespace) === waiting) unseen.delete(namespace);
    });
    unseen.set(namespace, waiting.add(seen));
    return written;
  }

  return {
    watched: (client) => ({
      ...client,
      create: async (...args: Parameters<Cluster['create']>) => note(await client.create(...args)),
      patch: async (...args: Parameters<Cluster['patch']>) => note(await client.patch(...args)),
    }),
    behind: (reconcile) => async (key, context) => {
      const written = unseen.get(key.namespace ?? '');
      if (written !== undefined) await Promise.all(written);
      return reconcile(key, context);
    },
  };
}

/** The longest wait for a watch that lags; after that the next reconcile meets a Conflict at worst. */
const PATIENCE_SECONDS = 5;

/** Resolves when the cache has the object in this state or a later one, or no longer has it. */
async function awaitSeen(
  informer: Pick<Informer, 'get' | 'on'>,
  written: KubeObject,
  clock: Clock = systemClock,
): Promise<void> {
  const key = keyOfObject(written);
  const isDone = (): boolean => isSeen(informer.get(key), written);
  if (isDone()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (object: KubeObject): void => {
    if (keyOfObject(object) === key && isDone()) resolve();
  };
  const isOver = ({ metadata }: KubeObject): boolean => metadata.uid === written.metadata.uid;
  const off = informer.on({
    added: look,
    updated: (_old, object) => look(object),
    deleted: (last) => (isOver(last) ? resolve() : look(last)),
  });
  const cancel = clock.after(PATIENCE_SECONDS, resolve);
  await promise.finally(() => {
    cancel();
    off();
  });
}

/** The API server lets clients compare the resourceVersions of one kind as numbers. @see KEP-5504 */
function isSeen(cached: KubeObject | undefined, written: KubeObject): boolean {
  const { uid, resourceVersion } = written.metadata;
  if (isGone(written)) return cached?.metadata.uid !== uid;
  return cached !== undefined && Number(cached.metadata.resourceVersion) >= Number(resourceVersion);
}

/** Whether the write took the last finalizer off: no later state follows. */
function isGone({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}
