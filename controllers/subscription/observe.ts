/** Gathers what a reconcile of a Subscription looks at, from the caches and the open indexes: no request is sent. */
import type { Catalog } from '../../api/catalog.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { formatKey, type ObjectKey } from '../../kube/controller.ts';
import type { Informer } from '../../kube/informer.ts';
import { contentOf } from '../../resolver/indexed.ts';
import type { CatalogSource, ClusterFacts } from '../../resolver/input.ts';
import { matchesSelector } from '../../resolver/selector.ts';
import type { ServerFacts } from '../cluster-facts.ts';
import type { CatalogContent } from '../catalog-content.ts';
import { BY_SUBSCRIPTION } from '../by-subscription.ts';
import { describeSurroundings, type Neighbour } from './neighbours.ts';

export interface SubscriptionCaches {
  readonly subscriptions: Pick<Informer, 'get' | 'list'>;
  readonly revisions: Pick<Informer, 'byIndex'>;
  readonly catalogs: Pick<Informer, 'list'>;
  readonly content: Pick<CatalogContent, 'get'>;
}

export interface SubscriptionFacts {
  readonly subscription: Subscription;
  /** By number, the oldest first. */
  readonly revisions: readonly Revision[];
  /** All catalogs, with whether the Subscription selects them. */
  readonly catalogs: readonly CatalogSource[];
  /** The other Subscriptions of the cluster. */
  readonly neighbours: readonly Neighbour[];
  readonly cluster: ClusterFacts;
  readonly now: Date;
}

/** What is not in the caches. */
export interface Surroundings {
  readonly server: ServerFacts;
  readonly now: Date;
}

/** The facts about a Subscription; undefined where it is gone. */
export function observeSubscription(
  caches: SubscriptionCaches,
  key: ObjectKey,
  { server, now }: Surroundings,
): SubscriptionFacts | undefined {
  const subscription = caches.subscriptions.get(formatKey(key)) as Subscription | undefined;
  if (subscription === undefined) return undefined;
  const revisions = revisionsOf(caches, subscription);
  const neighbours = (caches.subscriptions.list() as readonly Subscription[])
    .filter((other) => other !== subscription)
    .map((other) => ({ subscription: other, revisions: revisionsOf(caches, other) }));
  return {
    subscription,
    revisions,
    catalogs: listCatalogs(caches).map((catalog) => ({
      ...sourceOf(caches, catalog),
      selected: isSelected(subscription, catalog),
    })),
    neighbours,
    cluster: { ...server, ...describeSurroundings({ subscription, revisions }, neighbours) },
    now,
  };
}

/** By number, the oldest first. */
function revisionsOf({ revisions }: SubscriptionCaches, subscription: Subscription): readonly Revision[] {
  const unordered = revisions.byIndex(BY_SUBSCRIPTION, keyOfObject(subscription)) as readonly Revision[];
  return unordered.toSorted((a, b) => a.spec.number - b.spec.number);
}

function listCatalogs({ catalogs }: SubscriptionCaches): readonly Catalog[] {
  const all = catalogs.list() as readonly Catalog[];
  return all.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function isSelected({ spec }: Subscription, { metadata }: Catalog): boolean {
  return (
    (spec.catalog === undefined || metadata.name === spec.catalog) &&
    matchesSelector(spec.catalogSelector, metadata.labels)
  );
}

function sourceOf({ content }: SubscriptionCaches, { metadata, spec, status }: Catalog): CatalogSource {
  const served = content.get(metadata.name);
  const message = status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  return {
    name: metadata.name,
    priority: spec.priority,
    state: served === undefined ? 'Unavailable' : 'Serving',
    ...(served === undefined && message !== undefined && { message }),
    ...(served === undefined ? { content: () => undefined } : contentOf(served.index)),
  };
}
