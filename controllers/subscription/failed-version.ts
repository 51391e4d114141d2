/** The record of a version that failed, in the status of its Subscription. Pure. */
import { findCondition, formatTime } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';

export type Quarantined = NonNullable<SubscriptionStatus['quarantined']>[number];

/** The record, from the status of the failed Revision. */
export function describeFailure({ spec, status }: Revision, now: Date): Quarantined {
  const ready = findCondition(status?.conditions, 'Ready');
  return {
    bundle: spec.bundle,
    version: spec.version,
    image: spec.image,
    reason: ready?.reason ?? 'ApplyFailed',
    message: ready?.message ?? '',
    since: formatTime(now),
  };
}
