/**
 * A second definition of a dependency question, as simple as possible: which sets of bundles are allowed, and which of
 * two is better. It shares with the planner the parsing of requirements, versions and ranges, and the check against the
 * cluster; it walks the graph by itself, and considers everything in the catalogs instead of the reachable part.
 */
import type { CatalogPackage, ChannelEntry, Property } from '../../catalog/model.ts';
import { misfit } from '../cluster.ts';
import { kindKey, needOf, parseRequirements, providedKinds, type Requirement } from '../dependencies/requirements.ts';
import type { DependencyQuestion } from '../dependencies/model.ts';
import type { CatalogSource, InstalledPackage } from '../input.ts';
import { parseVersion } from '../version.ts';

/** A bundle that may be chosen. */
export interface Item {
  /** `catalog/bundle`, or the bundle's name alone if it is installed. */
  readonly id: string;
  readonly package: string;
  readonly version: string;
  readonly properties: readonly Property[];
  readonly current: boolean;
}

export interface PlainProblem {
  readonly root: Item;
  readonly items: readonly Item[];
  /** Packages of which one bundle must be chosen. */
  readonly kept: readonly string[];
  readonly current: readonly Item[];
  readonly served: ReadonlySet<string>;
  readonly counts: Counts;
}

/** Which facts are in force, by key: `requires p {…}`, `keeps p`, `barred p`, `provider K`, `policy`. */
export type Counts = (fact: string) => boolean;

/** All items that the catalogs have and the cluster allows. */
export function plainProblem(
  { root, catalogs, cluster }: DependencyQuestion,
  policy: 'Install' | 'Require',
  counts: Counts = () => true,
): PlainProblem {
  const installed = cluster.packages ?? [];
  const current = installed.map((one) => itemOf(one.bundle, one, true));
  const names = Array.from({ length: 100 }, (_, index) => `p${index}`).filter((name) => name !== root.package);
  const offered = catalogs.flatMap((catalog) => names.flatMap((name) => offersOf(catalog, name)));
  const managed = new Set(current.flatMap((item) => kindsOf(item)));
  const others = installed.filter((one) => one.package !== root.package);
  const rootItem = itemOf(`${root.catalog}/${root.bundle.name}`, root.bundle, false);
  return {
    root: rootItem,
    items: [rootItem, ...current.filter((item) => item.package !== root.package), ...offered],
    kept: others.map((one) => one.package).filter((name) => counts(`keeps ${name}`)),
    current,
    served: new Set(cluster.providedKinds.map(kindKey).filter((key) => !managed.has(key))),
    counts,
  };

  function offersOf(catalog: CatalogSource, name: string): readonly Item[] {
    const fixed = installed.find((one) => one.package === name);
    if ((fixed !== undefined && fixed.catalog !== catalog.name) || (policy === 'Require' && counts('policy')))
      return [];
    const content = catalog.content(name);
    return (content?.bundles ?? [])
      .filter((bundle) => misfit(bundle, cluster) === undefined || !counts(`barred ${name}`))
      .filter((bundle) => fixed === undefined || (fixed.bundle !== bundle.name && mayMove(fixed, bundle.name, content)))
      .map((bundle) => itemOf(`${catalog.name}/${bundle.name}`, bundle, false));
  }

  function mayMove(fixed: InstalledPackage, to: string, content: CatalogPackage | undefined): boolean {
    if (!counts(`keeps ${fixed.package}`)) return true;
    const entries = (content?.channels ?? []).flatMap((channel) => channel.entries);
    return fixed.dependency && canReach(entries, fixed.bundle, to);
  }
}

function itemOf(id: string, bundle: Pick<Item, 'package' | 'version' | 'properties'>, current: boolean): Item {
  return { id, package: bundle.package, version: bundle.version, properties: bundle.properties, current };
}

/** The requirements of choosing an item. An installed bundle requires only the requirements that are met now. */
export function demandsOf(item: Item, { current, served, counts }: PlainProblem): readonly Requirement[] {
  return requirementsOf(item).filter(
    (one) =>
      counts(`requires ${item.package} ${JSON.stringify(needOf(one))}`) &&
      (!item.current || isMet(one, current, served)),
  );
}

/** Whether two items provide a kind that their packages do not both provide now. */
export function areRivals(a: Item, b: Item, { current, counts }: PlainProblem): boolean {
  const provides = (name: string, kind: string): boolean =>
    current.some((item) => item.package === name && kindsOf(item).includes(kind));
  return kindsOf(a).some(
    (kind) =>
      kindsOf(b).includes(kind) &&
      counts(`provider ${kind}`) &&
      !(provides(a.package, kind) && provides(b.package, kind)),
  );
}

/** Whether a choice of items meets all requirements. */
export function isAllowed(problem: PlainProblem, chosen: readonly Item[]): boolean {
  const packages = chosen.map((item) => item.package);
  return (
    chosen.includes(problem.root) &&
    new Set(packages).size === packages.length &&
    problem.kept.every((name) => packages.includes(name)) &&
    chosen.every((item) => demandsOf(item, problem).every((one) => isMet(one, chosen, problem.served))) &&
    !chosen.some((a) => chosen.some((b) => a.package < b.package && areRivals(a, b, problem)))
  );
}

function isMet(requirement: Requirement, items: readonly Item[], served: ReadonlySet<string>): boolean {
  switch (requirement.kind) {
    case 'package':
      return items.some((item) => {
        const version = parseVersion(item.version);
        return item.package === requirement.package && version.ok && requirement.range.includes(version.value);
      });
    case 'gvk':
      return (
        served.has(kindKey(requirement.gvk)) || items.some((item) => kindsOf(item).includes(kindKey(requirement.gvk)))
      );
    case 'cel':
      return items.some((item) => requirement.rule.test(item.properties));
    case 'all':
      return requirement.of.every((part) => isMet(part, items, served));
    case 'any':
      return requirement.of.some((part) => isMet(part, items, served));
    default:
      return !requirement.of.some((part) => isMet(part, items, served));
  }
}

function requirementsOf(item: Item): readonly Requirement[] {
  const parsed = parseRequirements(item.properties);
  return parsed.ok ? parsed.value : [];
}

export function kindsOf({ properties }: Item): readonly string[] {
  return providedKinds(properties).map(kindKey);
}

/**
 * Tries every edge of every channel until nothing new is reached. Bundles end in `.v1`, `.v2`, …, and no edge goes
 * down.
 */
function canReach(entries: readonly ChannelEntry[], from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const at of reached) {
    for (const { name, replaces, skips, skipRange } of entries) {
      const inRange = skipRange !== undefined && numberOf(at) < numberOf(skipRange);
      if (numberOf(name) > numberOf(at) && (replaces === at || skips.includes(at) || inRange)) reached.add(name);
    }
  }
  return to !== from && reached.has(to);
}

/** The version of `p1.v3`, or the bound of `<3.0.0`. */
function numberOf(text: string): number {
  return Number(/[0-9]+(?=$|\.0\.0$)/.exec(text)?.[0]);
}
