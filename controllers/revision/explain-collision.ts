/**
 * Explains collisions with another Subscription that already has the same package: one sentence in place of a list of
 * objects, and advice that destroys nothing; and with one whose package has just dropped the object. Pure.
 */
import { nameSome } from '../../api/name-some.ts';
import { ANNOTATION } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Failure } from '../../apply/api-failure.ts';
import { BY_SUBSCRIPTION } from '../by-subscription.ts';
import { genuineOf } from '../genuine.ts';
import { droppedBy } from './given-up.ts';
import type { ActiveFacts, RevisionCaches } from './observe.ts';

/**
 * The failures; those that another Subscription for the same package causes come first, as one failure for each such
 * Subscription. Other users can write the owner that an object names, and could so find out which Subscriptions exist
 * elsewhere: it counts only if the other Subscription has this very object in its inventory.
 */
export function explainCollisions(
  failures: readonly Failure[],
  { revision, subscription }: Pick<ActiveFacts, 'revision' | 'subscription'>,
  caches: RevisionCaches,
): readonly Failure[] {
  const causes = new Map<Subscription, Failure[]>();
  const others: Failure[] = [];
  for (const failure of failures) {
    const holder = holderOf(failure, revision, caches);
    if (holder === undefined) others.push(withAdvice(failure, subscription, caches));
    else causes.set(holder, [...(causes.get(holder) ?? []), failure]);
  }
  return [...[...causes].map(([holder, alike]) => explain(holder, alike)), ...others];
}

/**
 * The failure; for an object that the other Subscription is about to give up, with the advice to wait, and for one whose
 * Subscription is gone, with the command that hands it over.
 */
function withAdvice(failure: Failure, subscription: Subscription, caches: RevisionCaches): Failure {
  const { holder } = failure;
  if (holder === undefined) return failure;
  if (droppedBy(holder, subscription, caches) !== undefined) {
    const hint = `Its installed version no longer brings the object. Wait until it is Ready, not suspended, and has deleted its other leftovers after its bake time: this Subscription goes on then`;
    return { ...failure, hint, untimed: true };
  }
  // To a tenant it is not said which Subscriptions exist elsewhere.
  const isAdministrators = subscription.spec.serviceAccountName === undefined;
  if (!isAdministrators || caches.subscriptions.get(holder.subscription) !== undefined) return failure;
  const adoptBy = `${ANNOTATION.adoptBy}=${keyOfObject(subscription)}`;
  return {
    ...failure,
    hint: `That Subscription does not exist any more. To take over each object that it left: kubectl annotate KIND NAME ${adoptBy}`,
  };
}

/** The Subscription for the same package that really has the object. */
function holderOf({ holder }: Failure, { spec }: Revision, caches: RevisionCaches): Subscription | undefined {
  if (holder === undefined) return undefined;
  const subscription = caches.subscriptions.get(holder.subscription);
  if (subscription?.spec.package !== spec.package) return undefined;
  const named = caches.revisions.byIndex(BY_SUBSCRIPTION, holder.subscription);
  const has = genuineOf(named, subscription).some(({ status }) =>
    status?.inventory?.some(({ uid }) => uid !== '' && uid === holder.uid),
  );
  return has ? subscription : undefined;
}

/** The most objects that the message names; `status.phases` has all of them. */
const MOST_NAMED = 3;

function explain({ metadata, spec }: Subscription, failures: readonly Failure[]): Failure {
  const key = keyOfObject({ metadata });
  const isLeaving = metadata.deletionTimestamp !== undefined;
  const objects = failures.flatMap(({ holder }) => holder?.object ?? []);
  const listed = nameSome(objects, MOST_NAMED);
  const has = isLeaving ? ', which is being removed, still has' : ' already has';
  return {
    reason: 'Collision',
    retry: 'backoff',
    message: `Subscription ${key}${has} package ${JSON.stringify(spec.package)}, and its objects stay as they are: ${listed}`,
    hint: isLeaving
      ? 'This Subscription goes on when that one is gone'
      : 'Delete this Subscription, which removes nothing of the other one, or ask for another package. How an operator moves to another Subscription is in docs/how-to/uninstall-an-operator.md',
    ...(isLeaving && { untimed: true }),
  };
}
