/** Chooses the best bundle of a pool: among those that edges reach, or among all, and with the installed one as an answer. Pure. */
import type { Cause } from './decision.ts';
import { compareHighestFirst, type ChannelGraph, type EdgeStart, type GraphBundle } from './graph.ts';
import { findWays, type PathStep } from './paths.ts';
import type { Candidate } from './question.ts';
import type { VersionRange } from './ranges/range.ts';
import { isInside, isLower, valueOf } from './selection.ts';

/** The bundles of one offer, and the rules for the choice. */
export interface Pool {
  readonly channels: readonly ChannelGraph[];
  readonly barred: Map<string, Cause>;
  readonly known: GraphBundle | undefined;
  readonly range: VersionRange | undefined;
  readonly installed: EdgeStart | undefined;
  /** Whether to stay with an installed version that the catalog no longer has. */
  readonly holds: boolean;
  readonly leaves: boolean;
}

interface ChosenWays {
  readonly candidate: Candidate | undefined;
  readonly ways: ReadonlyMap<string, PathStep>;
}

/** A function that chooses among the bundles that are not barred; it is called again when more of them are. */
export function createChooser(pool: Pool, follows: boolean): () => ChosenWays {
  const { installed, channels, barred } = pool;
  if (installed !== undefined && follows)
    return () => {
      const ways = findWaysFrom(installed, pool);
      return { candidate: pickReachable(pool, ways), ways };
    };
  const candidates = listAny(pool);
  return () => {
    const left = candidates.filter(({ target, stay }) => stay || !barred.has(target.name));
    return { candidate: pickBest(left, channels), ways: new Map() };
  };
}

function findWaysFrom(from: EdgeStart, { channels, barred, known, range }: Pool): ReadonlyMap<string, PathStep> {
  return findWays({
    from: known === undefined ? from : { name: known.name, version: from.version },
    entries: channels.flatMap(({ entries }) => entries.filter(({ bundle }) => !barred.has(bundle.name))),
    inside: (bundle) => isInside(range, valueOf(bundle)),
    startsInside: isInside(range, from.version),
    downgrades: false,
  });
}

function pickReachable(pool: Pool, ways: ReadonlyMap<string, PathStep>): Candidate | undefined {
  const candidates: Candidate[] = stayCandidate(pool);
  for (const way of ways.values()) {
    const target = way.entry.bundle;
    if (isInside(pool.range, valueOf(target)))
      candidates.push({ target, channel: way.entry.channel, way, stay: false });
  }
  return pickBest(candidates, pool.channels);
}

/** All bundles that are not barred; lower than the installed one only if that one is not an answer. */
function listAny(pool: Pool): readonly Candidate[] {
  const staying = stayCandidate(pool);
  const candidates = [...staying];
  const seen = new Set(staying.map(({ target }) => target.name));
  for (const { name: channel, entries } of pool.channels) {
    for (const { bundle: target } of entries) {
      if (seen.has(target.name) || pool.barred.has(target.name) || !isInside(pool.range, valueOf(target))) continue;
      if (pool.leaves && target === pool.known) continue;
      if (isLower(target, pool.installed) && (staying.length > 0 || !mayGoDown(pool))) continue;
      seen.add(target.name);
      candidates.push({ target, channel, way: undefined, stay: false });
    }
  }
  return candidates;
}

/** A version that vanished from the catalog is no reason to downgrade; a range or a channel without it is. */
function mayGoDown({ range, installed, known, holds }: Pool): boolean {
  return !holds || known !== undefined || !isInside(range, installed?.version);
}

function stayCandidate({ known, channels, range, installed, leaves }: Pool): Candidate[] {
  if (leaves || known === undefined || !isInside(range, installed?.version)) return [];
  const channel = channels.find(({ name }) => known.channels.includes(name));
  return channel === undefined ? [] : [{ target: known, channel: channel.name, way: undefined, stay: true }];
}

/** Not deprecated before deprecated, then those that no available head of their channels supersedes, then the highest. */
function pickBest(candidates: readonly Candidate[], channels: readonly ChannelGraph[]): Candidate | undefined {
  const available = new Set(candidates.map(({ target }) => target.name));
  const superseded = new Set(available);
  for (const { head, entries } of channels) {
    const headless = head === undefined || !available.has(head.name);
    for (const { bundle } of entries) if (headless || bundle === head) superseded.delete(bundle.name);
  }
  const compare = (a: Candidate, b: Candidate): number => {
    const deprecated = Number(a.target.deprecation !== undefined) - Number(b.target.deprecation !== undefined);
    const behind = Number(superseded.has(a.target.name)) - Number(superseded.has(b.target.name));
    return deprecated || behind || compareHighestFirst(a.target, b.target);
  };
  const [first, ...others] = candidates;
  return first === undefined ? undefined : others.reduce((a, b) => (compare(b, a) < 0 ? b : a), first);
}
