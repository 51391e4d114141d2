/**
 * From which bundles of a channel upgrades lead to its head, over which of them, and where else the others lead. Pure; for
 * lint.ts and the picture of an upgrade graph.
 */
import { EdgeSources } from './edge-sources.ts';
import type { ChannelGraph, GraphBundle, GraphEntry } from './graph.ts';

/** Names of bundles of a channel, by the ways that lead on from them. */
export interface Ways {
  /** From which a way leads to the head. */
  readonly all: ReadonlySet<string>;
  /** Which another one skips. */
  readonly skipped: ReadonlySet<string>;
  /** From which a way leads to the head that uses no version that another one skips. */
  readonly unskipped: ReadonlySet<string>;
  /** Where the others lead, which do not reach the head: some bundles, in the order of the channel. */
  readonly next: ReadonlyMap<string, readonly string[]>;
}

/** @param most So many bundles are found at most to which another one leads that does not reach the head. */
export function waysIn(channel: ChannelGraph, head: GraphBundle, most: number): Ways {
  const all = waysToHead(channel);
  const skipped = new Set(channel.entries.flatMap(({ skips }) => [...skips]));
  const kept = channel.entries.filter(({ bundle }) => !skipped.has(bundle.name));
  return {
    all,
    skipped,
    unskipped: stepsBefore(channel.entries, waysTo(kept, head.name)),
    next: nextOf(channel, all, most),
  };
}

/** Names of the bundles of a channel from which upgrades lead to its head, the head included; none without a head. */
export function waysToHead({ entries, head }: ChannelGraph): ReadonlySet<string> {
  return head === undefined ? new Set() : waysTo(entries, head.name);
}

/** Names of the bundles from which edges into these entries lead to the head; the head is one of them. */
function waysTo(entries: readonly GraphEntry[], head: string): ReadonlySet<string> {
  const reaching = new Set([head]);
  const targets = new Map(entries.map((entry) => [entry.bundle.name, entry]));
  const sources = sourcesIn(entries);
  for (const name of reaching) {
    const target = targets.get(name);
    if (target !== undefined) sources.visit(target, ({ name: source }) => reaching.add(source).has(source));
  }
  return reaching;
}

function sourcesIn(entries: readonly GraphEntry[]): EdgeSources {
  return new EdgeSources(entries.map(({ bundle }) => bundle));
}

/** These bundles, and those from which one step leads to one of them. */
function stepsBefore(entries: readonly GraphEntry[], reached: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set(reached);
  const sources = sourcesIn(entries);
  for (const entry of entries)
    if (reached.has(entry.bundle.name)) sources.visit(entry, ({ name }) => found.add(name).has(name));
  return found;
}

/** The bundles to which one step leads from those that are not among the reaching ones: the first ones of each. */
function nextOf(
  { entries }: ChannelGraph,
  reaching: ReadonlySet<string>,
  most: number,
): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, string[]>();
  const sources = sourcesIn(entries.filter(({ bundle }) => !reaching.has(bundle.name)));
  for (const entry of entries) {
    sources.visit(entry, ({ name }) => {
      const known = next.get(name) ?? [];
      next.set(name, known);
      if (known.at(-1) !== entry.bundle.name) known.push(entry.bundle.name);
      return known.length >= most;
    });
  }
  return next;
}
