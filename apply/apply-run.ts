/** A request to apply objects, and the state that the steps of one run share. */
import type { Cluster } from '../api/cluster.ts';
import { groupKind, type KubeObject } from '../api/object.ts';
import type { Unready } from './apply-result.ts';
import { indexInventory, type InventoryEntry } from './inventory.ts';
import type { MayWrite } from './look-at-own.ts';
import { kindsDefinedIn, type PhaseName } from './phases.ts';
import type { Permit } from './preflight.ts';
import { createSlots, MOST_REQUESTS, type Slots } from './slots.ts';
import type { Finding, IsGivenUp } from './take-over.ts';
import { UNWATCHED, type Watched } from './watched.ts';

export interface ApplyRequest {
  /** Prepared (see prepareObjects). */
  readonly objects: readonly KubeObject[];
  readonly previousInventory: readonly InventoryEntry[];
  /**
   * Whether the Subscription acts as the manager. Such a Subscription takes over objects that an earlier one of its
   * name left. Any other takes over only objects that a person handed over and that its account may also delete.
   */
  readonly asManager?: boolean;
  /** Asked about objects of other Subscriptions: one that its own has given up is taken over. Absent: none is. */
  readonly isGivenUp?: IsGivenUp;
  /** When the Revision was created: an object younger than this that names its Subscription was applied for it. */
  readonly since?: string | undefined;
  /**
   * Written as an annotation onto leftovers that are wanted again, with a new value each time that a Revision becomes
   * active. Absent: no object is written for that alone.
   */
  readonly keptBy?: string;
  /** Concurrent requests; 8 by default. */
  readonly concurrency?: number;
  readonly signal: AbortSignal;
  /** Awaited before the first write, in parallel to the checks: the caller stores its inventory. */
  readonly noted?: Promise<unknown>;
  /** The facts that watches know. Absent: every object is read, and applied again. */
  readonly watched?: Watched;
  /**
   * Called before an existing object is changed, and before anything is written; once more for one that has appeared or
   * changed since. Absent: every change is permitted.
   */
  readonly permit?: Permit;
  /** Called for custom resources of CRDs in the same set, before anything is written. Absent: all may be written. */
  readonly mayWrite?: MayWrite | undefined;
  /**
   * Objects whose creation an earlier run of this roll-out has tried as a dry run: they are not tried again, unless a
   * watch knows them since. The run adds to it.
   */
  readonly tried?: Set<string>;
  /** Identities of the objects that the manager completes or makes itself, as by a certificate: a repair may renew them. */
  readonly completed?: ReadonlySet<string>;
  /**
   * Called once a phase is applied, with its objects that do not work yet; it may wait for them. Returns the objects that
   * hold back later phases. Absent: those that do not work yet.
   */
  readonly holdBack?: (phase: PhaseName, pending: readonly Pending[]) => Promise<readonly Unready[]>;
}

/** An applied object that does not work yet. */
export interface Pending extends Unready {
  /** As the API server answered the write; as in the request if it was not written. */
  readonly object: KubeObject;
}

/** The state that the steps of one run share. */
export interface ApplyRun {
  readonly cluster: Cluster;
  readonly request: ApplyRequest;
  readonly watched: Watched;
  readonly signal: AbortSignal;
  readonly slots: Slots;
  readonly known: ReadonlyMap<string, InventoryEntry>;
  /** The kinds that CRDs of the request define. */
  readonly ownKinds: ReadonlySet<string>;
  /** The kinds of the objects of the request. */
  readonly broughtKinds: ReadonlySet<string>;
  readonly ownNamespaces: ReadonlySet<string>;
}

/** By identity. */
export type Findings = Map<string, Finding>;

/** The state at the beginning. */
export function contextOf(request: ApplyRequest): Omit<ApplyRun, 'cluster'> {
  const { objects, previousInventory, concurrency = MOST_REQUESTS, watched = UNWATCHED, signal } = request;
  return {
    request,
    watched,
    signal,
    slots: createSlots(concurrency),
    known: indexInventory(previousInventory),
    ownKinds: kindsDefinedIn(objects),
    broughtKinds: new Set(objects.map(groupKind)),
    ownNamespaces: new Set(objects.filter(isNamespace).map(({ metadata }) => metadata.name)),
  };
}

function isNamespace({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}
