/**
 * Finds the best bundle of one catalog under a set of rules. Rules can be lifted one by one, which is how a "no" is
 * brought down to the few facts that cause it. The choice between catalogs is made in resolve.ts.
 */
import type { Cause } from './decision.ts';
import { bundlesOn, findBarred } from './faults.ts';
import {
  compareHighestFirst,
  comparePreference,
  type ChannelGraph,
  type GraphBundle,
  type EdgeStart,
  type UpgradeGraph,
} from './graph.ts';
import { findWays, type PathStep } from './paths.ts';
import type { Candidate, ChoiceRule, ResolveQuestion } from './question.ts';
import type { VersionRange } from './ranges/range.ts';
import { compareBundleVersions, parseBundleVersion, type BundleVersion } from './version.ts';

/** A package as one catalog offers it. */
export interface Offer {
  readonly catalog: string;
  readonly priority: number;
  readonly graph: UpgradeGraph;
}

/** The result of one evaluation; refusals are explained from it. */
export interface View {
  readonly candidate: Candidate | undefined;
  readonly channels: readonly ChannelGraph[];
  /** Bundles that must not be installed, not even on the way to another one, with the cause; by name. */
  readonly barred: ReadonlyMap<string, Cause>;
  readonly ways: ReadonlyMap<string, PathStep>;
  /** The installed bundle as this catalog has it, in any channel. */
  readonly known: GraphBundle | undefined;
}

/** Finds the best bundle of one offer under some rules. Dependency problems that it finds are noted in the question. */
export function evaluate({ graph, catalog }: Offer, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): View {
  const pool = createPool(graph, question, rules);
  const problems = knownProblems(question, catalog);
  const counts = rules.has('dependency');
  if (counts) for (const [name, cause] of problems) pool.barred.set(name, cause);
  const choose = createChooser(pool, question.wanted.edges === 'Follow' && rules.has('edges'));
  for (;;) {
    const { candidate, ways } = choose();
    const problem = counts ? firstDependencyProblem(candidate, catalog, question) : undefined;
    if (problem === undefined) return { ...pool, candidate, ways };
    for (const [name, cause] of [
      ...waiting(problem, pool, { question, catalog }),
      [problem.bundle.name, problem.cause],
    ] as const) {
      pool.barred.set(name, cause);
      problems.set(name, cause);
    }
  }
}

/**
 * If a bundle waits for an upgrade of another package, most higher ones do too: they are found at once. So are all that
 * wait since the effort for the ways is over.
 */
function waiting(
  { bundle: found, cause }: DependencyProblem,
  { channels, barred }: Pool,
  { question, catalog }: { readonly question: ResolveQuestion; readonly catalog: string },
): readonly (readonly [string, Cause])[] {
  if (cause.kind !== 'dependency' || !cause.because.some(({ kind }) => kind === 'way' || kind === 'effort')) return [];
  if (question.wayProblem(found, catalog) === undefined) return [];
  return channels.flatMap(({ entries }) =>
    entries.flatMap(({ bundle }) => {
      const waits = barred.has(bundle.name) ? undefined : question.wayProblem(bundle, catalog);
      return waits === undefined ? [] : [[bundle.name, waits] as const];
    }),
  );
}

function knownProblems({ problems }: ResolveQuestion, catalog: string): Map<string, Cause> {
  const known = problems.get(catalog) ?? new Map<string, Cause>();
  problems.set(catalog, known);
  return known;
}

/** The channels that a spec asks for: the named one, all, or the default one; a single channel needs no default. */
export function selectChannels(graph: UpgradeGraph, channel: string | undefined): readonly ChannelGraph[] {
  if (channel === '*') return [...graph.channels.values()];
  const selected = graph.channels.get(channel ?? graph.package.defaultChannel);
  if (selected !== undefined) return [selected];
  return channel === undefined && graph.channels.size === 1 ? [...graph.channels.values()] : [];
}

/** Whether a version satisfies the wanted range; without a range every version does. */
export function isInside(range: VersionRange | undefined, version: BundleVersion | undefined): boolean {
  return range === undefined || (version !== undefined && range.includes(version.version));
}

/** The installed bundle as the start of the graph; without a version if that cannot be parsed. */
export function originOf(bundle: string, version: string, release?: string): EdgeStart {
  const parsed = parseBundleVersion(version, release);
  return { name: bundle, version: parsed.ok ? parsed.value : undefined };
}

interface Pool {
  readonly channels: readonly ChannelGraph[];
  readonly barred: Map<string, Cause>;
  readonly known: GraphBundle | undefined;
  readonly range: VersionRange | undefined;
  readonly installed: EdgeStart | undefined;
  /** Whether to stay with an installed version that the catalog no longer has. */
  readonly holds: boolean;
  readonly leaves: boolean;
}

function createPool(graph: UpgradeGraph, question: ResolveQuestion, rules: ReadonlySet<ChoiceRule>): Pool {
  const { installed, wanted, range } = question;
  const channels = rules.has('channel') ? selectChannels(graph, wanted.channel) : [...graph.channels.values()];
  return {
    channels,
    barred: findBarred(channels, question, rules),
    known: installed === undefined ? undefined : findInstalled(graph, installed),
    range: rules.has('version') ? range : undefined,
    installed,
    holds: rules.has('downgrade'),
    leaves: question.leaves === true,
  };
}

type ChosenWays = Pick<View, 'candidate' | 'ways'>;

/** A function that chooses among the bundles that are not barred; it is called again when more of them are. */
function createChooser(pool: Pool, follows: boolean): () => ChosenWays {
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

/** Finds the installed bundle by name; in a catalog that renamed its bundles, by version and release. */
export function findInstalled(graph: UpgradeGraph, installed: EdgeStart): GraphBundle | undefined {
  const named = graph.bundles.get(installed.name);
  if (named !== undefined || installed.version === undefined) return named;
  const { version } = installed;
  return [...graph.bundles.values()].find(
    (bundle) => bundle.version.ok && compareBundleVersions(bundle.version.value, version) === 0,
  );
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

/** Whether a bundle has a lower version than the installed one, or the same version with a lower release. */
export function isLower(bundle: GraphBundle, installed: EdgeStart | undefined): boolean {
  const version = valueOf(bundle);
  return (
    version !== undefined && installed?.version !== undefined && compareBundleVersions(version, installed.version) < 0
  );
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

interface DependencyProblem {
  readonly bundle: GraphBundle;
  readonly cause: Cause;
}

function firstDependencyProblem(
  candidate: Candidate | undefined,
  catalog: string,
  { dependencyProblem }: ResolveQuestion,
): DependencyProblem | undefined {
  if (candidate === undefined) return undefined;
  for (const bundle of bundlesOn(candidate).toSorted(comparePreference)) {
    const cause = dependencyProblem(bundle, catalog);
    if (cause !== undefined) return { bundle, cause };
  }
  return undefined;
}

function valueOf(bundle: GraphBundle): BundleVersion | undefined {
  return bundle.version.ok ? bundle.version.value : undefined;
}
