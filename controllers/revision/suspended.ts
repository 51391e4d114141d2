/** The status of an active Revision whose Subscription is suspended. Pure. */
import { findCondition, isReason } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { BAKE_TIME_BOUNDS } from '../../api/subscription-spec.ts';
import { isHealthy } from './decide.ts';
import type { Judgement } from './judgement.ts';
import { bakeSecondsLeft } from './schedule.ts';

/**
 * As ready as it was, with the work that was left: a suspension takes nothing from an operator that works. Within the bake time it is
 * unready: no program checks its health meanwhile, so that it still has to prove itself.
 */
export function judgeSuspended(revision: Revision, { spec }: Pick<Subscription, 'spec'>, now: Date): Judgement {
  const reason = 'Suspended';
  const message = `Subscription ${revision.spec.subscription} is suspended: the manager neither applies nor repairs the objects until its spec.suspend is false`;
  const left = findCondition(revision.status?.conditions, 'Reconciling');
  if (!isHealthy(revision) || isBaking(revision, { spec }, now)) return { state: 'Resting', reason, message };
  return {
    state: 'Ready',
    reason,
    message,
    ...(left !== undefined && { unfinished: left.message }),
    ...(left !== undefined && isReason(left.reason) && { unfinishedReason: left.reason }),
  };
}

/** One that has proved itself, and has no leftovers, bakes no longer, although it may have been unready since. */
function isBaking({ status }: Revision, { spec }: Pick<Subscription, 'spec'>, now: Date): boolean {
  const worked = now.getTime() - Date.parse(status?.firstReadyTime ?? '');
  const isProven = worked >= parseDuration(spec.onFailure.bakeTime, BAKE_TIME_BOUNDS) * 1000;
  const hasLeftovers = findCondition(status?.conditions, 'Reconciling') !== undefined;
  return !(isProven && !hasLeftovers) && bakeSecondsLeft(status, spec.onFailure, now) > 0;
}
