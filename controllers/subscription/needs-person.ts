/** Whether a Subscription goes on without a person, as its spec and its status say: others wait for it. Pure. */
import { findCondition } from '../../api/conditions.ts';
import { WAITS_FOR_APPROVAL } from '../../api/reasons.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { refusedUpgradeIn } from '../../api/trouble.ts';

/** The reason for which nothing more happens before a person acts; undefined if it goes on, or has nothing to do. */
export function needsPerson({ spec, status }: Pick<Subscription, 'spec' | 'status'>): string | undefined {
  if (spec.suspend) return 'Suspended';
  const stalled = findCondition(status?.conditions, 'Stalled')?.reason;
  const reason = status?.pending?.reason ?? '';
  return stalled ?? (WAITS_FOR_APPROVAL.has(reason) ? reason : refusedIn(status));
}

/** Why its next version cannot be begun; while it works on another one, that one may serve. */
function refusedIn(status: SubscriptionStatus | undefined): string | undefined {
  const isAtWork = findCondition(status?.conditions, 'Reconciling') !== undefined;
  return isAtWork ? undefined : refusedUpgradeIn(status)?.reason;
}
