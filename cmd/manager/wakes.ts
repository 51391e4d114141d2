/** Which objects a change of another object concerns, as keys for the queue of a controller. Pure. */
import { ANNOTATION } from '../../api/names.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import { OPERATOR_CONDITION } from '../../api/operator-condition.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { BY_SUBSCRIPTION, subscriptionKey } from '../../controllers/by-subscription.ts';
import { isNewsForSiblings, isNewsFromStatus } from '../../controllers/revision/wake.ts';
import { waitsForOthers, wokenBy } from '../../controllers/subscription/wake.ts';
import { ownKey, type ObjectKey, type WatchEventOf } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { Indexes } from '../../kube/watch/object-store.ts';

/** Our own writes to a status are no reason to look again, at a registry above all. */
export function onChangeByPeople(
  keys: (object: KubeObject) => readonly ObjectKey[],
): (object: KubeObject, event: WatchEventOf) => readonly ObjectKey[] {
  return (object, event) => {
    if (event.type !== 'updated') return keys(object);
    return isChangeByPeople(event.old, event.object) ? keys(object) : [];
  };
}

/** Whether more than the status has changed, or another object has taken the name while no watch ran. */
function isChangeByPeople({ metadata: old }: KubeObject, { metadata: next }: KubeObject): boolean {
  return (
    old.uid !== next.uid ||
    old.generation !== next.generation ||
    old.deletionTimestamp !== next.deletionTimestamp ||
    JSON.stringify([old.labels, old.annotations]) !== JSON.stringify([next.labels, next.annotations])
  );
}

const WAITING = 'waiting';

/** Finds the Subscriptions that wait for others: of a thousand, few do, and a change of any one may wake them. */
export const BY_WAITING: Indexes<Subscription> = { [WAITING]: (one) => (waitsForOthers(one) ? ['yes'] : []) };

/** Enqueues Subscriptions that wait for others when one of these changes; the informer has the index {@link BY_WAITING}. */
export function waitingFor(
  subscriptions: Pick<Informer<Subscription>, 'byIndex'>,
  event: WatchEventOf<Subscription>,
): readonly ObjectKey[] {
  return wokenBy(subscriptions.byIndex(WAITING, 'yes'), event).flatMap(ownKey);
}

export function subscriptionsIn(subscriptions: Informer<Subscription>, { metadata }: KubeObject): readonly ObjectKey[] {
  return subscriptions.list(metadata.name).flatMap(ownKey);
}

/** A Revision itself, and the others of its Subscription if the change concerns them. */
export function revisionsBeside(
  revisions: Pick<Informer<Revision>, 'byIndex'>,
  revision: Revision,
  event: WatchEventOf<Revision>,
): readonly ObjectKey[] {
  if (event.type === 'updated' && !isNewsForSiblings(event.old, event.object)) return ownKey(revision);
  return revisions.byIndex(BY_SUBSCRIPTION, subscriptionKey(revision)).flatMap(ownKey);
}

/** The Revisions of a Subscription that its change concerns. */
export function revisionsOf(
  revisions: Pick<Informer<Revision>, 'byIndex'>,
  subscription: Subscription,
  event: WatchEventOf<Subscription>,
): readonly ObjectKey[] {
  const all = revisions.byIndex(BY_SUBSCRIPTION, keyOfObject(subscription));
  if (event.type !== 'updated' || isChangeByPeople(event.old, event.object)) return all.flatMap(ownKey);
  return all.filter((one) => isNewsFromStatus(one, event.old, event.object)).flatMap(ownKey);
}

export function activeRevisions(revisions: Informer<Revision>, namespace?: string): readonly ObjectKey[] {
  return revisions
    .list(namespace)
    .filter(({ spec }) => spec.state === 'Active')
    .flatMap(ownKey);
}

export function activeRevisionOf(revisions: Informer<Revision>, object: KubeObject): readonly ObjectKey[] {
  const owner = object.metadata.annotations?.[ANNOTATION.owner];
  if (owner === undefined) return [];
  return revisions
    .byIndex(BY_SUBSCRIPTION, owner)
    .filter(({ spec }) => spec.state === 'Active')
    .flatMap(ownKey);
}

/** The Subscription whose upgrade waits for an OperatorCondition, if the object is that one. */
export function heldBy(
  subscriptions: Pick<Informer<Subscription>, 'get'>,
  { kind, metadata }: KubeObject,
): readonly ObjectKey[] {
  const owner = kind === OPERATOR_CONDITION.kind ? metadata.annotations?.[ANNOTATION.owner] : undefined;
  const subscription = owner === undefined ? undefined : subscriptions.get(owner);
  return subscription?.status?.pending?.reason === 'OperatorNotUpgradeable' ? ownKey(subscription) : [];
}
