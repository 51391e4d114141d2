/** The versions of a Subscription that failed and are not tried again. Pure. */
import { haveSameBundle } from '../api/same-bundle.ts';
import type { SubscriptionStatus } from '../api/subscription-status.ts';

type QuarantinedVersion = NonNullable<SubscriptionStatus['quarantined']>[number];

/**
 * The failures that speak for the version that they name. If the installed bundle was published again and the new content failed,
 * the entry has the name of a version that works: only its image distinguishes the two.
 */
export function failuresOf({ installed, quarantined = [] }: SubscriptionStatus): readonly QuarantinedVersion[] {
  return quarantined.filter((one) => one.bundle !== installed?.bundle || haveSameBundle(one, installed));
}
