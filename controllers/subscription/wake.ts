/** Which other Subscriptions a change of one concerns: those that wait for something to come or to go. Pure. */
import { findCondition } from '../../api/conditions.ts';
import type { Subscription, SubscriptionStatus } from '../../api/subscription.ts';
import type { Cause, Decision } from '../../resolver/decision.ts';

/** @param before Absent where it is new. @param after Absent where it is gone. */
export function isNews(before: Subscription | undefined, after: Subscription | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return (
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    before.status?.installed?.revision !== after.status?.installed?.revision ||
    before.status?.pending?.reason !== after.status?.pending?.reason
  );
}

/** Whether a Subscription's decision can depend on what others have installed. */
export function waitsForOthers({ metadata, status }: Subscription): boolean {
  const heldBack = status?.refused?.some(({ reason }) => reason === 'DependencyNotReady') === true;
  return metadata.deletionTimestamp !== undefined || heldBack || lacksSomething(status);
}

/** Whether a bundle would be chosen in another cluster: with other packages, kinds or versions in it. */
export function isHeldBack({ refused }: Decision): boolean {
  return refused.some(({ cause }) => CLUSTER_CAUSES.has(cause.kind));
}

const CLUSTER_CAUSES: ReadonlySet<Cause['kind']> = new Set(['dependency', 'kubernetesTooOld', 'openShiftTooNew']);

/** Whether a Subscription waits for something that may come without our seeing it, such as another operator's kinds. */
export function lacksSomething(status: SubscriptionStatus | undefined): boolean {
  return (
    status?.pending?.reason === 'DependencyNotReady' ||
    findCondition(status?.conditions, 'Stalled')?.reason === 'ResolutionFailed'
  );
}
