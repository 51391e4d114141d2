/**
 * Turns the channels of one package into its upgrade graph: versions and skipRanges parsed once, channel heads,
 * deprecations, and the question every search asks: may this bundle follow that one? The
 * resolver and the author's commands call it. It does not choose anything.
 */
import { compareText } from '../api/compare-text.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry, Deprecation } from '../catalog/model.ts';
import { parseBlangRange, type BlangRange } from './ranges/blang.ts';
import { compareBundleVersions, parseBundleVersion, type BundleVersion, type Parsed } from './version.ts';

/** A package's upgrade graph. */
export interface UpgradeGraph {
  readonly package: CatalogPackage;
  readonly deprecation: string | undefined;
  readonly bundles: ReadonlyMap<string, GraphBundle>;
  readonly channels: ReadonlyMap<string, ChannelGraph>;
}

/** A bundle and its place in the graph. */
export interface GraphBundle {
  readonly name: string;
  readonly bundle: CatalogBundle;
  readonly version: Parsed<BundleVersion>;
  /** Channels that have an entry for it, in the order of the catalog. */
  readonly channels: readonly string[];
  readonly deprecation: string | undefined;
}

export interface ChannelGraph {
  readonly name: string;
  readonly deprecation: string | undefined;
  /** Entries whose bundle the catalog has. */
  readonly entries: readonly GraphEntry[];
  /** Names of entries whose bundle the catalog lacks. */
  readonly missing: readonly string[];
  /** The bundle that no other replaces or skips; of several the highest; of none (a cycle) the highest of all. */
  readonly head: GraphBundle | undefined;
}

/** One entry of a channel. */
export interface GraphEntry {
  readonly channel: string;
  readonly bundle: GraphBundle;
  readonly replaces: string | undefined;
  readonly skips: ReadonlySet<string>;
  /** Absent, or parsed; an invalid one has no effect, as in the references. */
  readonly skipRange: Parsed<BlangRange> | undefined;
  /** As it is written. */
  readonly skipRangeText: string | undefined;
}

/** Why one bundle may follow another. */
export type Edge =
  | { readonly kind: 'replaces' }
  | { readonly kind: 'skips' }
  | { readonly kind: 'skipRange'; readonly range: string };

/** The start of an edge; the catalog need not have this bundle any more. */
export interface EdgeStart {
  readonly name: string;
  readonly version: BundleVersion | undefined;
}

const graphs = new WeakMap<CatalogPackage, UpgradeGraph>();

/** The graph of a package; the same package object gives the same graph, without work. */
export function upgradeGraph(content: CatalogPackage): UpgradeGraph {
  const known = graphs.get(content);
  if (known !== undefined) return known;
  const graph = buildUpgradeGraph(content);
  graphs.set(content, graph);
  return graph;
}

/** The edge from a bundle directly to an entry; undefined if there is none. */
export function edgeInto(entry: GraphEntry, from: EdgeStart): Edge | undefined {
  if (entry.replaces === from.name) return { kind: 'replaces' };
  if (entry.skips.has(from.name)) return { kind: 'skips' };
  if (entry.skipRange?.ok !== true || from.version === undefined) return undefined;
  const range = entry.skipRange.value;
  return range.includes(from.version.version) ? { kind: 'skipRange', range: range.text } : undefined;
}

/** Orders bundles of one package, the one to prefer first: not deprecated, higher version, higher release, name. */
export function comparePreference(a: GraphBundle, b: GraphBundle): number {
  return Number(a.deprecation !== undefined) - Number(b.deprecation !== undefined) || compareHighestFirst(a, b);
}

/** Orders bundles of one package by version, the highest first; those without a valid version last. */
export function compareHighestFirst(a: GraphBundle, b: GraphBundle): number {
  return compareParsed(b.version, a.version) || compareText(a.name, b.name);
}

function buildUpgradeGraph(content: CatalogPackage): UpgradeGraph {
  const deprecations = indexDeprecations(content.deprecations);
  const bundles = buildBundles(content, deprecations.bundles);
  const channels = new Map<string, ChannelGraph>();
  for (const channel of content.channels) {
    if (channels.has(channel.name)) continue;
    channels.set(channel.name, buildChannel(channel, bundles, deprecations.channels.get(channel.name)));
  }
  return { package: content, deprecation: deprecations.package, bundles, channels };
}

interface GraphDeprecations {
  readonly package: string | undefined;
  readonly channels: ReadonlyMap<string, string>;
  readonly bundles: ReadonlyMap<string, string>;
}

function indexDeprecations(deprecations: readonly Deprecation[]): GraphDeprecations {
  const named = (schema: Deprecation['schema']): ReadonlyMap<string, string> =>
    new Map(deprecations.filter((one) => one.schema === schema).map(({ name = '', message }) => [name, message]));
  return {
    package: deprecations.find(({ schema }) => schema === 'olm.package')?.message,
    channels: named('olm.channel'),
    bundles: named('olm.bundle'),
  };
}

function buildBundles(content: CatalogPackage, deprecated: ReadonlyMap<string, string>): Map<string, GraphBundle> {
  const channelsOf = new Map<string, string[]>();
  for (const { name, entries } of content.channels) {
    for (const entry of new Set(entries.map((one) => one.name))) {
      const channels = channelsOf.get(entry);
      if (channels === undefined) channelsOf.set(entry, [name]);
      else channels.push(name);
    }
  }
  const bundles = new Map<string, GraphBundle>();
  for (const bundle of content.bundles) {
    const { name } = bundle;
    if (bundles.has(name)) continue;
    const version = parseBundleVersion(bundle.version, bundle.release);
    bundles.set(name, {
      name,
      bundle,
      version,
      channels: channelsOf.get(name) ?? [],
      deprecation: deprecated.get(name),
    });
  }
  return bundles;
}

function buildChannel(
  channel: Channel,
  bundles: ReadonlyMap<string, GraphBundle>,
  deprecation: string | undefined,
): ChannelGraph {
  const entries: GraphEntry[] = [];
  const missing: string[] = [];
  for (const entry of channel.entries) {
    const bundle = bundles.get(entry.name);
    if (bundle === undefined) missing.push(entry.name);
    else entries.push(buildEntry(channel.name, entry, bundle));
  }
  return { name: channel.name, deprecation, entries, missing, head: pickHead(entries) };
}

/** Shared, as most entries skip no other. */
const NO_SKIPS: ReadonlySet<string> = new Set();

function buildEntry(channel: string, { replaces, skips, skipRange }: ChannelEntry, bundle: GraphBundle): GraphEntry {
  return {
    channel,
    bundle,
    replaces: replaces === '' ? undefined : replaces,
    skips: skips.length === 0 ? NO_SKIPS : new Set(skips),
    skipRange: skipRange === undefined || skipRange === '' ? undefined : parseBlangRange(skipRange),
    skipRangeText: skipRange,
  };
}

function pickHead(entries: readonly GraphEntry[]): GraphBundle | undefined {
  const followed = new Set<string>();
  for (const { bundle, replaces, skips } of entries) {
    for (const name of [...skips, ...(replaces === undefined ? [] : [replaces])]) {
      if (name !== bundle.name) followed.add(name);
    }
  }
  const tops = entries.filter(({ bundle }) => !followed.has(bundle.name));
  const candidates = tops.length > 0 ? tops : entries;
  return candidates.map(({ bundle }) => bundle).sort(compareHighestFirst)[0];
}

function compareParsed(a: Parsed<BundleVersion>, b: Parsed<BundleVersion>): number {
  if (!a.ok || !b.ok) return Number(a.ok) - Number(b.ok);
  return compareBundleVersions(a.value, b.value);
}
