/**
 * Says of collisions with the objects of another Subscription that this one already has the package: one sentence in place
 * of a list of objects, and advice that destroys nothing. Pure.
 */
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Failure } from '../../apply/api-failure.ts';
import { BY_SUBSCRIPTION } from '../by-subscription.ts';
import { genuineOf } from '../genuine.ts';
import type { RevisionCaches, RevisionFacts } from './observe.ts';

/**
 * The failures, with those first and as one that another Subscription for the same package is the cause of. What an object
 * says of its owner can be written by others, and would let them ask which Subscriptions there are elsewhere: it counts only
 * if the other one has this very object in its inventory.
 */
export function explainCollisions(
  failures: readonly Failure[],
  { revision }: Pick<RevisionFacts, 'revision'>,
  caches: RevisionCaches,
): readonly Failure[] {
  const causes = new Map<Subscription, Failure[]>();
  const others: Failure[] = [];
  for (const failure of failures) {
    const holder = holderOf(failure, revision, caches);
    if (holder === undefined) others.push(failure);
    else causes.set(holder, [...(causes.get(holder) ?? []), failure]);
  }
  return [...[...causes].map(([holder, alike]) => explain(holder, alike)), ...others];
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

/** Objects that are named; all of them are in `status.phases`. */
const MOST_NAMED = 3;

function explain({ metadata, spec }: Subscription, failures: readonly Failure[]): Failure {
  const key = keyOfObject({ metadata });
  const isLeaving = metadata.deletionTimestamp !== undefined;
  const objects = failures.flatMap(({ holder }) => holder?.object ?? []);
  const more = objects.length - MOST_NAMED;
  const listed = `${objects.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const has = isLeaving ? ', which is being removed, still has' : ' already has';
  return {
    reason: 'Collision',
    retry: 'backoff',
    message: `Subscription ${key}${has} package ${JSON.stringify(spec.package)}, and its objects stay as they are: ${listed}`,
    hint: isLeaving
      ? 'This Subscription goes on when that one is gone'
      : 'Delete this Subscription, which removes nothing of the other one, or ask for another package. How an operator moves to another Subscription is in docs/how-to/remove-an-operator.md',
  };
}
