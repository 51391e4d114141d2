/** The last step of a healthy Revision: deletes what only earlier Revisions had, once the bake time is over. */
import type { InventoryEntry } from '../../../apply/inventory.ts';
import { pruneObjects, type PruneResult } from '../../../apply/prune.ts';
import { readByList } from '../../../apply/read-by-list.ts';
import type { Removal } from '../../../apply/remove.ts';
import { describeRef } from '../../../api/object.ts';
import { ownerOf } from '../../prepare-for.ts';
import { judgeApply, judgePruning } from '../judge-apply.ts';
import type { Judgement } from '../judgement.ts';
import { isAccess } from '../own-kinds/access.ts';
import { resultOf, type Run } from '../run.ts';
import { bakeSecondsLeft } from '../schedule.ts';

/** Adds `inventory` and `unpruned` if it prunes; ends the run. */
export async function prune(run: Run): Promise<Judgement> {
  const judgement = judgeApply(resultOf(run, 'applied'));
  const leftovers = resultOf(run, 'leftovers');
  if (leftovers.length === 0) return judgement;
  const { status } = resultOf(run, 'revision');
  if (bakeSecondsLeft(status, run.facts.subscription.spec.onFailure, run.now()) > 0)
    return { ...judgement, unfinished: 'What only earlier revisions had is removed after the bake time' };
  const { remaining, removals } = await pruneLeftovers(run, leftovers);
  reportKept(run, removals);
  run.memory.prunedSince ??= run.now();
  const seconds = (run.now().getTime() - run.memory.prunedSince.getTime()) / 1000;
  const { unpruned, judgement: pruned } = judgePruning(judgement, removals, seconds);
  const gone = new Set(leftovers.filter((entry) => !remaining.includes(entry)));
  run.results.inventory = resultOf(run, 'applied').inventory.filter((entry) => !gone.has(entry));
  if (unpruned !== undefined) run.results.unpruned = unpruned;
  return pruned;
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
  const [rights, others] = [true, false].map((given) => leftovers.filter((entry) => isAccess(entry, owner) === given));
  const reader = acting === cluster ? readByList(cluster) : acting;
  const pruned = await pruneObjects(reader, others ?? [], options);
  const taken = await pruneObjects(cluster, rights ?? [], options);
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
