/** Gathers the facts for a reconcile of a Subscription from the caches and the open indexes: no request is sent. */
import type { Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import { MAX_REVISION_NUMBER, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { UpgradePolicy } from '../../api/upgrade-policy.ts';
import { formatKey, type ObjectKey } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { whyNotAllowed } from '../../resolver/allowed.ts';
import { contentOf } from '../../resolver/indexed.ts';
import type { CatalogSource, ClusterFacts } from '../../resolver/input.ts';
import { matchesSelector } from '../../resolver/selector.ts';
import type { ServerFacts } from '../cluster-facts.ts';
import type { CatalogContent } from '../catalog-content.ts';
import { BY_SUBSCRIPTION } from '../by-subscription.ts';
import { genuineOf, revisionName } from '../genuine.ts';
import { policyInForce, type PolicyInForce } from '../upgrade-policy.ts';
import { whyEmpty } from './for-readers.ts';
import { describeSurroundings, type Neighbour } from './neighbours.ts';
import { planWays } from './ways.ts';

export interface SubscriptionCaches {
  readonly subscriptions: Pick<Informer<Subscription>, 'get' | 'list'>;
  readonly revisions: Pick<Informer<Revision>, 'get' | 'byIndex'>;
  readonly catalogs: Pick<Informer<Catalog>, 'list'>;
  readonly content: Pick<CatalogContent, 'get'>;
  /** All namespaces with their labels, which decide the Catalogs that may be used in them. */
  readonly namespaces: Pick<Informer, 'get'>;
}

export interface SubscriptionFacts {
  readonly subscription: Subscription;
  /** The Revisions that the manager made for it, by number, the oldest first. */
  readonly revisions: readonly Revision[];
  /** The number of its next Revision: neither it nor the name with it was ever taken; Revisions made by hand count too. */
  readonly nextNumber: number;
  /**
   * All catalogs that may be used in the namespace, with whether the Subscription selects them. Of the others only
   * those that the Subscription names or has installed from: they are reported, but not read, and advice does not name
   * them.
   */
  readonly catalogs: readonly CatalogSource[];
  /** The other Subscriptions of the cluster. */
  readonly neighbours: readonly Neighbour[];
  readonly cluster: ClusterFacts;
  /** The upgrade policy that is in force; absent if there is none. */
  readonly policy?: PolicyInForce | undefined;
  /** Of the installed operator, as read when an upgrade is due; absent if there is none, or it was not read. */
  readonly operatorCondition?: KubeObject | undefined;
  /** Since when the manager has watched without a break; by default for long. */
  readonly attendedSince?: Date | undefined;
  readonly now: Date;
}

/** Facts that are not in the caches. */
export interface Surroundings {
  readonly server: ServerFacts;
  /** The upgrade policy of the manager. */
  readonly upgradePolicy?: UpgradePolicy | undefined;
  readonly attendedSince?: Date | undefined;
  readonly now: Date;
}

/** The facts about a Subscription; undefined if it is gone. */
export function observeSubscription(
  caches: SubscriptionCaches,
  key: ObjectKey,
  { server, upgradePolicy, attendedSince, now }: Surroundings,
): SubscriptionFacts | undefined {
  const subscription = caches.subscriptions.get(formatKey(key));
  if (subscription === undefined) return undefined;
  const revisions = revisionsOf(caches, subscription);
  const one = { subscription, revisions };
  const neighbours = caches.subscriptions
    .list()
    .filter((other) => other !== subscription)
    .map((other) => ({ subscription: other, revisions: revisionsOf(caches, other) }));
  return {
    subscription,
    revisions,
    nextNumber: nextNumberOf(caches, subscription, revisions),
    catalogs: catalogsFor(caches, subscription),
    neighbours,
    cluster: {
      ...server,
      ...describeSurroundings(one, neighbours),
      ways: planWays({
        one,
        neighbours,
        server,
        catalogsOf: (other) => catalogsFor(caches, other),
        attendedSince,
        now,
      }),
    },
    policy: policyInForce(subscription, caches.namespaces.get(key.namespace ?? ''), upgradePolicy),
    attendedSince,
    now,
  };
}

/** By number, the oldest first. Only Revisions that the manager made for this very Subscription. */
function revisionsOf(caches: SubscriptionCaches, subscription: Subscription): readonly Revision[] {
  const genuine = genuineOf(namedBy(caches, subscription), subscription);
  return genuine.toSorted((a, b) => a.spec.number - b.spec.number);
}

/** All Revisions that name it, also those that a person made or that belong to an earlier Subscription of the name. */
function namedBy({ revisions }: SubscriptionCaches, subscription: Subscription): readonly Revision[] {
  return revisions.byIndex(BY_SUBSCRIPTION, keyOfObject(subscription));
}

function nextNumberOf(caches: SubscriptionCaches, subscription: Subscription, genuine: readonly Revision[]): number {
  const taken = new Set(namedBy(caches, subscription).map(({ spec }) => spec.number));
  const { namespace, name } = subscription.metadata;
  const isTaken = (number: number): boolean =>
    taken.has(number) || caches.revisions.get(`${namespace}/${revisionName(name, number)}`) !== undefined;
  // A name that was deleted is not given again: a command that approves it may have been copied.
  let number = 1 + Math.max(genuine.at(-1)?.spec.number ?? 0, lastNumberOf(subscription));
  while (isTaken(number)) number += 1;
  return number;
}

/** 0 for a number that no further one could follow: a status may be written by others. */
function lastNumberOf({ status }: Subscription): number {
  const { lastNumber = 0 } = status ?? {};
  return Number.isInteger(lastNumber) && lastNumber >= 0 && lastNumber < MAX_REVISION_NUMBER ? lastNumber : 0;
}

function catalogsFor(caches: SubscriptionCaches, subscription: Subscription): readonly CatalogSource[] {
  return listCatalogs(caches).flatMap((catalog) => {
    const source = visibleSource(caches, subscription, catalog);
    return source === undefined ? [] : [{ ...source, selected: isSelected(subscription, catalog) }];
  });
}

function listCatalogs({ catalogs }: SubscriptionCaches): readonly Catalog[] {
  const all = catalogs.list();
  return all.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function isSelected({ spec }: Subscription, { metadata }: Catalog): boolean {
  return (
    (spec.catalog === undefined || metadata.name === spec.catalog) &&
    matchesSelector(spec.catalogSelector, metadata.labels)
  );
}

/** A Catalog as the Subscription sees it; undefined if it may not be used and the Subscription does not refer to it. */
function visibleSource(
  caches: SubscriptionCaches,
  subscription: Subscription,
  catalog: Catalog,
): CatalogSource | undefined {
  const { metadata, spec, status } = subscription;
  const name = metadata.namespace ?? '';
  const message = whyNotAllowed(catalog, { name, labels: caches.namespaces.get(name)?.metadata.labels });
  if (message === undefined) return sourceOf(caches, subscription, catalog);
  const isKnown = [spec.catalog, status?.installed?.catalog].includes(catalog.metadata.name);
  const { priority } = catalog.spec;
  return isKnown
    ? { name: catalog.metadata.name, priority, state: 'NotAllowed', message, content: () => undefined }
    : undefined;
}

function sourceOf({ content }: SubscriptionCaches, subscription: Subscription, catalog: Catalog): CatalogSource {
  const { metadata, spec, status } = catalog;
  const served = content.get(metadata.name);
  const ready = findCondition(status?.conditions, 'Ready');
  const message = whyEmpty(subscription, catalog);
  // If the spec was changed since, the Catalog is about to be tried again.
  const unreadable = ready?.status === 'False' && ready.observedGeneration === metadata.generation;
  return {
    name: metadata.name,
    priority: spec.priority,
    state: served === undefined ? 'Unavailable' : 'Serving',
    ...(served === undefined && message !== undefined && { message }),
    ...(served === undefined && unreadable && { unreadable }),
    ...(served === undefined ? { content: () => undefined } : contentOf(served.index)),
  };
}
