/** Lets a reconcile wait until a cache has seen what the reconcile itself has written. */
import type { KubeObject } from '../api/object.ts';
import { keyOfObject } from '../kube/object-store.ts';
import type { Informer } from '../kube/informer.ts';

/** A watch that lags more than this is not waited for: the next reconcile meets a Conflict at worst. */
const PATIENCE_MS = 5000;

/** Resolves when the cache has the object in this state or a later one. */
export async function awaitSeen(informer: Pick<Informer, 'get' | 'on'>, written: KubeObject): Promise<void> {
  const key = keyOfObject(written);
  if (isSeen(informer.get(key), written)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (object: KubeObject): void => {
    if (keyOfObject(object) === key && isSeen(object, written)) resolve();
  };
  const off = informer.on({ added: look, updated: (_old, object) => look(object), deleted: () => resolve() });
  const timer = setTimeout(resolve, PATIENCE_MS);
  await promise.finally(() => {
    clearTimeout(timer);
    off();
  });
}

/** resourceVersions of one kind can be compared as numbers. @see KEP-5504 */
function isSeen(cached: KubeObject | undefined, written: KubeObject): boolean {
  const [known, wanted] = [cached?.metadata.resourceVersion, written.metadata.resourceVersion].map(Number);
  return known !== undefined && wanted !== undefined && known >= wanted;
}
