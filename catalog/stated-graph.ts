/**
 * Makes a package of a catalog out of bundles that state their own upgrade graph, as `opm` does when it adds bundles to
 * an index: channels from the annotations, edges from the ClusterServiceVersion. `slipway catalog build` calls it for
 * bundles that are named alone; repository/build.ts makes a graph from versions for bundles that state nothing.
 */
import { BUNDLE_ANNOTATION } from '../bundles/annotations.ts';
import type { BundleDirectory } from './blob.ts';
import { listField, objectField, textField } from './fields.ts';
import { channelByVersion, displayedDescription, STABLE_CHANNEL, type DescribedVersion } from './repository/build.ts';
import type { CatalogDocument } from './templates/template.ts';
import type { VersionRules } from './versions.ts';

/** The place in the upgrade graph that a bundle states. */
export interface StatedGraph {
  readonly channels: readonly string[];
  readonly defaultChannel?: string;
  readonly replaces?: string;
  readonly skips: readonly string[];
  readonly skipRange?: string;
  /** Name of the bundle that this one is a rebuild of: what leads on from that one leads on from this one too. */
  readonly substitutesFor?: string;
}

/** A bundle and the place that it states. */
export interface StatingVersion extends DescribedVersion {
  readonly stated: StatedGraph;
}

/**
 * The place that the bundle of this directory states; empty texts state nothing, and names are used exactly as they
 * are.
 */
export function statedGraph({ annotations, csv }: Pick<BundleDirectory, 'annotations' | 'csv'>): StatedGraph {
  const spec = objectField(csv, 'spec');
  const text = (value: string | undefined): string | undefined => (value === '' ? undefined : value);
  const defaultChannel = text(annotations.get(BUNDLE_ANNOTATION.defaultChannel));
  const replaces = text(textField(spec, 'replaces'));
  const csvAnnotations = objectField(objectField(csv, 'metadata'), 'annotations');
  const skipRange = text(textField(csvAnnotations, 'olm.skipRange'));
  const substitutesFor = text(textField(csvAnnotations, 'olm.substitutesFor'));
  const skips = listField(spec, 'skips').filter((skip) => typeof skip === 'string' && skip !== '') as string[];
  const channels = (annotations.get(BUNDLE_ANNOTATION.channels) ?? '').split(',').filter((name) => name !== '');
  return {
    channels: [...new Set(channels)],
    skips,
    ...(defaultChannel !== undefined && { defaultChannel }),
    ...(replaces !== undefined && { replaces }),
    ...(skipRange !== undefined && { skipRange }),
    ...(substitutesFor !== undefined && { substitutesFor }),
  };
}

/** Whether any of the bundles states channels or edges. */
export function statesGraph(versions: readonly StatingVersion[]): boolean {
  return versions.some(({ stated }) => stated.channels.length > 0 || hasEdges(stated));
}

/**
 * The documents of a package: each bundle is in the channels that it names, else in `stable`. If any bundle states an
 * edge, every entry has the edges of its bundle; if none does, each entry accepts all lower ones in its channel. The
 * default channel is the one stated by the highest version that states any, else the first channel of the highest
 * version.
 */
export function buildStatedPackage(
  name: string,
  bundles: readonly StatingVersion[],
  rules: VersionRules,
): readonly CatalogDocument[] {
  const versions = bundles.toSorted((a, b) => rules.compareBundleVersions(a.version, b.version));
  const channels = new Map<string, StatingVersion[]>();
  for (const version of versions) {
    for (const channel of channelsOf(version)) channels.set(channel, [...(channels.get(channel) ?? []), version]);
  }
  const toChannel = versions.some(({ stated }) => hasEdges(stated)) ? statedChannel : channelByVersion;
  const head = versions.at(-1)!;
  const defaultChannel = versions.findLast(({ stated }) => stated.defaultChannel !== undefined)?.stated.defaultChannel;
  const description = displayedDescription(head.bundle);
  return [
    {
      schema: 'olm.package',
      name,
      defaultChannel: defaultChannel ?? channelsOf(head)[0]!,
      ...(description !== undefined && { description }),
    },
    ...[...channels].map(([channel, members]) => toChannel(channel, name, members)),
    ...versions.map(({ bundle }) => bundle),
  ];
}

function hasEdges({ replaces, skips, skipRange, substitutesFor }: StatedGraph): boolean {
  return [replaces, skipRange, substitutesFor].some((edge) => edge !== undefined) || skips.length > 0;
}

function channelsOf({ stated }: StatingVersion): readonly string[] {
  return stated.channels.length > 0 ? stated.channels : [STABLE_CHANNEL];
}

function statedChannel(name: string, packageName: string, versions: readonly StatingVersion[]): CatalogDocument {
  const rebuilds = rebuildsAmong(versions);
  const entries = versions.map(({ bundle, stated }) => {
    const { replaces, skips } = withRebuilds(bundle.name, stated, rebuilds);
    return {
      name: bundle.name,
      ...(replaces !== undefined && { replaces }),
      ...(skips.length > 0 && { skips }),
      ...(stated.skipRange !== undefined && { skipRange: stated.skipRange }),
    };
  });
  return { schema: 'olm.channel', name, package: packageName, entries };
}

/** By the name of an original and of each of its rebuilds: all of them, the original first, the latest rebuild last. */
type Rebuilds = ReadonlyMap<string, readonly string[]>;

function rebuildsAmong(versions: readonly StatingVersion[]): Rebuilds {
  const bases = new Map(versions.map(({ bundle, stated }) => [bundle.name, stated.substitutesFor]));
  const families = new Map<string, string[]>();
  for (const [name, base] of bases) {
    if (base === undefined) continue;
    const original = originalOf(name, bases);
    const family = families.get(original) ?? [original];
    if (name !== original) family.push(name);
    families.set(original, family);
  }
  return new Map([...families.values()].flatMap((family) => family.map((name) => [name, family] as const)));
}

/** The bundle that a rebuild goes back to, over rebuilds of rebuilds; hostile ones go round in a circle. */
function originalOf(name: string, bases: ReadonlyMap<string, string | undefined>): string {
  const passed = new Set<string>();
  let at = name;
  for (let base = bases.get(at); base !== undefined && !passed.has(at); base = bases.get(at)) {
    passed.add(at);
    at = base;
  }
  return at;
}

/**
 * The edges of a bundle where others were rebuilt, as `opm` makes them: it replaces the latest rebuild of a bundle that it
 * replaces, and skips the others; it skips the rebuilds of bundles that it skips; and a rebuild skips those before it.
 * @see https://github.com/operator-framework/enhancements/blob/master/enhancements/substitutes-for.md
 */
function withRebuilds(
  name: string,
  { replaces, skips }: StatedGraph,
  rebuilds: Rebuilds,
): Pick<StatedGraph, 'replaces' | 'skips'> {
  const own = rebuilds.get(name) ?? [];
  const others = (other: string | undefined): readonly string[] =>
    other === undefined || own.includes(other) ? [] : (rebuilds.get(other) ?? []);
  const replaced = others(replaces).at(-1) ?? replaces;
  const more = [...own.slice(0, Math.max(0, own.indexOf(name))), ...others(replaces), ...skips.flatMap(others)];
  const added = new Set(more.filter((other) => other !== replaced && !skips.includes(other)));
  return { skips: [...skips, ...added], ...(replaced !== undefined && { replaces: replaced }) };
}
