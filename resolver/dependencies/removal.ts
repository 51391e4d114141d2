/**
 * Says which dependencies nobody needs any more, and in which order packages can be removed. The Subscription's
 * reconciler calls it when one is deleted: `findUnneeded(packages)`, with what is installed by all of them.
 */
import { compareText } from '../graph.ts';
import type { InstalledPackage } from '../input.ts';
import { parseRequirements, type Requirement } from './requirements.ts';
import { serves } from './serves.ts';

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
  const ordered: InstalledPackage[] = [];
  while (left.size > 0) {
    const reached = new Map([...left].map((one) => [one, reach(one, uses)]));
    const isHeld = (one: InstalledPackage): boolean =>
      [...left].some((other) => reached.get(other)?.has(one) === true && reached.get(one)?.has(other) !== true);
    const next = [...left].find((one) => !isHeld(one));
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
  const needs = (user: InstalledPackage, used: InstalledPackage): boolean => findUsed(user, [used]).length > 0;
  return packages.filter(
    (other) => needs(other, one) && !(compareText(one.package, other.package) < 0 && needs(one, other)),
  );
}

/** What each package takes part in meeting a requirement of. */
function findUses(packages: readonly InstalledPackage[]): ReadonlyMap<InstalledPackage, readonly InstalledPackage[]> {
  return new Map(packages.map((one) => [one, findUsed(one, packages)]));
}

function findUsed(one: InstalledPackage, packages: readonly InstalledPackage[]): readonly InstalledPackage[] {
  const parsed = parseRequirements(one.properties);
  if (!parsed.ok) return [];
  return packages.filter(
    (other) => other !== one && parsed.value.some((requirement) => takesPart(other, requirement, true)),
  );
}

function takesPart(one: InstalledPackage, requirement: Requirement, wanted: boolean): boolean {
  if (!('of' in requirement)) return wanted && serves(one, requirement);
  return requirement.of.some((part) => takesPart(one, part, requirement.kind === 'not' ? !wanted : wanted));
}
