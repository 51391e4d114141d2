/** What becomes of the dependencies that a Subscription has requested when it is uninstalled. */
import type { Cluster } from '../../api/cluster.ts';
import { ANNOTATION } from '../../api/names.ts';
import { keyOfObject, refOf } from '../../api/object.ts';
import { leavesObjects, type Subscription } from '../../api/subscription.ts';
import { findUnneeded } from '../../resolver/dependencies/removal.ts';
import type { RecordEvent } from '../events.ts';
import { nameSome } from '../../apply/name-some.ts';
import { asSeen } from '../preconditions.ts';
import { describeComing, describePackage, isDependency } from './neighbours.ts';
import type { SubscriptionFacts } from './observe.ts';
import { mayHold } from './trust.ts';

export interface DependencyDeps {
  readonly cluster: Pick<Cluster, 'delete'>;
  readonly record: RecordEvent;
}

/** Deletes those that go too, with an event about both. Throws the errors of the client. */
export async function deleteDependencies(deps: DependencyDeps, facts: SubscriptionFacts): Promise<void> {
  await Promise.all(dependenciesToDelete(facts).map((one) => deleteDependency(deps, facts.subscription, one)));
}

async function deleteDependency(
  { cluster, record }: DependencyDeps,
  subscription: Subscription,
  dependency: Subscription,
): Promise<void> {
  await cluster.delete(refOf(dependency), asSeen(dependency));
  const about = { type: 'Normal', reason: 'Uninstalling', action: 'Remove' } as const;
  const [own, other] = [subscription, dependency].map(keyOfObject);
  record(subscription, {
    ...about,
    note: `Subscription ${other} is deleted too, as spec.uninstall.dependencies is Delete`,
  });
  record(dependency, { ...about, note: `Deleted with Subscription ${own}, for which it was created` });
}

/**
 * Subscriptions that this very one requested, for this or an earlier version, if the spec says that they are deleted
 * with it and no other Subscription that counts needs them. One without the requester's uid was made by an earlier
 * release, or by a person: it stays.
 */
export function dependenciesToDelete(facts: SubscriptionFacts): readonly Subscription[] {
  const { subscription } = facts;
  if (subscription.spec.uninstall.dependencies !== 'Delete' || leavesObjects(subscription)) return [];
  const staying = facts.neighbours
    .filter(({ subscription: other }) => !isBeingDeleted(other) && mayHold(other, facts.subscription))
    .flatMap((one) => describePackage(one) ?? describeComing(one) ?? []);
  const unneeded = new Set(findUnneeded(staying).map((one) => one.subscription));
  const needed = new Set(staying.map((one) => one.subscription).filter((key) => !unneeded.has(key)));
  return facts.neighbours
    .map((one) => one.subscription)
    .filter((one) => isDependency(one) && !isBeingDeleted(one) && !needed.has(keyOfObject(one)))
    .filter((one) => isRequestedBy(one, facts.subscription));
}

/** Whether one Subscription was made by another as its dependency, and still acts as the same account beside it. */
function isRequestedBy({ metadata, spec }: Subscription, requester: Subscription): boolean {
  const { uid, namespace } = requester.metadata;
  return (
    uid !== undefined &&
    metadata.annotations?.[ANNOTATION.requestedBy] === uid &&
    metadata.namespace === namespace &&
    spec.serviceAccountName === requester.spec.serviceAccountName
  );
}

/** The dependencies that it had requested: they outlive it, unless its spec asks to delete them. */
export function describeStaying({ subscription, neighbours }: SubscriptionFacts): string {
  const others = neighbours.map((one) => one.subscription);
  const staying = others.filter((one) => !isBeingDeleted(one) && isRequestedBy(one, subscription)).map(keyOfObject);
  return staying.length === 0 ? '' : `; its dependencies stay: ${nameSome(staying, MOST_NAMED)}`;
}

const MOST_NAMED = 5;

export function isBeingDeleted({ metadata }: Subscription): boolean {
  return metadata.deletionTimestamp !== undefined;
}
