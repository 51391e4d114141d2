/** Gathers the facts for a reconcile of a Revision from the caches: no request is sent. */
import { identityOf } from '../../apply/identity.ts';
import { mergeInventories, type InventoryEntry } from '../../apply/inventory.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { formatKey, type ObjectKey } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { BY_SUBSCRIPTION, subscriptionKey } from '../by-subscription.ts';
import { problemOf } from '../genuine.ts';
import { ownerUidOf } from '../owner.ts';

export interface RevisionFacts {
  readonly revision: Revision;
  /** Absent once the Subscription is gone, also if another one has taken its name. */
  readonly subscription: Subscription | undefined;
  /** The other Revisions that the manager made for the same Subscription. */
  readonly siblings: readonly Revision[];
}

/** Of a Revision whose Subscription exists. */
export type ActiveFacts = RevisionFacts & { readonly subscription: Subscription };

export interface RevisionCaches {
  readonly revisions: Pick<Informer<Revision>, 'get' | 'byIndex'>;
  readonly subscriptions: Pick<Informer<Subscription>, 'get'>;
}

/** The facts about a Revision; undefined if it is gone. */
export function observeRevision(
  { revisions, subscriptions }: RevisionCaches,
  key: ObjectKey,
): RevisionFacts | undefined {
  const revision = revisions.get(formatKey(key));
  if (revision === undefined) return undefined;
  const owner = subscriptionKey(revision);
  const uid = ownerUidOf(revision);
  const named = subscriptions.get(owner);
  const subscription = isAnother(named, uid) ? undefined : named;
  return {
    revision,
    subscription,
    siblings: revisions
      .byIndex(BY_SUBSCRIPTION, owner)
      .filter(
        (other) =>
          other.metadata.name !== revision.metadata.name &&
          ownerUidOf(other) === uid &&
          problemOf(other, subscription) === undefined,
      ),
  };
}

/** Whether the Subscription that has the name now is not the one that the Revision belongs to. */
function isAnother(subscription: Subscription | undefined, uid: string | undefined): boolean {
  return uid !== undefined && subscription !== undefined && subscription.metadata.uid !== uid;
}

/**
 * The objects that the Subscription has in the cluster: the Revision's inventory, and the further entries of earlier
 * ones. An entry that one of them may be deleting is marked as a leftover, even if another lists it unmarked.
 */
export function knownInventory({ revision, siblings }: RevisionFacts): InventoryEntry[] {
  const inherited = siblings.flatMap(({ status }) => status?.inventory ?? []);
  const marked = new Set(inherited.filter(({ leftover }) => leftover === true).map(identityOf));
  return mergeInventories(inherited, revision.status?.inventory ?? []).map((entry) =>
    marked.has(identityOf(entry)) ? { ...entry, leftover: true } : entry,
  );
}
