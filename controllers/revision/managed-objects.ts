/**
 * Follows the objects that Slipway has applied, by one watch for each kind, so that a change or a deletion is
 * noticed at once and what nobody has touched is never sent again. Only kinds that can be unhealthy are kept in
 * full; of the others the metadata is enough.
 */
import { hasHealth } from '../../apply/health.ts';
import { LABEL } from '../../api/names.ts';
import { groupKind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { InformerRequest } from '../../kube/informer-factory.ts';
import { dropManagedFields, type Informer } from '../../kube/informer.ts';

type Kind = Pick<ObjectRef, 'apiVersion' | 'kind'>;

export interface ManagedObjects {
  /** Begins to follow the kinds that are not followed yet; resolves when all their objects are known. */
  follow(kinds: Iterable<Kind>, signal: AbortSignal): Promise<void>;
  /** What the watch knows of an object; undefined also where its kind is not followed. */
  get(ref: ObjectRef): KubeObject | undefined;
  /** Calls for every object that appears, changes or goes. */
  onChange(listener: (object: KubeObject) => void): void;
}

/** @param informer Gives the shared informer of a selection, started. */
export function createManagedObjects(informer: (request: InformerRequest) => Informer): ManagedObjects {
  const followed = new Map<string, Informer>();
  const listeners: ((object: KubeObject) => void)[] = [];

  function notify(object: KubeObject): void {
    for (const listener of listeners) listener(object);
  }

  function begin(kind: Kind): Informer {
    const created = informer(requestFor(kind));
    created.on({ added: notify, updated: (_old, object) => notify(object), deleted: notify });
    followed.set(groupKind(kind), created);
    return created;
  }

  return {
    async follow(kinds, signal) {
      const informers = [...kinds].map((kind) => followed.get(groupKind(kind)) ?? begin(kind));
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      await Promise.race([Promise.all([...new Set(informers)].map(({ synced }) => synced)), aborted]);
    },
    get: (ref) =>
      followed.get(groupKind(ref))?.get(ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`),
    onChange: (listener) => void listeners.push(listener),
  };
}

function requestFor({ apiVersion, kind }: Kind): InformerRequest {
  const selection = { apiVersion, kind, labelSelector: LABEL.owner };
  if (!hasHealth({ apiVersion, kind })) return { ...selection, metadataOnly: true };
  return { ...selection, transform: keepHealth };
}

/** Drops what is large and says nothing about health: the schemas of CRDs, above all. */
function keepHealth(object: KubeObject): KubeObject {
  const { metadata, ...rest } = dropManagedFields(object);
  return object.kind === 'CustomResourceDefinition'
    ? { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata, spec: {} }
    : { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata };
}
