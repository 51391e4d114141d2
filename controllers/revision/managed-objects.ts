/**
 * Follows the objects that Slipway has applied, by one watch for each kind, so that a change or a deletion is noticed
 * at once and an unchanged object is never sent again. For kinds that can be unhealthy, the fields that decide health
 * are kept; for others, metadata (kept-parts.ts); for objects whose owner is no Subscription, the name. For
 * cluster-scoped kinds the names of all objects are known, so that an absent object need not be read.
 */
import { knownScope } from '../../apply/identity.ts';
import { hasHealth } from '../../apply/health.ts';
import { ANNOTATION, LABEL } from '../../api/names.ts';
import { type DefinedKind, groupKind, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import type { InformerRequest } from '../../kube/watch/informer-factory.ts';
import { untilSynced, type Informer } from '../../kube/watch/informer.ts';
import { keepHealth, keepMetadata, keepName } from './kept-parts.ts';
import { mayWatch } from './watched-kinds.ts';

export interface ManagedObjects {
  /**
   * Begins to follow the kinds that are not followed yet; resolves when all their objects are known. Kinds that the
   * manager may not watch are left out, since the watch would be rejected for ever. Throws ApiUnavailable (retried) if
   * the objects are not known after half a minute, because a kind is gone or may not be listed.
   */
  follow(kinds: Iterable<Kind>, signal: AbortSignal): Promise<void>;
  /**
   * The same for kinds that a bundle defines, which the caller knows that the manager may follow. They are followed
   * until no Revision has one of their objects in its inventory, in the version of the last call.
   */
  followOwn(kinds: Iterable<DefinedKind>, signal: AbortSignal): Promise<void>;
  /** The state of an object in its watch; undefined also if its kind is not followed. */
  get(ref: ObjectRef): KubeObject | undefined;
  /** Whether no object of this name exists, as far as a watch over all objects of the kind knows. */
  isAbsent(ref: ObjectRef): boolean;
  /** Whether all our objects of the kind are known. */
  isFollowed(kind: Kind): boolean;
  /** The followed objects whose annotation names the Subscription of this uid as owner. */
  claimedBy(ownerUid: string): readonly KubeObject[];
  /** Whether the kind is followed in exactly this version, which may cease to be served. */
  followsVersion(kind: Kind): boolean;
  /** Calls the listener for every object that appears, changes or goes; returns a function that stops it. */
  onChange(listener: (object: KubeObject) => void): () => void;
}

export interface TidyManagedObjects extends ManagedObjects {
  /**
   * Called when a Revision has gone or pruned: kinds that `isInUse` does not know, by `groupKind`, and that no call of
   * `follow` has named for some minutes are followed no longer. Done some minutes later, once for all calls until then; at
   * once with kinds that a bundle defines and that `mayFollow` does not know: with their CRD or with the last Revision that
   * acts as the manager the right to follow them has gone.
   */
  tidy(isInUse: (kind: string) => boolean, mayFollow?: (kind: string) => boolean): void;
}

/** Nothing else is done for the Subscription during this wait for the objects of a kind. */
const PATIENCE_SECONDS = 30;

/**
 * Page size for kinds with a body: each object may be as large as the API server accepts, 1.5 MB, and is in memory
 * three times while it is read: as bytes, as text and as an object.
 */
const PAGE_SIZE = 10;

export interface ManagedObjectsOptions {
  /**
   * Whether the Subscription that an object names as its owner exists; see living-owners.ts. Of other objects only the
   * name is kept.
   */
  readonly hasOwner?: (object: KubeObject) => boolean;
  /** Receives an informer that is not needed any longer. */
  readonly release?: (informer: Informer) => void;
  readonly clock?: Clock;
}

const BY_OWNER_UID = 'owner-uid';

/** Longer than any caller of `follow` waits for its informer. */
const IDLE_SECONDS = 600;

/** @param informer Returns the shared informer of a selection, started. */
export function createManagedObjects(
  informer: (request: InformerRequest) => Informer,
  { hasOwner = () => true, release = () => undefined, clock = systemClock }: ManagedObjectsOptions = {},
): TidyManagedObjects {
  const keepOfOurs = (object: KubeObject): KubeObject =>
    object.kind === 'CustomResourceDefinition' || hasOwner(object) ? keepHealth(object) : keepName(object);
  const noteOfOurs = (object: KubeObject): KubeObject => (hasOwner(object) ? keepMetadata(object) : keepName(object));
  const followed = new Map<string, Informer>();
  /** Informers of all objects of cluster-scoped kinds, no matter who made them. */
  const complete = new Map<string, Informer>();
  const offs = new Map<string, () => void>();
  /** When a caller last asked to follow a kind, in seconds. */
  const askedAt = new Map<string, number>();
  /** Kinds that bundles define. */
  const own = new Set<string>();
  let tidying: (() => void) | undefined;
  const listeners = new Set<(object: KubeObject) => void>();

  function notify(object: KubeObject): void {
    for (const listener of listeners) listener(object);
  }

  function begin(kind: Kind): readonly Informer[] {
    const all = knownScope(kind) === 'Cluster' ? informer(allOf(kind)) : undefined;
    if (all !== undefined) complete.set(groupKind(kind), all);
    const created = all === undefined || hasHealth(kind) ? informer(oursOf(kind, { keepOfOurs, noteOfOurs })) : all;
    created.addIndex(BY_OWNER_UID, ({ metadata: { annotations } }) =>
      [annotations?.[ANNOTATION.ownerUid] ?? []].flat(),
    );
    const off = created.on({ added: notify, updated: (_old, object) => notify(object), deleted: notify });
    offs.set(groupKind(kind), off);
    followed.set(groupKind(kind), created);
    return all === undefined ? [created] : [created, all];
  }

  function informersOf(kind: Kind): readonly Informer[] {
    askedAt.set(groupKind(kind), clock.now());
    const known = followed.get(groupKind(kind));
    if (known === undefined) return begin(kind);
    const all = complete.get(groupKind(kind));
    return all === undefined ? [known] : [known, all];
  }

  function end(kind: string): void {
    offs.get(kind)?.();
    const [ours, all] = [followed.get(kind), complete.get(kind)];
    for (const one of new Set([ours, all])) if (one !== undefined) release(one);
    for (const known of [followed, complete, offs, askedAt, own]) known.delete(kind);
  }

  function followsVersion(kind: Kind): boolean {
    const known = followed.get(groupKind(kind));
    return known?.hasSynced === true && known.apiVersion === kind.apiVersion;
  }

  return {
    follow: (kinds, signal) =>
      untilSynced([...kinds].filter(mayWatch).flatMap(informersOf), { seconds: PATIENCE_SECONDS, signal, clock }),
    followOwn(kinds, signal) {
      const informers = [...kinds].flatMap((kind) => {
        if (followed.get(groupKind(kind))?.apiVersion !== kind.apiVersion) end(groupKind(kind));
        own.add(groupKind(kind));
        return informersOf(kind);
      });
      return untilSynced(informers, { seconds: PATIENCE_SECONDS, signal, clock });
    },
    get: (ref) => followed.get(groupKind(ref))?.get(keyOf(ref)),
    isAbsent(ref) {
      const all = complete.get(groupKind(ref));
      return all?.hasSynced === true && all.get(keyOf(ref)) === undefined;
    },
    claimedBy: (ownerUid) => [...followed.values()].flatMap((one) => one.byIndex(BY_OWNER_UID, ownerUid)),
    isFollowed: (kind) => followed.get(groupKind(kind))?.hasSynced === true,
    followsVersion,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tidy(isInUse, mayFollow = isInUse) {
      for (const kind of own) if (!mayFollow(kind)) end(kind);
      tidying ??= clock.after(IDLE_SECONDS, () => {
        tidying = undefined;
        const isIdle = (askedAtSeconds: number): boolean => clock.now() - askedAtSeconds >= IDLE_SECONDS;
        const idle = [...askedAt].filter(([kind, at]) => isIdle(at) && !isInUse(kind));
        for (const [kind] of idle) end(kind);
      });
    },
  };
}

function keyOf({ namespace, name }: ObjectRef): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

type Keep = (object: KubeObject) => KubeObject;

function oursOf(
  { apiVersion, kind, ...defined }: Kind,
  { keepOfOurs, noteOfOurs }: { readonly keepOfOurs: Keep; readonly noteOfOurs: Keep },
): InformerRequest {
  const served = 'served' in defined ? { served: defined.served } : {};
  const selection = { apiVersion, kind, ...served, labelSelector: LABEL.owner };
  if (!hasHealth({ apiVersion, kind })) return { ...selection, metadataOnly: true, transform: noteOfOurs };
  return { ...selection, pageSize: PAGE_SIZE, transform: keepOfOurs };
}

/** Follows the names of all objects of a kind, and the metadata of ours. */
export function allOf({ apiVersion, kind }: Kind): InformerRequest {
  return { apiVersion, kind, metadataOnly: true, transform: keepOfAll };
}

/** Keeps the identity of foreign objects; for a namespace also its labels, by which Catalogs select it. */
function keepOfAll(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const isOurs = metadata.labels?.[LABEL.owner] !== undefined;
  const kept = isOurs ? keepMetadata(object).metadata : keepVersion(metadata);
  const selected = kind === 'Namespace' && metadata.labels !== undefined ? { labels: metadata.labels } : {};
  return { apiVersion, kind, metadata: { ...kept, ...selected } };
}

function keepVersion({ name, uid, resourceVersion }: KubeObject['metadata']): KubeObject['metadata'] {
  return { name, ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
}
