/**
 * CRDs that move from one package to another. The new version of the first package no longer brings the CRD, which stays because
 * it has objects; the Subscription of the other package takes it up. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import { isCrd } from '../../api/crd-kind.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { activeOf, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Holder } from '../../apply/api-failure.ts';
import { claimedBy } from '../../apply/collision.ts';
import { BY_SUBSCRIPTION } from '../by-subscription.ts';
import { genuineOf } from '../genuine.ts';
import { isHealthy, isSettled } from './decide.ts';
import type { RevisionCaches } from './observe.ts';

/**
 * Whether a CRD is a leftover of the other Subscription that it names, so that this one may take it up. Until the bake time of
 * the other one is over, that one may go back to a version with the CRD.
 */
export function isGivenUp(live: KubeObject, subscription: Subscription, caches: RevisionCaches): boolean {
  const { annotations = {}, uid } = live.metadata;
  const key = claimedBy(live) ?? '';
  if (!isCrd(live) || annotations[ANNOTATION.ownerUid] !== caches.subscriptions.get(key)?.metadata.uid) return false;
  const dropper = droppedBy({ subscription: key, uid }, subscription, caches);
  return dropper !== undefined && (isSettled(dropper) || hasOtherLeftovers(dropper));
}

/** Whether it does not go back any more, and is not settled since another leftover cannot be deleted. */
function hasOtherLeftovers(dropper: Revision): boolean {
  const { reason } = findCondition(dropper.status?.conditions, 'Reconciling') ?? {};
  return isHealthy(dropper) && reason === 'DeleteBlocked';
}

/**
 * The active Revision of another Subscription that lists an object as a leftover, if both Subscriptions act with the same rights.
 * Only the manager writes an inventory, and it has the uid of the object.
 */
export function droppedBy(
  { subscription: key, uid }: Pick<Holder, 'subscription' | 'uid'>,
  subscription: Subscription,
  caches: RevisionCaches,
): Revision | undefined {
  const other = caches.subscriptions.get(key);
  if (other === undefined || !haveSameRights(other, subscription)) return undefined;
  const active = activeOf(genuineOf(caches.revisions.byIndex(BY_SUBSCRIPTION, key), other));
  const isListed = active?.status?.inventory?.some(
    (entry) => entry.leftover === true && entry.uid !== '' && entry.uid === uid,
  );
  return isListed === true ? active : undefined;
}

/** Whether both act as the manager, or as one account. */
function haveSameRights(one: Subscription, other: Subscription): boolean {
  const { serviceAccountName: account } = one.spec;
  if (account !== other.spec.serviceAccountName) return false;
  return account === undefined || one.metadata.namespace === other.metadata.namespace;
}
