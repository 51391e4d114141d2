/**
 * The first step: which objects are in the cluster, and which belong there. If everything is in place and unchanged, the
 * run ends without a request, with the health of the objects.
 */
import type { Unready } from '../../../apply/apply.ts';
import { assessHealth, hasHealth } from '../../../apply/health.ts';
import { isLiving, refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import type { ObjectRef } from '../../../api/object.ts';
import { hasWorked, type Revision } from '../../../api/revision.ts';
import { accountOf, actsAsManager } from '../account.ts';
import { certificatesDue } from '../certificates/due.ts';
import { isHealthy, isSettled } from '../decide.ts';
import { desiredObjects } from '../desired-objects.ts';
import { appliedEntries, followServed } from '../follow-served.ts';
import { judgeHealth } from '../judge-apply.ts';
import type { Judgement } from '../judgement.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { knownInventory } from '../observe.ts';
import { followOwn, observeOwn, type KnownObjects } from '../own-kinds/observe.ts';
import type { Run } from '../run.ts';

/** Adds `known`, and `unready` if it ends the run, else `isSettled`, `wasHealthy`, `objects` and `tried`. */
export async function load(run: Run): Promise<Judgement | undefined> {
  const { watched, results, shared } = run;
  const { revision } = run.facts;
  const inventory = revision.status?.inventory ?? [];
  const known = await observeAll(run, inventory);
  const isUnchanged = inventory.every((entry) => isAsItShouldBe(entry, known));
  const isInPlace = isUnchanged && (isSettled(revision) || isUnhealthyOnly(revision));
  results.known = known;
  if (isInPlace && !isCertificateDue(run, inventory) && !shared.seenOffers.isDue(revision)) {
    results.unready = unreadyIn(watched, inventory);
    return judgeHealth(results.unready, inventory.length);
  }
  results.isSettled = isInPlace && isSettled(revision);
  results.wasHealthy = isUnchanged && (isHealthy(revision) || isUnhealthy(revision));
  await loadObjects(run, known);
  return undefined;
}

async function observeAll(
  { facts, clients: { cluster }, watched, signal }: Run,
  inventory: readonly InventoryEntry[],
): Promise<KnownObjects> {
  await followServed({ cluster, watched }, appliedEntries(inventory), signal);
  if (actsAsManager(facts)) await followOwn({ cluster, managed: watched }, inventory, signal);
  return observeOwn({ cluster, managed: watched }, knownInventory(facts), signal);
}

async function loadObjects(
  { facts, clients, memory, shared, results, signal }: Run,
  known: KnownObjects,
): Promise<void> {
  const observed = (ref: ObjectRef): ReturnType<KnownObjects['get']> => known.get(ref);
  const namedIn = accountOf(facts)?.namespace;
  await shared.crdContents.look(clients.cluster, knownInventory(facts), { observed, namedIn, signal });
  const { objects, tried } = await desiredObjects(shared, facts.revision, memory);
  Object.assign(results, { objects, tried });
}

/** A leftover of a settled Revision is a CRD that is kept for its custom resources: a change of it is nothing to repair. */
function isAsItShouldBe(entry: InventoryEntry, known: KnownObjects): boolean {
  return known.isIntact(entry) || (entry.leftover === true && isLiving(entry, known.get(refOfEntry(entry))));
}

/** Whether everything was applied and pruned before, and only a workload is unhealthy. */
function isUnhealthyOnly(revision: Revision): boolean {
  const { inventory = [] } = revision.status ?? {};
  return isUnhealthy(revision) && !inventory.some(({ leftover }) => leftover === true);
}

/**
 * Whether everything was applied before, and a workload is unhealthy. Not if it was archived since: another Revision may
 * have added objects in between.
 */
function isUnhealthy(revision: Revision): boolean {
  const { conditions = [], observedGeneration } = revision.status ?? {};
  const isCurrent = observedGeneration === (revision.metadata.generation ?? 0);
  return isCurrent && hasWorked(revision) && conditions.some(({ reason }) => reason === 'WorkloadUnhealthy');
}

function isCertificateDue({ watched, now }: Run, inventory: readonly InventoryEntry[]): boolean {
  const due = certificatesDue(inventory, watched);
  return due !== undefined && now() >= due;
}

function unreadyIn(watched: Pick<ManagedObjects, 'get'>, inventory: readonly InventoryEntry[]): readonly Unready[] {
  return inventory.filter(hasHealth).flatMap((entry) => {
    const ref = refOfEntry(entry);
    const live = watched.get(ref);
    const health = live === undefined ? undefined : assessHealth(live);
    return health === undefined || health.state === 'Ready' ? [] : [{ ref, health }];
  });
}
