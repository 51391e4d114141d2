/**
 * Gathers the part of the catalogs that can matter for one bundle: what it depends on, what that depends on, and so
 * on. Everything else is never looked at, so unrelated packages, catalogs and Subscriptions cannot change an answer.
 */
import type { CatalogBundle, Property } from '../../catalog/model.ts';
import { misfit } from '../cluster.ts';
import type { Cause } from '../decision.ts';
import { compareHighestFirst, compareText, upgradeGraph, type GraphBundle, type UpgradeGraph } from '../graph.ts';
import type { CatalogSource, ClusterFacts, InstalledPackage, Kind } from '../input.ts';
import { findWays, hopsOf, type Hop } from '../paths.ts';
import { parseBundleVersion, type BundleVersion, type Parsed } from '../version.ts';
import { kindKey, parseRequirements, providedKinds, type KnownRequirements, type Requirement } from './requirements.ts';

/** The bundle whose dependencies are asked for. */
export interface Root {
  readonly package: string;
  readonly catalog: string;
  readonly bundle: CatalogBundle;
}

export interface DependencyQuestion {
  readonly root: Root;
  /** Where dependencies may come from: the root's catalog first, then by priority, then by name. */
  readonly catalogs: readonly CatalogSource[];
  readonly cluster: ClusterFacts;
  readonly quarantined: ReadonlySet<string>;
  /** What was read for other questions of the same catalogs, cluster and quarantine. */
  readonly known?: KnownOptions;
}

/** Options and requirements that were read before. */
export interface KnownOptions {
  /** By the root's catalog and the package. */
  readonly options: Map<string, readonly Option[]>;
  readonly requirements: KnownRequirements;
  readonly requirementsOf: Map<Option, Parsed<readonly Requirement[]>>;
  /** How many options all these questions have considered together. */
  readonly effort: { options: number };
}

/** Nothing yet. */
export function nothingKnown(): KnownOptions {
  return { options: new Map(), requirements: new Map(), requirementsOf: new Map(), effort: { options: 0 } };
}

/** One bundle that could be installed for a package, or is. */
export interface Option {
  readonly package: string;
  readonly name: string;
  readonly text: string;
  readonly version: BundleVersion | undefined;
  readonly catalog: string;
  readonly channel: string;
  /** Absent for what is installed. */
  readonly bundle: CatalogBundle | undefined;
  readonly properties: readonly Property[];
  readonly kinds: ReadonlySet<string>;
  /** Why it may not be taken, whatever depends on it. */
  readonly barred: Cause | undefined;
  /** Hops from what is installed; empty where that does not matter. */
  readonly path: readonly Hop[];
  /** Whether it may be reached at all from what is installed. */
  readonly reachable: boolean;
}

/** A package with its options, the preferred first; of an installed one that is what is installed. */
export interface PackageNode {
  readonly name: string;
  readonly options: readonly Option[];
  readonly installed: InstalledPackage | undefined;
  /** Options that something in the universe could use. */
  readonly active: Set<Option>;
}

export interface Universe {
  readonly root: Option;
  /** In the order in which they were met, breadth first. */
  readonly packages: ReadonlyMap<string, PackageNode>;
  /** Kinds that the cluster has, whatever is decided. */
  readonly servedKinds: ReadonlySet<string>;
  /** What an option depends on. */
  readonly requirementsOf: (option: Option) => Parsed<readonly Requirement[]>;
  /** Active options that meet one requirement that is not made of parts. */
  readonly matching: (requirement: Requirement) => readonly Option[];
  /** What is installed now, by package; of the root's package too. */
  readonly current: ReadonlyMap<string, Option>;
  /** Whether what is installed now meets a requirement. */
  readonly isMetNow: (requirement: Requirement) => boolean;
}

/** Most options that are considered; a problem beyond that is refused, not cut. */
export const MAX_OPTIONS = 50_000;

/** Most options that all questions of one resolution consider, the same ones again included. */
const MAX_TOGETHER = 60_000;

/**
 * Gathers the universe; undefined where it would be too large. A thorough one also has the alternatives to what is
 * met by something that stays: they cannot be chosen, but belong to the explanation of a contradiction.
 */
export function gatherUniverse(question: DependencyQuestion, thorough = false): Universe | undefined {
  const builder = createBuilder(question, thorough);
  for (const installed of question.cluster.packages ?? []) builder.openInstalled(installed);
  builder.activate(builder.root);
  return builder.drain() ? builder.universe() : undefined;
}

interface MutableNode extends PackageNode {
  options: readonly Option[];
  complete: boolean;
}

interface Builder {
  readonly root: Option;
  /** Takes in an installed package, and where it may go if it may move. */
  readonly openInstalled: (installed: InstalledPackage) => void;
  readonly activate: (option: Option) => void;
  /** Follows requirements until nothing new turns up; false where that is too much. */
  readonly drain: () => boolean;
  readonly universe: () => Universe;
}

function createBuilder(question: DependencyQuestion, thorough: boolean): Builder {
  const { cluster } = question;
  const root = rootOption(question);
  const installed = new Map(
    (cluster.packages ?? []).filter((one) => one.package !== root.package).map((one) => [one.package, one]),
  );
  const managed = new Set((cluster.packages ?? []).flatMap(({ properties }) => providedKinds(properties).map(kindKey)));
  const servedKinds = new Set(cluster.providedKinds.map(kindKey).filter((key) => !managed.has(key)));
  const sources = orderSources(question);
  const packages = new Map<string, MutableNode>();
  const { known = nothingKnown() } = question;
  /** Packages that are open and have an option with a kind. */
  const openProviders = new Map<string, Set<string>>();
  /** What was there to choose from when a requirement was last followed. */
  const followed = new Map<Requirement, number>();
  const queue: Option[] = [];
  const current = new Map((cluster.packages ?? []).map((one) => [one.package, currentOption(one)]));

  function openPackage(name: string): MutableNode {
    const open = packages.get(name);
    if (open !== undefined) return open;
    const fixed = installed.get(name);
    const options =
      fixed === undefined ? (name === root.package ? [root] : offeredOptions(name)) : [currentOption(fixed)];
    const node: MutableNode = { name, options, installed: fixed, active: new Set(), complete: fixed === undefined };
    packages.set(name, node);
    noteProviders(node);
    if (fixed !== undefined) for (const option of options) activate(option);
    return node;
  }

  function offeredOptions(name: string): readonly Option[] {
    const key = `${root.catalog}\n${name}`;
    const before = known.options.get(key);
    if (before !== undefined) return before;
    const options = optionsOf(name, sources, question);
    known.options.set(key, options);
    return options;
  }

  function noteProviders({ name, options }: PackageNode): void {
    for (const { kinds } of options) {
      for (const kind of kinds) {
        const names = openProviders.get(kind);
        if (names === undefined) openProviders.set(kind, new Set([name]));
        else names.add(name);
      }
    }
  }

  /** What else there is for an installed package is read only where what is installed does not do. */
  function complete(node: MutableNode): void {
    if (node.complete || node.installed === undefined) return;
    node.complete = true;
    node.options = [...node.options, ...alternativesTo(node.installed, sources, question)];
    noteProviders(node);
  }

  function openInstalled(fixed: InstalledPackage): void {
    const node = openPackage(fixed.package);
    if (!fixed.dependency || node.installed === undefined) return;
    complete(node);
    for (const option of node.options) if (option.reachable) activate(option);
  }

  function activate(option: Option): void {
    const { active } = openPackage(option.package);
    if (active.has(option)) return;
    active.add(option);
    queue.push(option);
  }

  function requirementsOf(option: Option): Parsed<readonly Requirement[]> {
    const before = known.requirementsOf.get(option);
    if (before !== undefined) return before;
    const parsed = parseRequirements(option.properties, known.requirements);
    known.requirementsOf.set(option, parsed);
    return parsed;
  }

  /** Opens what could meet a requirement, unless something that stays meets it already. */
  function follow(requirement: Requirement, wanted: boolean): void {
    if ('of' in requirement) {
      for (const part of requirement.of) follow(part, requirement.kind === 'not' ? !wanted : wanted);
      return;
    }
    const choice = choiceFor(requirement);
    if (!wanted || followed.get(requirement) === choice) return;
    followed.set(requirement, choice);
    if (isServed(requirement) || (!thorough && isMetForGood(requirement))) return;
    for (const name of packagesFor(requirement)) {
      const node = openPackage(name);
      complete(node);
      for (const option of node.options) if (meets(option, requirement)) activate(option);
    }
  }

  /** Grows where what could meet a requirement may have become more. */
  function choiceFor(requirement: Requirement): number {
    if (requirement.kind === 'package') return 0;
    return requirement.kind === 'gvk' ? (openProviders.get(kindKey(requirement.gvk))?.size ?? 0) : packages.size;
  }

  function isMetForGood(requirement: Requirement): boolean {
    return [...installed.values()].some((fixed) => {
      const option = openPackage(fixed.package).options[0];
      return !fixed.dependency && option !== undefined && meets(option, requirement);
    });
  }

  function isServed(requirement: Requirement): boolean {
    return requirement.kind === 'gvk' && servedKinds.has(kindKey(requirement.gvk));
  }

  function packagesFor(requirement: Requirement): readonly string[] {
    if (requirement.kind === 'package') return [requirement.package];
    if (requirement.kind === 'cel') return packagesForRule(requirement.rule.literals);
    if (requirement.kind !== 'gvk') return [];
    const present = openProviders.get(kindKey(requirement.gvk)) ?? [];
    return [...new Set([...present, ...sources.flatMap((source) => providers(source, requirement.gvk))])];
  }

  /** A rule that names packages is about those; another one may be about any. */
  function packagesForRule(literals: readonly string[]): readonly string[] {
    const named = literals.filter(isOffered);
    return named.length > 0
      ? named
      : [...new Set([...packages.keys(), ...sources.flatMap((source) => source.packages?.() ?? [])])];
  }

  function isOffered(name: string): boolean {
    return packages.has(name) || sources.some((source) => source.content(name) !== undefined);
  }

  /** What is installed needs nothing new, but what it has now may not be taken from it. */
  function drain(): boolean {
    for (let count = 0; count < queue.length; count++) {
      const option = queue[count];
      const parsed = option === undefined ? undefined : requirementsOf(option);
      if (count >= MAX_OPTIONS || ++known.effort.options > MAX_TOGETHER) return false;
      if (option === undefined || parsed?.ok !== true) continue;
      for (const requirement of parsed.value) {
        if (option.bundle !== undefined || isMetNow(requirement)) follow(requirement, true);
      }
    }
    return true;
  }

  function matching(requirement: Requirement): readonly Option[] {
    const nodes = requirement.kind === 'package' ? [packages.get(requirement.package)] : [...packages.values()];
    return nodes.flatMap((node) => [...(node?.active ?? [])].filter((option) => meets(option, requirement)));
  }

  function isMetNow(requirement: Requirement): boolean {
    switch (requirement.kind) {
      case 'all':
        return requirement.of.every(isMetNow);
      case 'any':
        return requirement.of.some(isMetNow);
      case 'not':
        return !requirement.of.some(isMetNow);
      case 'package': {
        const option = current.get(requirement.package);
        return option !== undefined && meets(option, requirement);
      }
      default:
        return isServed(requirement) || [...current.values()].some((option) => meets(option, requirement));
    }
  }

  return {
    root,
    openInstalled,
    activate,
    drain,
    universe: () => ({ root, packages, servedKinds, requirementsOf, matching, current, isMetNow }),
  };
}

/** Whether one bundle alone meets a requirement that is not made of parts. */
export function meets(
  option: Pick<Option, 'package' | 'version' | 'properties' | 'kinds'>,
  requirement: Requirement,
): boolean {
  switch (requirement.kind) {
    case 'package':
      return (
        option.package === requirement.package &&
        option.version !== undefined &&
        requirement.range.includes(option.version.version)
      );
    case 'gvk':
      return option.kinds.has(kindKey(requirement.gvk));
    case 'cel':
      return requirement.rule.test(option.properties);
    default:
      return false;
  }
}

function orderSources({ root, catalogs }: DependencyQuestion): readonly CatalogSource[] {
  return catalogs
    .filter(({ state }) => state === 'Serving')
    .toSorted(
      (a, b) =>
        Number(b.name === root.catalog) - Number(a.name === root.catalog) ||
        b.priority - a.priority ||
        compareText(a.name, b.name),
    );
}

function providers(source: CatalogSource, kind: Kind): readonly string[] {
  return source.providersOf?.(kind) ?? [];
}

function rootOption({ root }: DependencyQuestion): Option {
  const version = parseBundleVersion(root.bundle.version, root.bundle.release);
  return {
    package: root.package,
    name: root.bundle.name,
    text: root.bundle.version,
    version: version.ok ? version.value : undefined,
    catalog: root.catalog,
    channel: '',
    bundle: root.bundle,
    properties: root.bundle.properties,
    kinds: new Set(providedKinds(root.bundle.properties).map(kindKey)),
    barred: undefined,
    path: [],
    reachable: true,
  };
}

/** All bundles of a package in all catalogs; within a catalog the default channel first, then the highest version. */
function optionsOf(name: string, sources: readonly CatalogSource[], question: DependencyQuestion): readonly Option[] {
  return sources.flatMap((source) => {
    const content = source.content(name);
    if (content === undefined) return [];
    const graph = upgradeGraph(content);
    return [...graph.bundles.values()]
      .filter((bundle) => bundle.version.ok && bundle.channels.length > 0)
      .sort((a, b) => compareOptions(a, b, content.defaultChannel))
      .map((bundle) => offeredOption(bundle, source.name, graph, question));
  });
}

function compareOptions(a: GraphBundle, b: GraphBundle, defaultChannel: string): number {
  const outside = (bundle: GraphBundle): number => Number(!bundle.channels.includes(defaultChannel));
  return (
    Number(a.deprecation !== undefined) - Number(b.deprecation !== undefined) ||
    outside(a) - outside(b) ||
    compareHighestFirst(a, b)
  );
}

function offeredOption(
  { name, bundle, version, channels }: GraphBundle,
  catalog: string,
  graph: UpgradeGraph,
  { cluster, quarantined }: DependencyQuestion,
): Option {
  const { defaultChannel } = graph.package;
  return {
    package: bundle.package,
    name,
    text: bundle.version,
    version: version.ok ? version.value : undefined,
    catalog,
    channel: channels.includes(defaultChannel) ? defaultChannel : (channels[0] ?? ''),
    bundle,
    properties: bundle.properties,
    kinds: new Set(providedKinds(bundle.properties).map(kindKey)),
    barred: quarantined.has(name) || quarantined.has(bundle.image) ? { kind: 'quarantined' } : misfit(bundle, cluster),
    path: [],
    reachable: true,
  };
}

function currentOption(fixed: InstalledPackage): Option {
  const version = parseBundleVersion(fixed.version, fixed.release);
  return {
    package: fixed.package,
    name: fixed.bundle,
    text: fixed.version,
    version: version.ok ? version.value : undefined,
    catalog: fixed.catalog,
    channel: '',
    bundle: undefined,
    properties: fixed.properties,
    kinds: new Set(providedKinds(fixed.properties).map(kindKey)),
    barred: undefined,
    path: [],
    reachable: true,
  };
}

/** What the catalog of origin has besides what is installed, with the way there. */
function alternativesTo(
  fixed: InstalledPackage,
  sources: readonly CatalogSource[],
  question: DependencyQuestion,
): readonly Option[] {
  const source = sources.find(({ name }) => name === fixed.catalog);
  const content = source?.content(fixed.package);
  if (source === undefined || content === undefined) return [];
  const paths = pathsFrom(fixed, upgradeGraph(content));
  return optionsOf(fixed.package, [source], question)
    .filter(({ name }) => name !== fixed.bundle)
    .map((option) => withPath(option, paths.get(option.name)));
}

function withPath(option: Option, path: readonly Hop[] | undefined): Option {
  return { ...option, path: path ?? [], reachable: path !== undefined };
}

function pathsFrom(fixed: InstalledPackage, graph: UpgradeGraph): Map<string, readonly Hop[]> {
  const version = parseBundleVersion(fixed.version, fixed.release);
  const ways = findWays({
    from: { name: fixed.bundle, version: version.ok ? version.value : undefined },
    entries: [...graph.channels.values()].flatMap(({ entries }) => entries.filter(({ bundle }) => bundle.version.ok)),
    inside: () => true,
    startsInside: true,
    downgrades: false,
  });
  return new Map([...ways].map(([name, way]) => [name, hopsOf(way, fixed.bundle)]));
}
