/** Gathers what a reconcile of a Subscription looks at, from the caches and the open indexes: no request is sent. */
import type { Catalog } from '../../api/catalog.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { formatKey, type ObjectKey } from '../../kube/controller.ts';
import type { Informer } from '../../kube/informer.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import type { CatalogContent } from '../catalog-content.ts';
import { BY_SUBSCRIPTION } from '../by-subscription.ts';
import { matchesSelector } from './selector.ts';

export interface SubscriptionCaches {
  readonly subscriptions: Pick<Informer, 'get'>;
  readonly revisions: Pick<Informer, 'byIndex'>;
  readonly catalogs: Pick<Informer, 'list'>;
  readonly content: Pick<CatalogContent, 'get'>;
}

export interface SubscriptionFacts {
  readonly subscription: Subscription;
  /** By number, the oldest first. */
  readonly revisions: readonly Revision[];
  /** The catalogs that the Subscription selects. */
  readonly catalogs: readonly CatalogSource[];
  readonly now: Date;
}

/** The facts about a Subscription; undefined where it is gone. */
export function observeSubscription(
  caches: SubscriptionCaches,
  key: ObjectKey,
  now: Date,
): SubscriptionFacts | undefined {
  const subscription = caches.subscriptions.get(formatKey(key)) as Subscription | undefined;
  if (subscription === undefined) return undefined;
  const revisions = caches.revisions.byIndex(BY_SUBSCRIPTION, formatKey(key)) as readonly Revision[];
  return {
    subscription,
    revisions: revisions.toSorted((a, b) => a.spec.number - b.spec.number),
    catalogs: selectedCatalogs(caches, subscription).map((catalog) => sourceOf(caches, catalog)),
    now,
  };
}

function selectedCatalogs({ catalogs }: SubscriptionCaches, { spec }: Subscription): readonly Catalog[] {
  const all = catalogs.list() as readonly Catalog[];
  return all
    .filter(({ metadata }) => spec.catalog === undefined || metadata.name === spec.catalog)
    .filter(({ metadata }) => matchesSelector(spec.catalogSelector, metadata.labels))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function sourceOf({ content }: SubscriptionCaches, { metadata, spec, status }: Catalog): CatalogSource {
  const served = content.get(metadata.name);
  const message = status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  return {
    name: metadata.name,
    priority: spec.priority,
    state: served === undefined ? 'Unavailable' : 'Serving',
    ...(served === undefined && message !== undefined && { message }),
    content: (name) => served?.index.package(name),
  };
}
