/** The request of a person for a reconcile, as the status repeats it. Pure. */
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import type { Subscription } from '../api/subscription.ts';

/** As long as `status.lastHandledReconcileAt` may be; see api/conditions.ts. */
const LONGEST = 256;

/** The value of the annotation, cut: a longer one would never equal the one that was handled. */
export function requestOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[ANNOTATION.reconcileRequestedAt]?.slice(0, LONGEST);
}

/** Whether a person requests a reconcile that was not carried out yet; a request that is withdrawn is none. */
export function isReconcileRequested(subscription: Subscription): boolean {
  const requested = requestOf(subscription);
  return requested !== undefined && requested !== subscription.status?.lastHandledReconcileAt;
}
