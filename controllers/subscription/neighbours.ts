/**
 * The packages that other Subscriptions have installed or are about to install, for dependencies: which provide
 * something, and which need something. trust.ts decides whose needs count. Pure.
 */
import { canonicalJson } from '../../api/json.ts';
import { LABEL } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Reason } from '../../api/reasons.ts';
import { hasWorked, type Revision, activeOf } from '../../api/revision.ts';
import { failedNames } from '../../api/same-bundle.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { Property } from '../../catalog/model.ts';
import { providedKeys } from '../../resolver/dependencies/requirements.ts';
import type { ClusterFacts, InstalledPackage, UpgradeLimits } from '../../resolver/input.ts';
import { isRequirement, propertiesOf } from '../revision-properties.ts';
import { isReadyNow } from './history.ts';
import { isHiddenFrom, mayHold } from './trust.ts';

/** A Subscription with its Revisions. */
export interface Neighbour {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
}

/**
 * The packages that count for a Subscription. Of Subscriptions that may not hold it back, only the installed package
 * counts, without its needs; and not even that if one that may has the package installed too.
 */
export function describeSurroundings(
  one: Neighbour,
  neighbours: readonly Neighbour[],
): Required<Pick<ClusterFacts, 'packages' | 'coming'>> {
  const [trusted, others] = partition(neighbours, ({ subscription }) => mayHold(subscription, one.subscription));
  const isHidden = (each: Neighbour): boolean => isHiddenFrom(each.subscription, one.subscription);
  const held = [one, ...trusted].flatMap((each) => {
    const described = describePackage(each);
    if (described === undefined) return [];
    if (!isHidden(each)) return described;
    const { next: _, ...known } = described;
    return { ...known, hiddenNeeds: comingNeedsOf(each) };
  });
  const taken = new Set(held.map((each) => each.package));
  const guests = others.flatMap((each) => describeGuest(each) ?? []).filter((each) => !taken.has(each.package));
  const coming = trusted.flatMap((each) => {
    const described = describeComing(each);
    if (described === undefined) return [];
    return isHidden(each) ? { ...described, hidden: true as const } : described;
  });
  return { packages: [...held, ...guests], coming };
}

function partition<T>(all: readonly T[], is: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => (is(one) ? 'yes' : 'no'));
  return [yes, no];
}

/**
 * The package of a Subscription with its needs, for the dependencies of others; undefined if none is installed. The
 * needs of a bundle that is about to be installed count too, so that nothing it needs is removed. If it waits only for
 * its dependencies, the needs of the coming bundle replace those of the old one: a set of packages that pin each other
 * exactly moves together, while each would wait for the others if the old pins held as well.
 */
export function describePackage({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const installed = installedAmong(subscription, revisions);
  if (installed === undefined) return undefined;
  const waiting = followerOf(installed, { subscription, revisions });
  if (waiting === undefined) return describe(subscription, installed, propertiesOf(installed));
  const kept = waitsForDependencies(subscription, waiting) ? providedBy(installed) : propertiesOf(installed);
  const next = { bundle: waiting.spec.bundle, givesUp: givenUpBy(installed, waiting) };
  return { ...describe(subscription, installed, [...kept, ...requirementsIn(waiting)]), next };
}

function givenUpBy(installed: Revision, next: Revision): readonly string[] {
  return [...providedKeys(propertiesOf(installed)).difference(providedKeys(propertiesOf(next)))];
}

/** The Revision that is about to follow the installed one. */
function followerOf(installed: Revision, { subscription, revisions }: Neighbour): Revision | undefined {
  const next = revisions.findLast(({ spec }) => spec.number > installed.spec.number);
  return next !== undefined && isOnItsWay(subscription, next) ? next : undefined;
}

/** The needs of the Revision that is about to follow, without those that the installed one has too. */
function comingNeedsOf(neighbour: Neighbour): readonly Property[] {
  const installed = installedAmong(neighbour.subscription, neighbour.revisions);
  const next = installed && followerOf(installed, neighbour);
  if (installed === undefined || next === undefined) return [];
  const known = new Set(requirementsIn(installed).map((one) => canonicalJson(one)));
  return requirementsIn(next).filter((one) => !known.has(canonicalJson(one)));
}

/** Whether only dependencies keep a Revision from becoming active. */
function waitsForDependencies({ status }: Subscription, { metadata }: Revision): boolean {
  return status?.pending?.reason === 'DependencyNotReady' && status.pending.revision === metadata.name;
}

/** The installed package of a Subscription whose needs do not count, with the kinds that it provides. */
function describeGuest({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const installed = installedAmong(subscription, revisions);
  if (installed === undefined) return undefined;
  return { ...describe(subscription, installed, providedBy(installed)), dependency: false, holds: false };
}

/**
 * The package that a Subscription is about to install for the first time: its needs count, but it provides nothing yet.
 */
export function describeComing({ subscription, revisions }: Neighbour): InstalledPackage | undefined {
  const coming = revisions.at(-1);
  if (coming === undefined || subscription.status?.installed !== undefined) return undefined;
  return isOnItsWay(subscription, coming) ? describe(subscription, coming, requirementsIn(coming)) : undefined;
}

/** Whether a Revision is expected to be installed: a mere proposal holds no other back. */
export function isOnItsWay(subscription: Subscription, revision: Revision): boolean {
  const { metadata, spec } = subscription;
  const isLeaving = metadata.deletionTimestamp !== undefined || revision.metadata.deletionTimestamp !== undefined;
  const isAsAsked = revision.spec.serviceAccountName === spec.serviceAccountName;
  return isPermitted(subscription, revision) && !spec.suspend && !isLeaving && isAsAsked;
}

/** Whether neither a person nor a plan has to permit it first; by its approval, or by the reason why it waits. */
function isPermitted({ status }: Pick<Subscription, 'status'>, { metadata, spec }: Revision): boolean {
  if (spec.approved) return true;
  const { revision, reason } = status?.pending ?? {};
  return revision === metadata.name && reason !== undefined && PERMITTED.has(reason);
}

/** Reasons of a wait that ends without a person. */
export const PERMITTED: ReadonlySet<string> = new Set<Reason>(['OutsideWindow', 'DependencyNotReady', 'Progressing']);

/** Whether a Subscription was created as a dependency. */
export function isDependency({ metadata }: Subscription): boolean {
  return metadata.labels?.[LABEL.dependency] === 'true';
}

/**
 * The Revision that works. The status names it a moment later, and until then needs that it meets would seem unmet,
 * which do not count.
 */
export function installedAmong({ status }: Subscription, revisions: readonly Revision[]): Revision | undefined {
  const active = activeOf(revisions);
  if (active !== undefined && hasWorked(active) && isReadyNow(active)) return active;
  return revisions.find(({ metadata }) => metadata.name === status?.installed?.revision);
}

function providedBy(revision: Revision): readonly Property[] {
  return propertiesOf(revision).filter(({ type }) => !isRequirement(type));
}

function requirementsIn(revision: Revision): readonly Property[] {
  return propertiesOf(revision).filter(({ type }) => isRequirement(type));
}

function limitsOf({ spec, status }: Subscription, installed: Revision): UpgradeLimits {
  const { channel, version, suspend } = spec;
  return {
    suspended: suspend,
    quarantined: failedNames(status?.quarantined ?? [], installed.spec),
    ...(channel !== undefined && { channel }),
    ...(version !== undefined && { version }),
  };
}

function describe(subscription: Subscription, revision: Revision, properties: readonly Property[]): InstalledPackage {
  const { package: name, bundle, version, release, catalog, image } = revision.spec;
  return {
    package: name,
    bundle,
    version,
    catalog,
    image,
    properties,
    dependency: isDependency(subscription),
    subscription: keyOfObject(subscription),
    limits: limitsOf(subscription, revision),
    ...(release !== undefined && { release }),
  };
}
