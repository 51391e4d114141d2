/** Observes objects by the watches that follow them, for waits that would otherwise read them again and again. */
import { identityOf } from '../../apply/identity.ts';
import type { Observation, Observe } from '../../apply/wait.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { ManagedObjects } from './managed-objects.ts';

/** The state in the watches now, and again after every change of one of the objects; their kinds must be followed. */
export function observeManaged(managed: Pick<ManagedObjects, 'get' | 'onChange'>): Observe {
  return async function* observe(refs, signal) {
    const asked = new Set(refs.map(identityOf));
    let changed = Promise.withResolvers<void>();
    const stop = (): void => changed.resolve();
    const off = managed.onChange((object: KubeObject) => {
      if (asked.has(identityOf(refOf(object)))) changed.resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!signal.aborted) {
        yield refs.map((ref): Observation => ({ ref, object: managed.get(ref) }));
        await changed.promise;
        changed = Promise.withResolvers<void>();
      }
    } finally {
      off();
      signal.removeEventListener('abort', stop);
    }
  };
}
