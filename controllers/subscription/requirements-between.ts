/** Which Subscriptions need the package of which, as far as their Revisions say. Pure. */
import { ANNOTATION } from '../../api/names.ts';
import { keyOfObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { directRequirements } from '../../resolver/dependencies/coming.ts';
import { hasRequirements, kindKey, providedKeys, type Requirement } from '../../resolver/dependencies/requirements.ts';
import { serves } from '../../resolver/dependencies/serves.ts';
import { propertiesOf } from '../revision-properties.ts';
import { installedAmong, isDependency, type Neighbour } from './neighbours.ts';
import { mayHold } from './trust.ts';

/**
 * The Subscriptions whose upgrades a package waits for: those that need it and may hold it back. Of two that need each
 * other only one leads: the one that a person requested, else the first by name. Otherwise each would wait for the other.
 */
export function leadersOf(one: Neighbour, neighbours: readonly Neighbour[]): readonly Neighbour[] {
  const trusted = neighbours.filter(({ subscription }) => mayHold(subscription, one.subscription));
  const dependents = trusted.filter((other) => isNeededBy(other, one));
  if (dependents.length === 0) return [];
  const needed = neededBy(one, trusted);
  return dependents.filter((other) => !needed.has(other) || precedes(other, one));
}

/**
 * The Subscriptions that wait for each other and for this one, if it is installed before them: a dependency goes before one that
 * a person requested, else the first by name. Otherwise all of them would wait for ever. Empty if another one goes first.
 *
 * @param waiting Those that wait for a dependency.
 */
export function followersOf(one: Neighbour, waiting: readonly Neighbour[]): readonly Neighbour[] {
  const trusted = waiting.filter(({ subscription }) => mayHold(subscription, one.subscription));
  const all = [one, ...trusted];
  const circle = [...neededBy(one, trusted, awaits)].filter((other) => neededBy(other, all, awaits).has(one));
  return circle.every((other) => isInstalledBefore(one, other)) ? circle : [];
}

function isInstalledBefore(one: Neighbour, other: Neighbour): boolean {
  const [first, second] = [one, other].map(({ subscription }) => isDependency(subscription));
  if (first !== second) return first === true;
  return keyOfObject(one.subscription) < keyOfObject(other.subscription);
}

function precedes(one: Neighbour, other: Neighbour): boolean {
  const [first, second] = [one, other].map(({ subscription }) => isDependency(subscription));
  if (first !== second) return second === true;
  return keyOfObject(one.subscription) < keyOfObject(other.subscription);
}

/** The Subscriptions that one needs, and those that these need. */
function neededBy(one: Neighbour, others: readonly Neighbour[], needs = isNeededBy): ReadonlySet<Neighbour> {
  const found = new Set<Neighbour>([one]);
  for (const dependent of found)
    for (const other of others) if (!found.has(other) && needs(dependent, other)) found.add(other);
  found.delete(one);
  return found;
}

/** Whether a Subscription has requested another, or a bundle that it has or had needs a package or a kind of the other. */
function isNeededBy(dependent: Neighbour, { subscription, revisions }: Neighbour): boolean {
  const { uid } = dependent.subscription.metadata;
  if (uid !== undefined && subscription.metadata.annotations?.[ANNOTATION.requestedBy] === uid) return true;
  const needs = dependent.revisions.map(traitsOf).filter(({ packages, kinds }) => packages.size + kinds.size > 0);
  if (needs.some(({ packages }) => packages.has(subscription.spec.package))) return true;
  return needs.some(({ kinds }) => revisions.some((one) => !kinds.isDisjointFrom(traitsOf(one).provides)));
}

/**
 * Whether a Subscription needs another one that is not installed, or its next bundle needs more than is installed of that one: a
 * need that is met keeps nothing waiting.
 */
function awaits(dependent: Neighbour, other: Neighbour): boolean {
  if (!isNeededBy(dependent, other)) return false;
  const installed = installedAmong(other.subscription, other.revisions);
  if (installed === undefined) return true;
  const { revision } = dependent.subscription.status?.pending ?? {};
  const next = dependent.revisions.find(({ metadata }) => metadata.name === revision) ?? dependent.revisions.at(-1);
  const offer = { ...installed.spec, properties: propertiesOf(installed) };
  const kinds = new Set(other.revisions.flatMap((one) => [...traitsOf(one).provides]));
  return directRequirements({ properties: next === undefined ? [] : propertiesOf(next) }).some(
    (need) => isAbout(need, offer.package, kinds) && !serves(offer, need),
  );
}

function isAbout(need: Requirement, name: string, kinds: ReadonlySet<string>): boolean {
  return need.kind === 'package' ? need.package === name : need.kind === 'gvk' && kinds.has(kindKey(need.gvk));
}

interface Traits {
  readonly packages: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
  readonly provides: ReadonlySet<string>;
}

/** Each Revision is read once: its spec never changes. */
const known = new WeakMap<object, Traits>();

function traitsOf(revision: Revision): Traits {
  const before = known.get(revision.spec);
  if (before !== undefined) return before;
  const properties = propertiesOf(revision);
  const requirements = hasRequirements(properties) ? directRequirements({ properties }) : [];
  const traits = {
    packages: new Set(requirements.flatMap((one) => (one.kind === 'package' ? [one.package] : []))),
    kinds: new Set(requirements.flatMap((one) => (one.kind === 'gvk' ? [kindKey(one.gvk)] : []))),
    provides: providedKeys(properties),
  };
  known.set(revision.spec, traits);
  return traits;
}
