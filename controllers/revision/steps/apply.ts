/** Applies the objects of the stage in their phases, and reports the objects that had to be repaired. */
import {
  applyRevision,
  type ApplyRequest,
  type ApplyResult,
  type Pending,
  type Unready,
  type Watched,
} from '../../../apply/apply.ts';
import { diffInventory, type InventoryEntry } from '../../../apply/inventory.ts';
import { identityOf } from '../../../apply/identity.ts';
import type { PhaseName } from '../../../apply/phases.ts';
import { goingIn } from '../../../apply/retain-readable.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import { hasWorked, type Revision } from '../../../api/revision.ts';
import { actsAsManager } from '../account.ts';
import { permitCrds } from '../crd-safety.ts';
import { explainCollisions } from '../explain-collision.ts';
import { appliedEntries, followServed } from '../follow-served.ts';
import { judgeApply } from '../judge-apply.ts';
import type { Judgement } from '../judgement.ts';
import { knownInventory } from '../observe.ts';
import { isGivenUp } from '../given-up.ts';
import { followOwn } from '../own-kinds/observe.ts';
import { findRepairs, observeDrift } from '../repair/drift.ts';
import { reportRepairs, type RepairFindings } from '../repair/report.ts';
import { reportTakenOver } from '../report-taken-over.ts';
import type { Run } from '../run.ts';
import { isRolledOut } from './load.ts';
import { unprovedAfter, type HeldBack } from './prove-stage.ts';
import type { Staged } from './stage.ts';

export interface Applied extends Pick<Staged, 'wasHealthy'> {
  /** The Revision with the intended inventory. */
  readonly revision: Revision;
  /** The outcome for each object. */
  readonly result: ApplyResult;
  /** The judgement if an object was rejected, which ends the attempt. */
  readonly rejection?: Judgement;
  /** The judgement of the webhook checks; absent if the phases before them do not work yet. */
  readonly proof?: Judgement;
  /** Leftovers of earlier Revisions that still exist. */
  readonly leftovers: readonly InventoryEntry[];
  /** The fields of the status about repairs. */
  readonly repaired: RepairFindings;
  /** The objects that do not work. */
  readonly unready: readonly Unready[];
}

export async function apply(run: Run, staged: Staged): Promise<Applied> {
  const { facts, memory, shared, signal } = run;
  const { known, wasHealthy, noted } = staged;
  const { acting } = staged.own;
  const { objects } = staged.stage;
  const observed = (ref: ObjectRef): KubeObject | undefined => known.get(ref);
  const drifts = await observeDrift(acting, knownInventory(facts), {
    objects,
    observed,
    isRolledOut: isRolledOut(facts.revision),
    signal,
  });
  let proof: Judgement | undefined;
  const applied = await applyRevision(acting, {
    ...requestOf(run, staged),
    holdBack: async (phase, pending) => {
      const held = await holdBack(run, staged, { phase, pending });
      proof = held.proof ?? proof;
      return held.unready;
    },
  });
  reportTakenOver(shared.record, facts.subscription, applied);
  await followApplied(run, applied);
  const revision = await noted;
  const result = proof?.state === 'Ready' ? withoutTraces(applied, run.rehearsal) : applied;
  const failures = explainCollisions(result.failures, facts, shared.caches);
  return {
    wasHealthy,
    revision,
    result,
    ...(failures.length > 0 && { rejection: judgeApply({ ...result, failures }) }),
    ...(proof !== undefined && { proof }),
    leftovers: diffInventory(result.inventory, objects).pruned,
    repaired: reportRepairs({ ...shared, memory }, facts, findRepairs(drifts, result)),
    unready: result.phases.flatMap((phase) => phase.unready),
  };
}

function requestOf(run: Run, staged: Staged): Omit<ApplyRequest, 'holdBack'> {
  const { facts, shared, signal } = run;
  const { metadata } = facts.revision;
  const { own, stage, intended, noted, tried } = staged;
  const { objects } = stage;
  return {
    objects,
    previousInventory: intended,
    signal,
    noted,
    keptBy: `${metadata.name}/${metadata.generation ?? 0}`,
    tried,
    asManager: actsAsManager(facts),
    isGivenUp: (live) => isGivenUp(live, facts.subscription, shared.caches),
    since: metadata.creationTimestamp,
    watched: watchedIn(run, staged),
    mayWrite: own.mayWrite,
    // A renewal is no roll-out; but in a first roll-out these objects are as new as the others.
    ...(hasWorked(facts.revision) && { completed: staged.completed }),
    permit: permitCrds(facts, {
      listPage: own.listPage,
      isGoing: goingIn(diffInventory(intended, objects).pruned),
      onLeft: (note) => reportLeft(run, note),
      signal,
    }),
  };
}

/** With an account each new object is tried by a request first, with the rights of the account, whatever a watch knows. */
function watchedIn({ clients, watched }: Run, { known }: Staged): Watched {
  return {
    get: (ref) => known.get(ref),
    isIntact: (entry) => known.isIntact(entry),
    isAbsent: (ref) => clients.acting === clients.cluster && watched.isAbsent(ref),
  };
}

/** Waits a moment for objects that do not work yet; once all work, the phase may have a proof of its own. */
async function holdBack(
  run: Run,
  { own, stage }: Staged,
  { phase, pending }: { readonly phase: PhaseName; readonly pending: readonly Pending[] },
): Promise<HeldBack> {
  const objects = pending.map(({ object }) => object);
  const unready = objects.length === 0 ? [] : await run.shared.waits.of(run.signal)(phase, objects);
  if (unready.length > 0) return { unready };
  return phase === 'bindings' ? { unready: await own.confirmRights() } : unprovedAfter(phase, run, stage);
}

/** Without the objects of webhook checks that have succeeded and deleted them. */
function withoutTraces(result: ApplyResult, { removed }: Run['rehearsal']): ApplyResult {
  const gone = new Set(removed.map(identityOf));
  return { ...result, inventory: result.inventory.filter((entry) => !gone.has(identityOf(entry))) };
}

function reportLeft({ facts: { subscription }, shared }: Run, note: string): void {
  shared.record(subscription, { type: 'Warning', reason: 'CRDUnsafe', action: 'Apply', note });
}

/** Kinds that an applied CRD has just defined can be followed only now. */
async function followApplied(run: Run, { inventory }: ApplyResult): Promise<void> {
  const { facts, clients, watched, signal } = run;
  const { cluster } = clients;
  await followServed({ cluster, watched }, appliedEntries(inventory), signal);
  if (actsAsManager(facts)) await followOwn({ cluster, managed: watched }, inventory, signal);
}
