/**
 * What the other Subscriptions have installed or are about to install, as far as dependencies go: who provides what,
 * and who needs what. Whose needs count is decided in trust.ts. Pure.
 */
import { LABEL } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Property } from '../../catalog/model.ts';
import type { ClusterFacts, InstalledPackage } from '../../resolver/input.ts';
import { isRequirement, propertiesOf } from '../revision-properties.ts';
import { mayHold } from './trust.ts';

/** A Subscription with its Revisions. */
export interface Neighbour {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
}

/**
 * What a Subscription has to reckon with. Of those that may not hold it, only what they have installed counts, without
 * what that needs; and if a package is installed by one that may, not even that.
 */
export function describeSurroundings(
  one: Neighbour,
  neighbours: readonly Neighbour[],
): Required<Pick<ClusterFacts, 'packages' | 'coming'>> {
  const [trusted, others] = partition(neighbours, ({ subscription }) => mayHold(subscription, one.subscription));
  const held = [one, ...trusted].flatMap((each) => describePackage(each) ?? []);
  const taken = new Set(held.map((each) => each.package));
  const guests = others.flatMap((each) => describeGuest(each) ?? []).filter((each) => !taken.has(each.package));
  return { packages: [...held, ...guests], coming: trusted.flatMap((each) => describeComing(each) ?? []) };
}

function partition<T>(all: readonly T[], is: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => (is(one) ? 'yes' : 'no'));
  return [yes, no];
}

/**
 * What a Subscription has to do with the dependencies of others; undefined if it has nothing installed. What is about
 * to be installed counts for what it needs, so that nothing it needs is taken away. If it waits for nothing but what it
 * depends on, only the needs of the coming bundle count: a set of packages that pin each other exactly moves together,
 * while each waits for the others if the old pins hold as well.
 */
export function describePackage({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const installed = installedAmong(subscription, revisions);
  if (installed === undefined) return undefined;
  const waiting = revisions.findLast(({ spec }) => spec.number > installed.spec.number);
  if (waiting === undefined || !isOnItsWay(subscription, waiting))
    return describe(subscription, installed, propertiesOf(installed));
  const kept = waitsForDependencies(subscription, waiting) ? providedBy(installed) : propertiesOf(installed);
  return describe(subscription, installed, [...kept, ...requirementsIn(waiting)]);
}

/** Whether nothing but its dependencies keeps a Revision from becoming active. */
function waitsForDependencies({ status }: Subscription, { metadata }: Revision): boolean {
  return status?.pending?.reason === 'DependencyNotReady' && status.pending.revision === metadata.name;
}

/** What a Subscription without a say has installed, with what that provides. */
function describeGuest({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const installed = installedAmong(subscription, revisions);
  if (installed === undefined) return undefined;
  return { ...describe(subscription, installed, providedBy(installed)), dependency: false, holds: false };
}

/** What a Subscription is about to install for the first time: it needs what it needs, and provides nothing yet. */
export function describeComing({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const coming = revisions.at(-1);
  if (coming === undefined || subscription.status?.installed !== undefined) return undefined;
  return isOnItsWay(subscription, coming) ? describe(subscription, coming, requirementsIn(coming)) : undefined;
}

/** Whether a Revision will be installed unless something unforeseen happens: what is only proposed holds no other. */
function isOnItsWay({ metadata, spec }: Subscription, revision: Revision): boolean {
  const isLeaving = metadata.deletionTimestamp !== undefined || revision.metadata.deletionTimestamp !== undefined;
  const isAsAsked = revision.spec.serviceAccountName === spec.serviceAccountName;
  return revision.spec.approved && !spec.suspend && !isLeaving && isAsAsked;
}

/** Whether a Subscription was made for those that depend on its package. */
export function isDependency({ metadata }: Subscription): boolean {
  return metadata.labels?.[LABEL.dependency] === 'true';
}

function installedAmong({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  return revisions.find(({ metadata }) => metadata.name === status?.installed?.revision);
}

function providedBy(revision: Revision): readonly Property[] {
  return propertiesOf(revision).filter(({ type }) => !isRequirement(type));
}

function requirementsIn(revision: Revision): readonly Property[] {
  return propertiesOf(revision).filter(({ type }) => isRequirement(type));
}

function describe(subscription: Subscription, { spec }: Revision, properties: readonly Property[]): InstalledPackage {
  const { package: name, bundle, version, release, catalog, image } = spec;
  return {
    package: name,
    bundle,
    version,
    catalog,
    image,
    properties,
    dependency: isDependency(subscription),
    subscription: keyOfObject(subscription),
    ...(release !== undefined && { release }),
  };
}
