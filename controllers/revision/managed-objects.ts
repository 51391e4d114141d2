/**
 * Follows the objects that Slipway has applied, by one watch for each kind, so that a change or a deletion is noticed
 * at once and an unchanged object is never sent again. For kinds that can be unhealthy, the fields that decide health
 * are kept; for others, metadata (kept-parts.ts); the name for objects that can belong to no Subscription, and for those
 * that a namespace has beyond a bound (kept-bytes.ts). For cluster-scoped kinds the names of all objects are known, so that an absent object need not be read.
 */
import { knownScope } from '../../apply/identity.ts';
import { hasHealth } from '../../apply/health.ts';
import { isCrd } from '../../api/crd-kind.ts';
import { ANNOTATION } from '../../api/names.ts';
import { type DefinedKind, groupKind, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import { formatKey } from '../../kube/controller/controller.ts';
import type { InformerRequest } from '../../kube/watch/informer-factory.ts';
import { untilSynced, type Informer } from '../../kube/watch/informer.ts';
import { KeptBytes } from './kept-bytes.ts';
import { keepHealth, keepMetadata, keepName } from './kept-parts.ts';
import { allOf, oursOf, type Keep } from './managed-selections.ts';
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

export interface ManagedObjectsOptions {
  /**
   * Whether the Subscription that an object names as its owner exists and can have it; see living-owners.ts. Of other
   * objects only the name is kept.
   */
  readonly hasOwner?: (object: KubeObject) => boolean;
  /** Bounds the kept parts of a namespace. */
  readonly bytes?: KeptBytes;
  /** Receives an informer that is not needed any longer. */
  readonly release?: (informer: Informer) => void;
  readonly clock?: Clock;
}

const BY_OWNER_UID = 'owner-uid';

/** Longer than any caller of `follow` waits for its informer. */
const IDLE_SECONDS = 600;

type OpenInformer = (request: InformerRequest) => Informer;

/** @param informer Returns the shared informer of a selection, started. */
export function createManagedObjects(informer: OpenInformer, options: ManagedObjectsOptions = {}): TidyManagedObjects {
  return new WatchedObjects(informer, options);
}

class WatchedObjects implements TidyManagedObjects {
  readonly #informer: OpenInformer;
  readonly #release: (informer: Informer) => void;
  readonly #clock: Clock;
  readonly #bytes: KeptBytes;
  readonly #keep: Record<'ours' | 'note', Keep>;
  /** The informers of our objects, by `groupKind` as in all maps. */
  readonly #followed = new Map<string, Informer>();
  /** The informers of all objects of cluster-scoped kinds, no matter who made them. */
  readonly #complete = new Map<string, Informer>();
  /** Stops the handlers of each informer. */
  readonly #offs = new Map<string, () => void>();
  /** When a caller last asked to follow a kind, in seconds. */
  readonly #askedAt = new Map<string, number>();
  /** Kinds that bundles define. */
  readonly #own = new Set<string>();
  readonly #listeners = new Set<(object: KubeObject) => void>();
  /** Whether a tidying is due. */
  #isTidying = false;

  constructor(
    informer: OpenInformer,
    { hasOwner = () => true, bytes = new KeptBytes(), release = () => undefined, clock = systemClock }: ManagedObjectsOptions, // prettier-ignore
  ) {
    this.#informer = informer;
    this.#release = release;
    this.#clock = clock;
    this.#bytes = bytes;
    const keepBy = (keep: Keep): Keep => {
      return (object) => (hasOwner(object) ? bytes.admit(keep(object)) : (bytes.forget(object), keepName(object)));
    };
    const [health, note] = [keepBy(keepHealth), keepBy(keepMetadata)];
    this.#keep = { ours: (object) => (isCrd(object) ? keepHealth(object) : health(object)), note };
  }

  follow(kinds: Iterable<Kind>, signal: AbortSignal): Promise<void> {
    const informers = [...kinds].filter(mayWatch).flatMap((kind) => this.#informersOf(kind));
    return untilSynced(informers, { seconds: PATIENCE_SECONDS, signal, clock: this.#clock });
  }

  followOwn(kinds: Iterable<DefinedKind>, signal: AbortSignal): Promise<void> {
    const informers = [...kinds].flatMap((kind) => {
      if (this.#followed.get(groupKind(kind))?.apiVersion !== kind.apiVersion) this.#end(groupKind(kind));
      this.#own.add(groupKind(kind));
      return this.#informersOf(kind);
    });
    return untilSynced(informers, { seconds: PATIENCE_SECONDS, signal, clock: this.#clock });
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#followed.get(groupKind(ref))?.get(formatKey(ref));
  }

  isAbsent(ref: ObjectRef): boolean {
    const all = this.#complete.get(groupKind(ref));
    return all?.hasSynced === true && all.get(formatKey(ref)) === undefined;
  }

  claimedBy(ownerUid: string): readonly KubeObject[] {
    return [...this.#followed.values()].flatMap((one) => one.byIndex(BY_OWNER_UID, ownerUid));
  }

  isFollowed(kind: Kind): boolean {
    return this.#followed.get(groupKind(kind))?.hasSynced === true;
  }

  followsVersion(kind: Kind): boolean {
    const known = this.#followed.get(groupKind(kind));
    return known?.hasSynced === true && known.apiVersion === kind.apiVersion;
  }

  onChange(listener: (object: KubeObject) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tidy(isInUse: (kind: string) => boolean, mayFollow: (kind: string) => boolean = isInUse): void {
    for (const kind of this.#own) if (!mayFollow(kind)) this.#end(kind);
    if (this.#isTidying) return;
    this.#isTidying = true;
    this.#clock.after(IDLE_SECONDS, () => {
      this.#isTidying = false;
      this.#endIdle(isInUse);
    });
  }

  #endIdle(isInUse: (kind: string) => boolean): void {
    const before = this.#clock.now() - IDLE_SECONDS;
    const idle = [...this.#askedAt].filter(([kind, at]) => at <= before && !isInUse(kind));
    for (const [kind] of idle) this.#end(kind);
  }

  #informersOf(kind: Kind): readonly Informer[] {
    this.#askedAt.set(groupKind(kind), this.#clock.now());
    const known = this.#followed.get(groupKind(kind));
    if (known === undefined) return this.#begin(kind);
    const all = this.#complete.get(groupKind(kind));
    return all === undefined ? [known] : [known, all];
  }

  #begin(kind: Kind): readonly Informer[] {
    const all = knownScope(kind) === 'Cluster' ? this.#informer(allOf(kind)) : undefined;
    if (all !== undefined) this.#complete.set(groupKind(kind), all);
    const ours = all === undefined || hasHealth(kind) ? this.#informer(oursOf(kind, this.#keep)) : all;
    ours.addIndex(BY_OWNER_UID, ({ metadata: { annotations } }) => [annotations?.[ANNOTATION.ownerUid] ?? []].flat());
    const notify = (object: KubeObject): void => this.#listeners.forEach((listener) => listener(object));
    const deleted = (object: KubeObject): void => {
      this.#bytes.forget(object);
      notify(object);
    };
    this.#offs.set(groupKind(kind), ours.on({ added: notify, updated: (_old, object) => notify(object), deleted }));
    this.#followed.set(groupKind(kind), ours);
    return all === undefined ? [ours] : [ours, all];
  }

  #end(kind: string): void {
    this.#offs.get(kind)?.();
    const informers = new Set([this.#followed.get(kind), this.#complete.get(kind)]);
    for (const one of informers) if (one !== undefined) this.#release(one);
    this.#bytes.forgetKind(kind);
    for (const known of [this.#followed, this.#complete, this.#offs, this.#askedAt, this.#own]) known.delete(kind);
  }
}
