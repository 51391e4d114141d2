/** Finds the Revisions of a Subscription in the cache. */
import type { Revision } from '../api/revision.ts';

/** Name of the index of Revisions by {@link subscriptionKey}. */
export const BY_SUBSCRIPTION = 'subscription';

/** `<namespace>/<name>` of the Subscription that a Revision belongs to. */
export function subscriptionKey({ metadata, spec }: Revision): string {
  return `${metadata.namespace}/${spec.subscription}`;
}
