/**
 * Turns the bundles of a package, as catalogs offer them and as the cluster has them, into the options that a plan
 * chooses from. follow.ts decides which packages are read.
 */
import type { Property } from '../../catalog/model.ts';
import { misfit } from '../cluster.ts';
import { compareHighestFirst, upgradeGraph, type GraphBundle, type UpgradeGraph } from '../graph.ts';
import type { CatalogSource, InstalledPackage, UpgradeLimits } from '../input.ts';
import { findWays, type PathStep } from '../paths.ts';
import { parseMastermindsRange } from '../ranges/masterminds.ts';
import type { VersionRange } from '../ranges/range.ts';
import { isInside, originOf, selectChannels, valueOf } from '../selection.ts';
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
    way: undefined,
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
    way: undefined,
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
    way: undefined,
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
    way: undefined,
    reachable: true,
  };
}

/**
 * The other bundles that the catalog of origin offers for an installed package. Those to which its Subscription goes are
 * reachable, and have the way.
 */
export function alternativesTo(
  fixed: InstalledPackage,
  sources: readonly CatalogSource[],
  limits: BundleExclusions,
): readonly Option[] {
  const source = sources.find(({ name }) => name === fixed.catalog);
  const content = source?.content(fixed.package);
  if (source === undefined || content === undefined) return [];
  const ways = waysOf(fixed, upgradeGraph(content));
  return optionsOf(fixed.package, [source], limits)
    .filter(({ name }) => name !== fixed.bundle)
    .map((option) => ({ ...option, way: ways.get(option.name), reachable: ways.has(option.name) }));
}

/** The ways that the Subscription of an installed package may go: no other would make the upgrade. */
function waysOf(fixed: InstalledPackage, graph: UpgradeGraph): ReadonlyMap<string, PathStep> {
  const { limits } = fixed;
  if (limits?.suspended === true) return new Map();
  const { version } = originOf(fixed.bundle, fixed.version, fixed.release);
  const channels = limits === undefined ? [...graph.channels.values()] : selectChannels(graph, limits.channel);
  const failed = new Set(limits?.quarantined);
  const range = rangeOf(limits);
  const isInRange = (bundle: GraphBundle): boolean => isInside(range, valueOf(bundle));
  const ways = findWays({
    from: { name: fixed.bundle, version },
    entries: channels.flatMap(({ entries }) =>
      entries.filter(
        ({ bundle: { version: own, name, bundle } }) => own.ok && !failed.has(name) && !failed.has(bundle.image),
      ),
    ),
    inside: isInRange,
    startsInside: isInside(range, version),
    downgrades: false,
  });
  return new Map([...ways].filter(([, { entry }]) => isInRange(entry.bundle)));
}

function rangeOf(limits: UpgradeLimits | undefined): VersionRange | undefined {
  const { version = '' } = limits ?? {};
  const parsed = version === '' ? undefined : parseMastermindsRange(version);
  return parsed?.ok === true ? parsed.value : undefined;
}
