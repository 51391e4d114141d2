/**
 * The inputs of a plan that are in our own objects, as a hash: a plan that was made for others is made again before an
 * upgrade goes on. The approval counts, so that it is compared with a plan from facts of that moment. Pure; the
 * controller of plans writes the hash, that of Subscriptions compares it.
 */
import { ANNOTATION } from '../api/names.ts';
import type { Revision } from '../api/revision.ts';
import type { Subscription } from '../api/subscription.ts';
import { hashFields } from './config-hash.ts';
import type { PolicyInForce } from './upgrade-policy.ts';

export interface PlannedChange {
  readonly subscription: Subscription;
  /** The Revision whose objects are in the cluster; absent for a first installation. */
  readonly active: Revision | undefined;
  /** The Revision that comes next. */
  readonly next: Revision;
  readonly policy: PolicyInForce | undefined;
}

/** 32 hex digits. */
export function planInputs({ subscription, active, next, policy }: PlannedChange): string {
  const { crdUpgradeSafety, approve, serviceAccountName } = subscription.spec;
  return hashFields({
    format: 1,
    active: active?.metadata.uid,
    next: next.metadata.uid,
    crdUpgradeSafety,
    approve,
    serviceAccountName,
    policy,
    requested: subscription.metadata.annotations?.[ANNOTATION.reconcileRequestedAt],
  });
}
