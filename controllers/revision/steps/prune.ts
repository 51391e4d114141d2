/** The last step of a healthy Revision: deletes what only earlier Revisions had, once the bake time is over. */
import type { InventoryEntry } from '../../../apply/inventory.ts';
import type { PruneResult } from '../../../apply/prune.ts';
import { readByList } from '../../../apply/read-by-list.ts';
import type { Removal } from '../../../apply/remove.ts';
import { describeRef } from '../../../api/object.ts';
import { ownerOf } from '../../prepare-for.ts';
import { accountOf } from '../account.ts';
import { judgeApply, judgePruning, type JudgedPruning } from '../judge-apply.ts';
import { managersOwn } from '../managers-own.ts';
import { pruneAsEach } from '../prune-as-each.ts';
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
    const unfinished =
      'Leftovers of earlier Revisions are pruned once this Revision has been healthy for spec.onFailure.bakeTime';
    return { judgement: { ...judgement, unfinished } };
  }
  const { remaining, removals } = await pruneLeftovers(run, leftovers, result.inventory);
  reportKept(run, removals);
  run.memory.prunedSince ??= run.now();
  const seconds = (run.now().getTime() - run.memory.prunedSince.getTime()) / 1000;
  const gone = new Set(leftovers.filter((entry) => !remaining.includes(entry)));
  const inventory = result.inventory.filter((entry) => !gone.has(entry));
  return { ...judgePruning(judgement, removals, seconds), inventory };
}

/** Deletes leftovers, which the inventory lists. */
async function pruneLeftovers(
  { facts, clients: { cluster, acting }, watched, signal }: Run,
  leftovers: readonly InventoryEntry[],
  inventory: readonly InventoryEntry[],
): Promise<PruneResult> {
  const options = { owner: ownerOf(facts.revision), watched, namedIn: accountOf(facts)?.namespace, signal };
  const clients = { manager: readByList(cluster), acting };
  return pruneAsEach(clients, leftovers, { ...options, isOwn: managersOwn(facts, inventory) });
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
