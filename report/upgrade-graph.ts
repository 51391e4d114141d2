/**
 * The upgrade graph of a package as data for drawing: each channel is a lane, with its versions, their marks and the
 * edges between them. Text, Mermaid, DOT, SVG and JSON show the same. Pure; texts are not cleaned yet.
 */
import { compareText } from '../api/compare-text.ts';
import type { CatalogPackage } from '../catalog/model.ts';
import { compareHighestFirst, upgradeGraph, type ChannelGraph, type Edge, type GraphEntry } from '../resolver/graph.ts';
import { waysToHead } from '../resolver/channel-ways.ts';
import { RangeSources } from '../resolver/range-sources.ts';

/** Each mark with the words of the legend. */
export const MARKS = {
  head: 'head: upgrades end here',
  deprecated: 'deprecated',
  skipped: 'skipped by another version',
  stranded: 'stranded: no upgrade leads from it to the head',
  missing: 'missing: the catalog does not have it',
} as const;
export type GraphMark = keyof typeof MARKS;

export interface DrawnGraph {
  readonly package: string;
  readonly defaultChannel: string;
  readonly deprecation?: string;
  readonly lanes: readonly Lane[];
}

export interface Lane {
  readonly channel: string;
  readonly isDefault: boolean;
  readonly deprecation?: string;
  /** The highest version first; a missing one stands below the version that names it. */
  readonly nodes: readonly DrawnNode[];
  /** By the position of the version that they lead to. */
  readonly edges: readonly DrawnEdge[];
}

export interface DrawnNode {
  readonly bundle: string;
  /** Empty if it is missing. */
  readonly version: string;
  readonly marks: readonly GraphMark[];
  readonly deprecation?: string;
  readonly skipRange?: string;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: Edge['kind'];
}

/** The lanes of these channels, or of all: the default channel first, the others by name. */
export function graphOf(content: CatalogPackage, only?: readonly string[]): DrawnGraph {
  const graph = upgradeGraph(content);
  const isDefault = (name: string): boolean => name === content.defaultChannel;
  const channels = [...graph.channels.values()].filter(({ name }) => only === undefined || only.includes(name));
  const sorted = channels.toSorted(
    (a, b) => Number(isDefault(b.name)) - Number(isDefault(a.name)) || compareText(a.name, b.name),
  );
  return {
    package: content.name,
    defaultChannel: content.defaultChannel,
    ...(graph.deprecation !== undefined && { deprecation: graph.deprecation }),
    lanes: sorted.map((channel) => laneOf(channel, isDefault(channel.name))),
  };
}

function laneOf(channel: ChannelGraph, isDefault: boolean): Lane {
  const entries = channel.entries.toSorted((a, b) => compareHighestFirst(a.bundle, b.bundle));
  const nodes = withMissing(channel, entries);
  const names = new Set(nodes.map(({ bundle }) => bundle));
  const sources = new RangeSources(entries.map(({ bundle }) => bundle));
  return {
    channel: channel.name,
    isDefault,
    ...(channel.deprecation !== undefined && { deprecation: channel.deprecation }),
    nodes,
    edges: entries.flatMap((entry) => edgesInto(entry, sources)).filter(({ from }) => names.has(from)),
  };
}

/** The versions of a channel, and those that it names and that are missing. */
function withMissing(channel: ChannelGraph, entries: readonly GraphEntry[]): readonly DrawnNode[] {
  const known = new Set(entries.map(({ bundle }) => bundle.name));
  const reaching = channel.head === undefined ? known : waysToHead(channel);
  const skipped = new Set(entries.flatMap(({ skips }) => [...skips]));
  const nodes: DrawnNode[] = [];
  for (const entry of entries) {
    nodes.push(nodeOf(entry, { isHead: entry.bundle === channel.head, skipped, reaching }));
    if (entry.replaces === undefined || known.has(entry.replaces)) continue;
    known.add(entry.replaces);
    nodes.push(missingNode(entry.replaces));
  }
  return [...nodes, ...channel.missing.filter((name) => !known.has(name)).map(missingNode)];
}

function missingNode(bundle: string): DrawnNode {
  return { bundle, version: '', marks: ['missing'] };
}

interface NodeJudgement {
  readonly isHead: boolean;
  readonly skipped: ReadonlySet<string>;
  readonly reaching: ReadonlySet<string>;
}

function nodeOf({ bundle, skipRangeText }: GraphEntry, { isHead, skipped, reaching }: NodeJudgement): DrawnNode {
  const has: Readonly<Record<GraphMark, boolean>> = {
    head: isHead,
    deprecated: bundle.deprecation !== undefined,
    skipped: skipped.has(bundle.name),
    stranded: !reaching.has(bundle.name),
    missing: false,
  };
  return {
    bundle: bundle.name,
    version: bundle.bundle.version,
    marks: (Object.keys(MARKS) as GraphMark[]).filter((mark) => has[mark]),
    ...(bundle.deprecation !== undefined && { deprecation: bundle.deprecation }),
    ...(skipRangeText !== undefined && { skipRange: skipRangeText }),
  };
}

/**
 * The edges into a version. Of the versions that only its skipRange allows, the highest has an edge: the range itself is
 * written beside the version.
 */
function edgesInto(entry: GraphEntry, sources: RangeSources): readonly DrawnEdge[] {
  const to = entry.bundle.name;
  const named = [
    ...(entry.replaces === undefined || entry.replaces === to
      ? []
      : [{ from: entry.replaces, kind: 'replaces' as const }]),
    ...[...entry.skips]
      .filter((name) => name !== to && name !== entry.replaces)
      .map((name) => ({ from: name, kind: 'skips' as const })),
  ];
  const byRange = sources.highestInto(entry);
  const all = [...named, ...(byRange === undefined ? [] : [{ from: byRange.name, kind: 'skipRange' as const }])];
  return all.map(({ from, kind }) => ({ from, to, kind }));
}
