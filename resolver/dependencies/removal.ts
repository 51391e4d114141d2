/**
 * Says which dependencies nobody needs any more, and in which order packages can be removed. The Subscription's
 * reconciler calls it when one is deleted: `findUnneeded(packages)`, with what is installed by all of them.
 */
import { compareText } from '../graph.ts';
import type { InstalledPackage } from '../input.ts';
import { meets } from './options.ts';
import { parseRequirements, takesPart, type Requirement } from './requirements.ts';
import { readOffer, type Offered } from './serves.ts';

/**
 * Packages that were installed as dependencies and that nothing else needs, directly or by way of others; in the order
 * of removal. They stay until someone asks for them to go: a person may have come to rely on one.
 */
export function findUnneeded(packages: readonly InstalledPackage[]): readonly InstalledPackage[] {
  const uses = findUses(packages);
  const needed = new Set(packages.filter(({ dependency }) => !dependency));
  for (const one of needed) for (const used of uses.get(one) ?? []) needed.add(used);
  return orderOfRemoval(packages.filter((one) => !needed.has(one)));
}

/** Each package before those that it needs; of a circle, the one whose name comes first goes first. */
export function orderOfRemoval(packages: readonly InstalledPackage[]): readonly InstalledPackage[] {
  const uses = findUses(packages);
  const left = new Set(packages.toSorted((a, b) => compareText(a.package, b.package)));
  const reached = new Map([...left].map((one) => [one, reach(one, uses)]));
  const reaches = (a: InstalledPackage, b: InstalledPackage): boolean => reached.get(a)?.has(b) === true;
  /** What has to go before each of them. */
  const holders = new Map(
    [...left].map((one) => [one, [...left].filter((other) => reaches(other, one) && !reaches(one, other))]),
  );
  const ordered: InstalledPackage[] = [];
  while (left.size > 0) {
    const next = [...left].find((one) => holders.get(one)?.some((other) => left.has(other)) !== true);
    if (next === undefined) throw new Error('of packages that need each other, some are needed by no others');
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

/** What a package needs, directly or by way of others. */
function reach(
  one: InstalledPackage,
  uses: ReadonlyMap<InstalledPackage, readonly InstalledPackage[]>,
): ReadonlySet<InstalledPackage> {
  const reached = new Set(uses.get(one));
  for (const other of reached) for (const next of uses.get(other) ?? []) reached.add(next);
  return reached;
}

/**
 * Packages of which each has to go before `one`, as it takes part in what they need; of a circle, the one whose name
 * comes first goes first.
 */
export function dependentsOf(
  one: InstalledPackage,
  packages: readonly InstalledPackage[],
): readonly InstalledPackage[] {
  const own = readUser(one);
  return packages
    .map(readUser)
    .filter((other) => needs(other, own) && !(compareText(one.package, other.one.package) < 0 && needs(own, other)))
    .map((other) => other.one);
}

/** A package as one that needs others, and as one that others need. */
interface User {
  readonly one: InstalledPackage;
  readonly requirements: readonly Requirement[];
  readonly offered: Offered;
}

function readUser(one: InstalledPackage): User {
  const parsed = parseRequirements(one.properties);
  return { one, requirements: parsed.ok ? parsed.value : [], offered: readOffer(one) };
}

/** What each package takes part in meeting a requirement of. */
function findUses(packages: readonly InstalledPackage[]): ReadonlyMap<InstalledPackage, readonly InstalledPackage[]> {
  const users = packages.map(readUser);
  return new Map(users.map((user) => [user.one, users.filter((used) => needs(user, used)).map((used) => used.one)]));
}

function needs(user: User, used: User): boolean {
  const isMet = (part: Requirement): boolean => meets(used.offered, part);
  return user.one !== used.one && user.requirements.some((requirement) => takesPart(requirement, isMet));
}
