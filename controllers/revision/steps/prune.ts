/** The last step of a healthy Revision: deletes what only earlier Revisions had, once the bake time is over. */
import type { InventoryEntry } from '../../../apply/inventory.ts';
import { pruneObjects, type PruneResult } from '../../../apply/prune.ts';
import { readByList } from '../../../apply/read-by-list.ts';
import type { Removal } from '../../../apply/remove.ts';
import { describeRef } from '../../../api/object.ts';
import { ownerOf } from '../../prepare-for.ts';
import { judgeApply, judgePruning, type JudgedPruning } from '../judge-apply.ts';
import { isAccess } from '../own-kinds/access.ts';
import type { Run } from '../run.ts';
import { bakeSecondsLeft } from '../schedule.ts';
import type { Applied } from './apply.ts';

export interface Pruned extends JudgedPruning {
  /** The inventory without the leftovers that are gone; absent without leftovers, and during the bake time. */
  readonly inventory?: readonly InventoryEntry[];
}

export async function prune(run: Run, { result, leftovers, revision }: Applied): Promise<Pruned> {
  const judgement = judgeApply(result);
  if (leftovers.length === 0) return { judgement };
  if (bakeSecondsLeft(revision.status, run.facts.subscription.spec.onFailure, run.now()) > 0) {
    const unfinished = 'What only earlier revisions had is removed after the bake time';
    return { judgement: { ...judgement, unfinished } };
  }
  const { remaining, removals } = await pruneLeftovers(run, leftovers);
  reportKept(run, removals);
  run.memory.prunedSince ??= run.now();
  const seconds = (run.now().getTime() - run.memory.prunedSince.getTime()) / 1000;
  const gone = new Set(leftovers.filter((entry) => !remaining.includes(entry)));
  const inventory = result.inventory.filter((entry) => !gone.has(entry));
  return { ...judgePruning(judgement, removals, seconds), inventory };
}

/**
 * Deletes leftovers, which the inventory lists. The rights that the manager gave itself are deleted last, and as the
 * manager.
 */
async function pruneLeftovers(
  { facts, clients: { cluster, acting }, watched, signal }: Run,
  leftovers: readonly InventoryEntry[],
): Promise<PruneResult> {
  const owner = ownerOf(facts.revision);
  const options = { owner, watched, signal };
  const rights = leftovers.filter((entry) => isAccess(entry, owner));
  const others = leftovers.filter((entry) => !isAccess(entry, owner));
  const reader = acting === cluster ? readByList(cluster) : acting;
  const pruned = await pruneObjects(reader, others, options);
  const taken = await pruneObjects(cluster, rights, options);
  return {
    removals: [...pruned.removals, ...taken.removals],
    remaining: [...pruned.remaining, ...taken.remaining],
  };
}

/**
 * Records an event for each leftover that stays: a CRD that has custom resources, or an object that another owner has
 * by now.
 */
function reportKept({ facts: { subscription }, shared }: Run, removals: readonly Removal[]): void {
  for (const { ref, outcome, message = '' } of removals) {
    if (outcome !== 'kept' && outcome !== 'foreign') continue;
    const note = `${describeRef(ref)} is not pruned: ${message}`;
    const reason = outcome === 'kept' ? 'CustomResourcesExist' : 'Collision';
    shared.record(subscription, { type: 'Warning', reason, action: 'Prune', note });
  }
}
