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
  return stalled ?? (WAITS_FOR_APPROVAL.has(reason) ? reason : atRestFor(status));
}

/**
 * Why its next version does not come: it is refused, or a dependency of it needs a person. While it works on another one, that one
 * may serve.
 */
function atRestFor(status: SubscriptionStatus | undefined): string | undefined {
  if (findCondition(status?.conditions, 'Reconciling') !== undefined) return undefined;
  const isHeld = status?.installed !== undefined && status.pending?.reason === 'DependencyNotReady';
  return isHeld ? 'DependencyNotReady' : refusedUpgradeIn(status)?.reason;
}
