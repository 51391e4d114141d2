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
import { actsAsManager } from '../account.ts';
import { permitCrds } from '../crd-safety.ts';
import { explainCollisions } from '../explain-collision.ts';
import { appliedEntries, followServed } from '../follow-served.ts';
import { judgeApply } from '../judge-apply.ts';
import type { Judgement } from '../judgement.ts';
import { knownInventory } from '../observe.ts';
import { followOwn } from '../own-kinds/observe.ts';
import { findRepairs, observeDrift } from '../repair/drift.ts';
import { reportRepairs } from '../repair/report.ts';
import { resultOf, type Run } from '../run.ts';
import { unprovedAfter } from './prove.ts';

/** Adds `revision`, `applied`, `leftovers`, `repaired` and `unready`; ends the run if an object was rejected. */
export async function apply(run: Run): Promise<Judgement | undefined> {
  const { facts, memory, shared, results, signal } = run;
  const { objects } = resultOf(run, 'stage');
  const known = resultOf(run, 'known');
  const { acting } = resultOf(run, 'own');
  const observed = (ref: ObjectRef): KubeObject | undefined => known.get(ref);
  const drifts = await observeDrift(acting, knownInventory(facts), { objects, observed, signal });
  const result = await applyRevision(acting, requestOf(run));
  await followApplied(run, result);
  const revision = await resultOf(run, 'intent').noted;
  const inventory = result.inventory.filter((entry) => !isRemovedTrace(run, entry));
  const applied = { ...result, inventory };
  const repaired = reportRepairs({ ...shared, memory }, facts, findRepairs(drifts, applied));
  const unready = applied.phases.flatMap((phase) => phase.unready);
  const leftovers = diffInventory(inventory, objects).pruned;
  Object.assign(results, { revision, applied, leftovers, repaired, unready });
  const failures = explainCollisions(applied.failures, facts, shared.caches);
  return failures.length === 0 ? undefined : judgeApply({ ...applied, failures });
}

function requestOf(run: Run): ApplyRequest {
  const { facts, signal } = run;
  const { metadata } = facts.revision;
  const own = resultOf(run, 'own');
  const { inventory, noted } = resultOf(run, 'intent');
  const { objects } = resultOf(run, 'stage');
  return {
    objects,
    previousInventory: inventory,
    signal,
    noted,
    keptBy: `${metadata.name}/${metadata.generation ?? 0}`,
    tried: resultOf(run, 'tried'),
    asManager: actsAsManager(facts),
    since: metadata.creationTimestamp,
    watched: watchedIn(run),
    mayWrite: own.mayWrite,
    holdBack: (phase, pending) => holdBack(run, phase, pending),
    permit: permitCrds(facts, {
      listPage: own.listPage,
      isGoing: goingIn(diffInventory(inventory, objects).pruned),
      onLeft: (note) => reportLeft(run, note),
      signal,
    }),
  };
}

/** With an account each new object is tried by a request first, with the rights of the account, whatever a watch knows. */
function watchedIn(run: Run): Watched {
  const { clients, watched } = run;
  const known = resultOf(run, 'known');
  return {
    get: (ref) => known.get(ref),
    isIntact: (entry) => known.isIntact(entry),
    isAbsent: (ref) => clients.acting === clients.cluster && watched.isAbsent(ref),
  };
}

/** Waits a moment for objects that do not work yet; once all work, the phase may have a proof of its own. */
async function holdBack(run: Run, phase: PhaseName, pending: readonly Pending[]): Promise<readonly Unready[]> {
  const objects = pending.map(({ object }) => object);
  const unready = objects.length === 0 ? [] : await run.shared.waits.of(run.signal)(phase, objects);
  if (unready.length > 0) return unready;
  return phase === 'bindings' ? resultOf(run, 'own').confirmRights() : unprovedAfter(phase, run);
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

/** Whether the object belonged to a webhook check that has succeeded and deleted it. */
function isRemovedTrace({ rehearsal, results }: Run, entry: InventoryEntry): boolean {
  const isRemoved = rehearsal.removed.some((ref) => identityOf(ref) === identityOf(entry));
  return results.proof?.state === 'Ready' && isRemoved;
}
