/**
 * Turns the bundles of a package, as catalogs offer them and as the cluster has them, into the options that a plan
 * chooses from. follow.ts decides which packages are read.
 */
import type { Property } from '../../catalog/model.ts';
import { misfit } from '../cluster.ts';
import { compareHighestFirst, upgradeGraph, type GraphBundle, type UpgradeGraph } from '../graph.ts';
import type { CatalogSource, InstalledPackage } from '../input.ts';
import { findWays, hopsOf, type Hop } from '../paths.ts';
import { parseBundleVersion } from '../version.ts';
import type { BundleExclusions, Option, Root } from './model.ts';
import { kindKey, providedKinds, type Requirement } from './requirements.ts';

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

/** The option of the bundle whose dependencies are planned. */
export function rootOption(root: Root): Option {
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
    kinds: kindsOf(root.bundle.properties),
    barred: undefined,
    path: [],
    reachable: true,
  };
}

/** Stands for all bundles of a package that has not been read, and that could provide anything. */
export function unreadOption(name: string): Option {
  return {
    package: name,
    name,
    text: '',
    version: undefined,
    catalog: '',
    channel: '',
    bundle: undefined,
    properties: [],
    kinds: NO_KINDS,
    barred: undefined,
    path: [],
    reachable: true,
    unread: true,
  };
}

const NO_KINDS: ReadonlySet<string> = new Set();

function kindsOf(properties: readonly Property[]): ReadonlySet<string> {
  const kinds = providedKinds(properties);
  return kinds.length === 0 ? NO_KINDS : new Set(kinds.map(kindKey));
}

/** The option of the installed bundle. */
export function currentOption(fixed: InstalledPackage): Option {
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
    kinds: kindsOf(fixed.properties),
    barred: undefined,
    path: [],
    reachable: true,
  };
}

/** All bundles of a package in all catalogs; within a catalog the default channel first, then the highest version. */
export function optionsOf(
  name: string,
  sources: readonly CatalogSource[],
  limits: BundleExclusions,
): readonly Option[] {
  return sources.flatMap((source) => {
    const content = source.content(name);
    if (content === undefined) return [];
    const graph = upgradeGraph(content);
    return [...graph.bundles.values()]
      .filter((bundle) => bundle.version.ok && bundle.channels.length > 0)
      .sort((a, b) => compareOptions(a, b, content.defaultChannel))
      .map((bundle) => offeredOption(bundle, source.name, graph, limits));
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
  { cluster, quarantined }: BundleExclusions,
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
    kinds: kindsOf(bundle.properties),
    barred: quarantined.has(name) || quarantined.has(bundle.image) ? { kind: 'quarantined' } : misfit(bundle, cluster),
    path: [],
    reachable: true,
  };
}

/** The other bundles that the catalog of origin offers for an installed package, each with the hops that lead to it. */
export function alternativesTo(
  fixed: InstalledPackage,
  sources: readonly CatalogSource[],
  limits: BundleExclusions,
): readonly Option[] {
  const source = sources.find(({ name }) => name === fixed.catalog);
  const content = source?.content(fixed.package);
  if (source === undefined || content === undefined) return [];
  const paths = pathsFrom(fixed, upgradeGraph(content));
  return optionsOf(fixed.package, [source], limits)
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
