/**
 * Brings the objects of an active Revision into the cluster, and keeps them there. Each call does the steps that are
 * possible now and returns; the watches cause the next call. An object that is in place and unchanged costs no request.
 */
import { applyRevision, type ApplyResult, type Unready } from '../../apply/apply.ts';
import { assessHealth, hasHealth } from '../../apply/health.ts';
import {
  diffInventory,
  intendedEntries,
  listsTheSame,
  markLeftovers,
  refOfEntry,
  type InventoryEntry,
} from '../../apply/inventory.ts';
import { identityOf } from '../../apply/identity.ts';
import { pruneObjects, type PruneResult } from '../../apply/prune.ts';
import { readByList } from '../../apply/read-by-list.ts';
import { groupKind, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { hasWorked, type Revision } from '../../api/revision.ts';
import { isSettled } from './decide.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RecordEvent } from '../events.ts';
import { writeStatus } from '../status.ts';
import { certificatesDue, certify } from './certificates/roll-out.ts';
import { accountOf, actsAsManager } from './account.ts';
import { permitCrds } from './crd-safety.ts';
import { ownerOf, type DesiredObjects } from './desired-objects.ts';
import type { PhaseWaits } from './await-phase.ts';
import type { Gate } from './gate.ts';
import { knownInventory, type RevisionFacts } from './observe.ts';
import { isAccess } from './own-kinds/access.ts';
import { forOwnKinds, type OwnKindsDeps } from './own-kinds/for-own-kinds.ts';
import { isOwnKind } from './own-kinds/kinds.ts';
import { followOwn, observeOwn, type Known } from './own-kinds/observe.ts';
import type { Rehearsals } from './rehearsal/rehearsals.ts';
import type { Stage } from './rehearsal/stage.ts';
import type { CrdContents } from './repair/crd-content.ts';
import { findRepairs, observeDrift, type Repair } from './repair/drift.ts';
import type { Judgement } from './summarize.ts';

export interface RollOutDeps extends OwnKindsDeps {
  readonly managed: ManagedObjects;
  readonly desired: DesiredObjects;
  readonly record: RecordEvent;
  readonly now: () => Date;
  readonly waits: PhaseWaits;
  readonly crdContents: CrdContents;
  readonly rehearsals: Pick<Rehearsals, 'stageOf' | 'tracesOf' | 'removed'>;
  /** The gate of this stage; see gate.ts. */
  readonly gateOf: (stage: Stage) => Gate;
}

/** The outcome of a roll-out. */
export type RollOut =
  /** Everything is in place and unchanged. */
  | { readonly kind: 'intact'; readonly unready: readonly Unready[]; readonly revision: Revision }
  | {
      readonly kind: 'applied';
      readonly result: ApplyResult;
      /** Leftovers that still exist. */
      readonly leftovers: readonly InventoryEntry[];
      /** The judgement of the gate; undefined if it was not reached. */
      readonly answer: Judgement | undefined;
      /** Objects that others had changed or deleted, and that were repaired. */
      readonly repairs: readonly Repair[];
      readonly revision: Revision;
    };

/** @param facts The facts of the decision; the Revision in the result is its newest version. */
export async function rollOut(deps: RollOutDeps, facts: RevisionFacts, signal: AbortSignal): Promise<RollOut> {
  const { revision } = facts;
  const inventory = revision.status?.inventory ?? [];
  await followServed(deps, appliedKinds(inventory), signal);
  if (actsAsManager(facts)) await followOwn(deps, inventory, signal);
  const known = await observeOwn(deps, knownInventory(facts), signal);
  const intact = isSettled(revision) || isUnhealthyOnly(revision);
  const inPlace = intact && inventory.every((entry) => known.isIntact(entry));
  const due = certificatesDue(inventory, deps.managed);
  if (inPlace && (due === undefined || deps.now() < due)) {
    return { kind: 'intact', unready: unreadyOf(deps, inventory), revision };
  }
  return applyAgain(deps, facts, { settled: inPlace && isSettled(revision), known, signal });
}

async function applyAgain(
  deps: RollOutDeps,
  facts: RevisionFacts,
  { settled, known, signal }: { readonly settled: boolean; readonly known: Known; readonly signal: AbortSignal },
): Promise<RollOut> {
  const listed = knownInventory(facts);
  const observed = (ref: ObjectRef): KubeObject | undefined => known.get(ref);
  await deps.crdContents.look(deps.cluster, listed, { observed, namedIn: accountOf(facts)?.namespace, signal });
  const bare = await deps.desired.of(facts.revision);
  const certified = await certify(deps, facts, { objects: bare, settled, signal });
  const own = forOwnKinds(deps, facts, { objects: certified, signal });
  // Kinds of intended objects are followed too: a former leader may still make them.
  await followServed(deps, [...own.objects, ...listed], signal);
  const stage = await deps.rehearsals.stageOf(facts, own.objects, signal);
  const { objects } = stage;
  const traces = deps.rehearsals.tracesOf(facts, stage);
  await followServed(deps, traces, signal);
  const previousInventory = intendedInventory(facts, [...objects, ...traces]);
  const noted = noteIntent(deps, facts, previousInventory);
  // Awaited later: a rejection before that must not count as unhandled.
  noted.catch(() => undefined);
  const gate = deps.gateOf(stage);
  const wait = deps.waits.of(signal);
  const drifts = await observeDrift(own.acting, listed, { objects, observed, signal });
  const result = await applyRevision(own.acting, {
    objects,
    previousInventory,
    signal,
    noted,
    keptBy: `${facts.revision.metadata.name}/${facts.revision.metadata.generation ?? 0}`,
    tried: triedOf(bare),
    asManager: actsAsManager(facts),
    since: facts.revision.metadata.creationTimestamp,
    watched: {
      get: observed,
      isIntact: (entry) => known.isIntact(entry),
      isAbsent: (ref) => deps.acting === deps.cluster && deps.managed.isAbsent(ref),
    },
    mayWrite: own.mayWrite,
    async holdBack(phase, pending) {
      const unready = await wait(
        phase,
        pending.map(({ object }) => object),
      );
      if (unready.length > 0) return unready;
      return phase === 'bindings' ? own.confirmRights() : gate.confirm(phase);
    },
    permit: permitCrds(facts, {
      listPage: own.listPage,
      signal,
      onLeft: (note) => tellLeft(deps, facts, note),
    }),
  });
  await followServed(deps, appliedKinds(result.inventory), signal);
  if (actsAsManager(facts)) await followOwn(deps, result.inventory, signal);
  const answer = gate.answer();
  const removed = new Set(deps.rehearsals.removed(facts.revision).map(identityOf));
  const isLeft = (entry: InventoryEntry): boolean => answer?.state !== 'Ready' || !removed.has(identityOf(entry));
  const inventory = result.inventory.filter(isLeft);
  const leftovers = diffInventory(inventory, objects).pruned;
  const repairs = findRepairs(drifts, result);
  return { kind: 'applied', result: { ...result, inventory }, leftovers, answer, repairs, revision: await noted };
}

function tellLeft({ record }: RollOutDeps, { revision, subscription }: RevisionFacts, note: string): void {
  record(subscription ?? revision, { type: 'Warning', reason: 'CRDUnsafe', action: 'Apply', note });
}

/** The writes that were tried for these objects, for as long as the objects are kept. */
function triedOf(objects: readonly KubeObject[]): Set<string> {
  const known = TRIED.get(objects) ?? new Set<string>();
  TRIED.set(objects, known);
  return known;
}

const TRIED = new WeakMap<readonly KubeObject[], Set<string>>();

/**
 * Watches begin before the first write, so that its result arrives by the watch and need not be read. A kind whose CRD
 * is gone is not followed: its watch would never sync, and its objects count as missing.
 */
export async function followServed(
  { cluster, managed }: Pick<RollOutDeps, 'cluster' | 'managed'>,
  kinds: readonly Kind[],
  signal: AbortSignal,
): Promise<void> {
  // A bundle's own kinds need no discovery: their CRD defines how they are served.
  const usual = kinds.filter((kind) => !isOwnKind(kind));
  const distinct = [...new Map(usual.map((kind) => [groupKind(kind), kind])).values()];
  const served = await Promise.all(
    distinct.map(async (kind) => {
      // If discovery fails now, the kind is followed once it is applied.
      const scope = await cluster.isNamespaced(kind, signal).catch(() => undefined);
      return scope === undefined ? [] : [kind];
    }),
  );
  await managed.follow(served.flat(), signal);
}

/** The existing objects, the leftovers of earlier Revisions, and the objects that are about to be applied. */
function intendedInventory(facts: RevisionFacts, objects: readonly KubeObject[]): readonly InventoryEntry[] {
  const known = knownInventory(facts);
  const listed = new Set(known.map(identityOf));
  const intended = intendedEntries(objects).filter((entry) => !listed.has(identityOf(entry)));
  return markLeftovers([...known, ...intended], objects);
}

/** Writes the inventory before anything is applied: if the manager dies, no object is forgotten. */
async function noteIntent(
  { cluster }: RollOutDeps,
  { revision }: RevisionFacts,
  inventory: readonly InventoryEntry[],
): Promise<Revision> {
  if (listsTheSame(inventory, revision.status?.inventory ?? [])) return revision;
  return writeStatus(cluster, revision, { ...revision.status, inventory });
}

/**
 * Deletes leftovers, which were noted before: see noteIntent. The rights that the manager gave itself are deleted last,
 * and as the manager.
 */
export async function pruneLeftovers(
  { cluster, acting, managed }: RollOutDeps,
  { revision }: RevisionFacts,
  { leftovers, signal }: { readonly leftovers: readonly InventoryEntry[]; readonly signal: AbortSignal },
): Promise<PruneResult> {
  const owner = ownerOf(revision);
  const options = { owner, watched: managed, signal };
  const [rights, others] = [true, false].map((given) => leftovers.filter((entry) => isAccess(entry, owner) === given));
  const reader = acting === cluster ? readByList(cluster) : acting;
  const pruned = await pruneObjects(reader, others ?? [], options);
  const taken = await pruneObjects(cluster, rights ?? [], options);
  return {
    removals: [...pruned.removals, ...taken.removals],
    remaining: [...pruned.remaining, ...taken.remaining],
  };
}

function appliedKinds(inventory: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return inventory.filter(({ uid }) => uid !== '');
}

/** Whether everything was applied and pruned before, and only a workload is unhealthy. */
function isUnhealthyOnly(revision: Revision): boolean {
  const { conditions = [] } = revision.status ?? {};
  return hasWorked(revision) && conditions.some(({ reason }) => reason === 'WorkloadUnhealthy');
}

function unreadyOf({ managed }: RollOutDeps, inventory: readonly InventoryEntry[]): readonly Unready[] {
  return inventory.filter(hasHealth).flatMap((entry) => {
    const ref = refOfEntry(entry);
    const live = managed.get(ref);
    const health = live === undefined ? undefined : assessHealth(live);
    return health === undefined || health.state === 'Ready' ? [] : [{ ref, health }];
  });
}
