/**
 * The first step: which objects are in the cluster, and which belong there. If everything is in place and unchanged, the
 * run ends without a request, with the health of the objects.
 */
import { findCondition } from '../../../api/conditions.ts';
import type { Unready } from '../../../apply/apply.ts';
import { assessHealth, hasHealth } from '../../../apply/health.ts';
import { isLiving, refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
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

export interface Loaded {
  /** The objects in the cluster. */
  readonly known: KnownObjects;
  /** Whether everything is in place and settled, and only a certificate is due. */
  readonly isSettled: boolean;
  /** Whether it was healthy, and no object has changed since. */
  readonly wasHealthy: boolean;
  /** As in the bundle, prepared. */
  readonly objects: readonly KubeObject[];
  /** Identities of the objects whose creation was tried as a dry run. */
  readonly tried: Set<string>;
}

/** Everything was applied before, and no step has anything to do. */
export interface InPlace {
  readonly judgement: Judgement;
  /** The objects that do not work. */
  readonly unready: readonly Unready[];
}

export async function load(run: Run): Promise<Loaded | InPlace> {
  const { watched, shared } = run;
  const { revision } = run.facts;
  const inventory = revision.status?.inventory ?? [];
  const known = await observeAll(run, inventory);
  const isUnchanged = inventory.every((entry) => isAsItShouldBe(entry, known));
  const isInPlace = isUnchanged && (isSettled(revision) || isUnhealthyOnly(revision));
  if (isInPlace && !isCertificateDue(run, inventory) && !shared.seenOffers.isDue(revision)) {
    const unready = unreadyIn(watched, inventory);
    return { judgement: judgeHealth(unready, inventory.length), unready };
  }
  return {
    known,
    isSettled: isInPlace && isSettled(revision),
    wasHealthy: isUnchanged && isRolledOut(revision),
    ...(await loadObjects(run, known)),
  };
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
  { facts, clients, memory, shared, slot, signal }: Run,
  known: KnownObjects,
): Promise<Pick<Loaded, 'objects' | 'tried'>> {
  const observed = (ref: ObjectRef): ReturnType<KnownObjects['get']> => known.get(ref);
  const namedIn = accountOf(facts)?.namespace;
  await shared.crdContents.look(clients.cluster, knownInventory(facts), { observed, namedIn, signal });
  const { objects, tried } = await desiredObjects(shared, facts.revision, { memory, slot, signal });
  return { objects, tried };
}

/** A leftover of a settled Revision is a CRD that is kept for its custom resources: a change of it is nothing to repair. */
function isAsItShouldBe(entry: InventoryEntry, known: KnownObjects): boolean {
  return known.isIntact(entry) || (entry.leftover === true && isLiving(entry, known.get(refOfEntry(entry))));
}

/** Whether everything was applied before, for the current spec, and has worked. */
export function isRolledOut(revision: Revision): boolean {
  return isHealthy(revision) || isUnhealthy(revision) || hasRested(revision);
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

/** Whether it had worked, and is unready only because its Subscription was suspended within its bake time. */
function hasRested({ metadata: { generation }, status }: Revision): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  const isCurrent = generation === undefined || ready?.observedGeneration === generation;
  return isCurrent && ready?.reason === 'Suspended' && status?.firstReadyTime !== undefined;
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
