/** Chooses the best bundle of a pool: among those that edges reach, or among all, and with the installed one as an answer. Pure. */
import type { Cause } from './decision.ts';
import type { CheckTime } from './clock.ts';
import { compareHighestFirst, type ChannelGraph, type EdgeStart, type GraphBundle } from './graph.ts';
import { findWays, type PathStep } from './paths.ts';
import { withInstalledContent } from './published-again.ts';
import type { Candidate } from './question.ts';
import type { VersionRange } from './ranges/range.ts';
import { isInside, isLower, valueOf, type InstalledBundle } from './selection.ts';

/** The bundles of one offer, and the rules for the choice. */
export interface Pool {
  readonly channels: readonly ChannelGraph[];
  readonly barred: Map<string, Cause>;
  /** The installed bundle as the catalog has it. */
  readonly known: GraphBundle | undefined;
  /** Whether the catalog has it with another content. */
  readonly isPublishedAgain: boolean;
  readonly range: VersionRange | undefined;
  readonly installed: InstalledBundle | undefined;
  /** Whether only edges lead from the installed bundle to another one. */
  readonly follows: boolean;
  /** Whether the spec names the channel, or could name any. */
  readonly isChannelNamed: boolean;
  /** Whether to stay with an installed version that the catalog no longer has. */
  readonly holds: boolean;
  readonly leaves: boolean;
  readonly checkTime: CheckTime;
}

export interface PoolChoice {
  readonly candidate: Candidate | undefined;
  readonly ways: ReadonlyMap<string, PathStep>;
  /** All bundles that were compared. */
  readonly compared: readonly Candidate[];
}

/** Chooses among the bundles that are not barred. */
export function choose(pool: Pool): PoolChoice {
  const { installed, channels, follows } = pool;
  const ways = installed !== undefined && follows ? findWaysFrom(installed, pool) : undefined;
  const compared = ways === undefined ? listAny(pool) : listReachable(pool, ways);
  return { candidate: pickBest(compared, channels), ways: ways ?? new Map(), compared };
}

function findWaysFrom(from: EdgeStart, pool: Pool): ReadonlyMap<string, PathStep> {
  const { channels, barred, known, range, checkTime } = pool;
  return findWays({
    checkTime,
    from: known === undefined ? from : { name: known.name, version: from.version },
    entries: channels.flatMap(({ entries }) => entries.filter(({ bundle }) => !barred.has(bundle.name))),
    inside: (bundle) => isInside(range, valueOf(bundle)),
    startsInside: isInside(range, from.version),
    downgrades: false,
  });
}

function listReachable(pool: Pool, ways: ReadonlyMap<string, PathStep>): readonly Candidate[] {
  const candidates: Candidate[] = stayCandidate(pool);
  for (const way of ways.values()) {
    const target = way.entry.bundle;
    if (isInside(pool.range, valueOf(target)))
      candidates.push({ target, channel: way.entry.channel, way, stay: false });
  }
  return candidates;
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

/**
 * A range or a channel of the spec without the installed version is a reason to downgrade. That the catalog no longer has
 * the version is none, nor that its author made another channel the default.
 */
function mayGoDown({ range, installed, known, holds, isChannelNamed }: Pool): boolean {
  return !holds || (known !== undefined && isChannelNamed) || !isInside(range, installed?.version);
}

/** The installed bundle as an answer: with the content that the catalog has now if that may be taken, else as it is. */
export function stayCandidate(pool: Pool): Candidate[] {
  const { known, channels, range, installed, leaves, isPublishedAgain } = pool;
  if (leaves || known === undefined || installed === undefined) return [];
  const own = new Set(known.channels);
  const channel = channels.find(({ name }) => own.has(name))?.name;
  if (channel === undefined) return [];
  const staying = { target: known, channel, way: undefined, stay: true };
  if (isPublishedAgain && mayFollowItself(known, pool)) return [{ ...staying, content: 'new' }];
  if (!isInside(range, installed.version)) return [];
  return isPublishedAgain
    ? [{ ...staying, target: withInstalledContent(known, installed), content: 'kept' }]
    : [staying];
}

/** A new content of the installed bundle needs no edge; the other rules are those for any bundle. */
function mayFollowItself(entry: GraphBundle, { barred, range, installed, follows }: Pool): boolean {
  if (barred.has(entry.name) || !isInside(range, valueOf(entry))) return false;
  return !isLower(entry, installed) || (!follows && !isInside(range, installed?.version));
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
