/** When a roll-out has failed: the decision that a rollback begins with. Pure. */
import { findCondition } from '../../api/conditions.ts';
import { parseDuration } from '../../api/duration.ts';
import { activeOf, hasWorked, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { BAKE_TIME_BOUNDS } from '../../api/subscription-spec.ts';
import { currentConditions, isStalledNow } from './history.ts';

export interface FailureFacts {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
  /** Since when the manager has watched without a break: whether a version has stayed unhealthy before, it does not know. */
  readonly attendedSince?: Date | undefined;
}

/**
 * The active Revision, if it has failed: it never became healthy and is not tried again, or it became unhealthy within
 * its bake time and stayed so. Later trouble is not the version's fault.
 */
export function failedOf(facts: FailureFacts, now: Date): Revision | undefined {
  const active = activeOf(facts.revisions);
  if (active === undefined) return undefined;
  if (hasWorked(active)) return (failsAtOf(facts) ?? NEVER) <= now ? active : undefined;
  return isStalledNow(active) ? active : undefined;
}

const NEVER = new Date(8.64e15);

/**
 * How long a version that worked may be unhealthy without having failed, as while its node is drained. A short bake time is
 * about the first moments, in which a program that crashes and is restarted would be healthy again too soon.
 */
const GRACE = { seconds: 30, ifBakeSecondsAbove: 60 };

/**
 * When the active Revision has failed that worked: at the end of the grace, if it became unhealthy within its bake time.
 * The moment at which it became unhealthy decides, so that the grace loses no rollback. Undefined if it has not failed.
 */
export function failsAtOf({ subscription: { spec }, revisions, attendedSince }: FailureFacts): Date | undefined {
  const active = activeOf(revisions);
  const { firstReadyTime } = active?.status ?? {};
  if (active === undefined || firstReadyTime === undefined) return undefined;
  const since = unhealthySince(active);
  if (since === undefined) return undefined;
  const bakeSeconds = parseDuration(spec.onFailure.bakeTime, BAKE_TIME_BOUNDS);
  if (since - Date.parse(firstReadyTime) >= bakeSeconds * 1000) return undefined;
  const graceSeconds = isStalledNow(active) || bakeSeconds <= GRACE.ifBakeSecondsAbove ? 0 : GRACE.seconds;
  return new Date(Math.max(since, seenSince(active), attendedSince?.getTime() ?? 0) + graceSeconds * 1000);
}

/** When the manager began to work on it: after a suspension it may be unready for longer. 0 if it does not. */
function seenSince(active: Revision): number {
  const work = findCondition(currentConditions(active), 'Reconciling');
  return work === undefined ? 0 : Date.parse(work.lastTransitionTime);
}

/** Since when a Revision is unhealthy. Undefined if it is healthy. One that is made active again counts from then. */
function unhealthySince(active: Revision): number | undefined {
  const conditions = currentConditions(active);
  const ready = findCondition(conditions, 'Ready');
  if (ready?.reason !== 'WorkloadUnhealthy') return undefined;
  const since = Date.parse(ready.lastTransitionTime);
  const wasHealthy = !(since <= Date.parse(active.status?.lastActiveTime ?? ''));
  const work = findCondition(conditions, 'Reconciling') ?? findCondition(conditions, 'Stalled');
  return wasHealthy || work === undefined ? since : Date.parse(work.lastTransitionTime);
}
