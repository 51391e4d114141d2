/**
 * Follows the objects that Slipway has applied, by one watch for each kind, so that a change or a deletion is
 * noticed at once and what nobody has touched is never sent again. Only kinds that can be unhealthy are kept in
 * full; of the others the metadata is enough. Of kinds that live in no namespace, everybody's objects are known by
 * name: what is not there need not be looked for.
 */
import { knownScope } from '../../apply/identity.ts';
import { hasHealth } from '../../apply/health.ts';
import { LABEL } from '../../api/names.ts';
import { groupKind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import type { InformerRequest } from '../../kube/informer-factory.ts';
import { dropManagedFields, untilSynced, type Informer } from '../../kube/informer.ts';
import { mayWatch } from './watched-kinds.ts';

type Kind = Pick<ObjectRef, 'apiVersion' | 'kind'>;

export interface ManagedObjects {
  /**
   * Begins to follow the kinds that are not followed yet; resolves when all their objects are known. Kinds that the
   * manager may not watch are left out: they would be asked for in vain, for ever. Throws
   * ApiUnavailable (retried) where they are not after half a minute: a kind that has gone, or may not be listed.
   */
  follow(kinds: Iterable<Kind>, signal: AbortSignal): Promise<void>;
  /** What the watch knows of an object; undefined also where its kind is not followed. */
  get(ref: ObjectRef): KubeObject | undefined;
  /** Whether nobody has an object of this name, as far as a watch over all of them knows. */
  isAbsent(ref: ObjectRef): boolean;
  /** Whether all objects of the kind that are ours are known. */
  isFollowed(kind: Kind): boolean;
  /** Calls for every object that appears, changes or goes; returns what ends that. */
  onChange(listener: (object: KubeObject) => void): () => void;
}

/** While it is waited for the objects of a kind, nothing else is done for the Subscription. */
const PATIENCE_SECONDS = 30;

/** @param informer Gives the shared informer of a selection, started. */
export function createManagedObjects(
  informer: (request: InformerRequest) => Informer,
  clock: Clock = systemClock,
): ManagedObjects {
  const followed = new Map<string, Informer>();
  /** Of kinds without namespaces: informers of all objects, whoever made them. */
  const complete = new Map<string, Informer>();
  const listeners = new Set<(object: KubeObject) => void>();

  function notify(object: KubeObject): void {
    for (const listener of listeners) listener(object);
  }

  function begin(kind: Kind): readonly Informer[] {
    const all = knownScope(kind) === 'Cluster' ? informer(allOf(kind)) : undefined;
    if (all !== undefined) complete.set(groupKind(kind), all);
    const created = all === undefined || hasHealth(kind) ? informer(oursOf(kind)) : all;
    created.on({ added: notify, updated: (_old, object) => notify(object), deleted: notify });
    followed.set(groupKind(kind), created);
    return all === undefined ? [created] : [created, all];
  }

  function informersOf(kind: Kind): readonly Informer[] {
    const known = followed.get(groupKind(kind));
    if (known === undefined) return begin(kind);
    const all = complete.get(groupKind(kind));
    return all === undefined ? [known] : [known, all];
  }

  return {
    follow: (kinds, signal) =>
      untilSynced([...kinds].filter(mayWatch).flatMap(informersOf), { seconds: PATIENCE_SECONDS, signal, clock }),
    get: (ref) => followed.get(groupKind(ref))?.get(keyOf(ref)),
    isAbsent(ref) {
      const all = complete.get(groupKind(ref));
      return all?.hasSynced === true && all.get(keyOf(ref)) === undefined;
    },
    isFollowed: (kind) => followed.get(groupKind(kind))?.hasSynced === true,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function keyOf({ namespace, name }: ObjectRef): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function oursOf({ apiVersion, kind }: Kind): InformerRequest {
  const selection = { apiVersion, kind, labelSelector: LABEL.owner };
  if (!hasHealth({ apiVersion, kind })) return { ...selection, metadataOnly: true };
  return { ...selection, transform: keepHealth };
}

/** Follows the names of all objects of a kind, and the metadata of ours. */
export function allOf({ apiVersion, kind }: Kind): InformerRequest {
  return { apiVersion, kind, metadataOnly: true, transform: keepName };
}

/** Of what others made, that it is there; of a namespace also its labels, by which Catalogs select it. */
function keepName(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  if (kind === 'Namespace' || metadata.labels?.[LABEL.owner] !== undefined) return dropManagedFields(object);
  const { name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) },
  };
}

/** Drops what is large and says nothing about health: the schemas of CRDs, above all. */
function keepHealth(object: KubeObject): KubeObject {
  const { metadata, ...rest } = dropManagedFields(object);
  const kept = { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata };
  return object.kind === 'CustomResourceDefinition' ? { ...kept, spec: keepNames(object['spec'] as CrdSpec) } : kept;
}

/** The parts of a CRD's spec that say what it serves. */
interface CrdSpec {
  readonly group: string;
  readonly names: object;
  readonly scope: string;
  readonly versions?: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  readonly conversion?: object;
}

function keepNames({ group, names, scope, versions = [], conversion }: CrdSpec): CrdSpec {
  return {
    group,
    names,
    scope,
    ...(conversion !== undefined && { conversion }),
    versions: versions.map(({ name, served, storage }) => ({ name, served, storage })),
  };
}
