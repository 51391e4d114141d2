/** Trouble in the status of a Subscription of which Ready says nothing if the installed version works. Pure. */
import { findCondition, type Condition } from './conditions.ts';
import { AT_WORK } from './reasons.ts';
import type { SubscriptionStatus } from './subscription-status.ts';

/** The condition of work in progress that names trouble: it is tried again. Waiting for a dependency is no trouble. */
export function retriedIn(status: SubscriptionStatus | undefined): Condition | undefined {
  const condition = findCondition(status?.conditions, 'Reconciling');
  if (condition === undefined || AT_WORK.has(condition.reason)) return undefined;
  const isWait = condition.reason === 'DependencyNotReady' && status?.pending?.reason === condition.reason;
  return isWait ? undefined : condition;
}

/** The condition of an upgrade that cannot be begun and is not tried again by itself: nothing of it was applied. */
export function refusedUpgradeIn(status: SubscriptionStatus | undefined): Condition | undefined {
  const failed = findCondition(status?.conditions, 'UpgradeFailed');
  return failed?.reason === findCondition(status?.conditions, 'UpgradeAvailable')?.reason ? failed : undefined;
}
