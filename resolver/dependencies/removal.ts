/**
 * Finds the dependencies that no package needs any more, and the order in which packages can be uninstalled. The
 * Subscription reconciler calls it when a Subscription is deleted: `findUnneeded(packages)`, with the installed
 * packages of all Subscriptions.
 */
import { compareText } from '../../api/compare-text.ts';
import type { InstalledPackage } from '../input.ts';
import { meets } from './options.ts';
import { parseRequirements, takesPart, type Requirement } from './requirements.ts';
import { readOffer, type Offered } from './serves.ts';

/**
 * Packages that were installed as dependencies and that no other package needs, directly or through others; in the
 * order of uninstalling. They stay until a person deletes them, because a person may rely on one.
 */
export function findUnneeded(packages: readonly InstalledPackage[]): readonly InstalledPackage[] {
  const uses = findUses(packages);
  const needed = new Set(packages.filter(({ dependency }) => !dependency));
  for (const one of needed) for (const used of uses.get(one) ?? []) needed.add(used);
  return orderOfRemoval(packages.filter((one) => !needed.has(one)));
}

/** Each package before its dependencies; in a circle, the package whose name sorts first goes first. */
export function orderOfRemoval(packages: readonly InstalledPackage[]): readonly InstalledPackage[] {
  const uses = findUses(packages);
  const left = new Set(packages.toSorted((a, b) => compareText(a.package, b.package)));
  const reached = new Map([...left].map((one) => [one, reach(one, uses)]));
  const reaches = (a: InstalledPackage, b: InstalledPackage): boolean => reached.get(a)?.has(b) === true;
  /** The packages that must be uninstalled before each package. */
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

/** The packages that a package needs, directly or through others. */
function reach(
  one: InstalledPackage,
  uses: ReadonlyMap<InstalledPackage, readonly InstalledPackage[]>,
): ReadonlySet<InstalledPackage> {
  const reached = new Set(uses.get(one));
  for (const other of reached) for (const next of uses.get(other) ?? []) reached.add(next);
  return reached;
}

/**
 * Packages that must be uninstalled before `one`, because it meets a requirement of theirs; in a circle, the package
 * whose name sorts first goes first.
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

/** For each package, the packages that meet a requirement of it. */
function findUses(packages: readonly InstalledPackage[]): ReadonlyMap<InstalledPackage, readonly InstalledPackage[]> {
  const users = packages.map(readUser);
  return new Map(users.map((user) => [user.one, users.filter((used) => needs(user, used)).map((used) => used.one)]));
}

function needs(user: User, used: User): boolean {
  const isMet = (part: Requirement): boolean => meets(used.offered, part);
  return user.one !== used.one && user.requirements.some((requirement) => takesPart(requirement, isMet));
}
