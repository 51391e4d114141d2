/** Which objects a change of another object concerns, as keys for the queue of a controller. Pure. */
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { BY_SUBSCRIPTION } from '../../controllers/by-subscription.ts';
import { wokenBy } from '../../controllers/subscription/wake.ts';
import { ownKey, type ObjectKey, type WatchEventOf } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';

/** Our own writes to a status are no reason to look again, at a registry above all. */
export function onChangeByPeople(
  keys: (object: KubeObject) => readonly ObjectKey[],
): (object: KubeObject, event: WatchEventOf) => readonly ObjectKey[] {
  return (object, event) => {
    if (event.type !== 'updated') return keys(object);
    const [old, next] = [event.old.metadata, event.object.metadata];
    const changed =
      old.generation !== next.generation ||
      old.deletionTimestamp !== next.deletionTimestamp ||
      JSON.stringify([old.labels, old.annotations]) !== JSON.stringify([next.labels, next.annotations]);
    return changed ? keys(object) : [];
  };
}

/** Enqueues Subscriptions that wait for others when one of these changes. */
export function waitingFor(
  subscriptions: Informer<Subscription>,
  event: WatchEventOf<Subscription>,
): readonly ObjectKey[] {
  return wokenBy(subscriptions.list(), event).flatMap(ownKey);
}

export function subscriptionsIn(subscriptions: Informer<Subscription>, { metadata }: KubeObject): readonly ObjectKey[] {
  return subscriptions.list(metadata.name).flatMap(ownKey);
}

export function revisionsOf(revisions: Informer<Revision>, subscription: string): readonly ObjectKey[] {
  return revisions.byIndex(BY_SUBSCRIPTION, subscription).flatMap(ownKey);
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
