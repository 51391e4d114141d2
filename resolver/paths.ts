/**
 * Finds the ways from an installed bundle along the edges of the graph: the shortest way to each reachable bundle, and
 * for each hop why it cannot be left out. candidates.ts chooses the target.
 */
import type { CheckTime } from './clock.ts';
import { coverage, IntervalIndex, rankOf, rankVersions } from './coverage.ts';
import { comparePreference, edgeInto, type Edge, type GraphBundle, type GraphEntry, type EdgeStart } from './graph.ts';
import { compareBundleVersions, type BundleVersion } from './version.ts';

/** The start of a search, and the entries that it may use. */
export interface Search {
  readonly from: EdgeStart;
  /** Entries that may be stepped on. */
  readonly entries: readonly GraphEntry[];
  /**
   * Whether a bundle is inside the wanted range. A way may cross bundles outside to get in; once inside it does not
   * leave again.
   */
  readonly inside: (bundle: GraphBundle) => boolean;
  readonly startsInside: boolean;
  /** Whether steps to a lower version count; never while an installed operator follows the graph. */
  readonly downgrades: boolean;
  /** Asked after each step; by default nothing ends the search. */
  readonly checkTime?: CheckTime;
}

/** One step of a way: the bundle that it installs, and the edge that allows it. */
export interface PathStep {
  readonly entry: GraphEntry;
  readonly edge: Edge;
  readonly previous: PathStep | undefined;
}

/** One hop of a path, as shown to people. */
export interface Hop {
  readonly bundle: string;
  readonly version: string;
  readonly channel: string;
  /** Absent if nothing was installed before, or the graph is not followed. */
  readonly edge?: Edge;
  /** Absent for the last hop: the bundle after it has no edge from the one before it. */
  readonly neededBetween?: { readonly from: string; readonly to: string };
}

/**
 * The last step of a shortest way to every bundle that can be reached, by name of bundle. Of several shortest
 * ways, one over bundles that are not deprecated and have high versions.
 */
export function findWays(search: Search): ReadonlyMap<string, PathStep> {
  const reached = new Map<string, PathStep>();
  let frontier = firstSteps(search, reached);
  const left = search.entries.filter(({ bundle: { name } }) => !reached.has(name) && name !== search.from.name);
  if (frontier.length === 0 || left.length === 0) return reached;
  const index = indexEntries(search, left);
  while (frontier.length > 0) {
    const next: PathStep[] = [];
    for (const step of frontier.sort(comparePreferred)) {
      search.checkTime?.();
      // Not spread: a step may lead to more bundles than a call takes arguments.
      for (const after of index.stepsAfter(step, reached)) next.push(after);
    }
    frontier = next;
  }
  return reached;
}

/** The hops of a way from a bundle, first to last. */
export function hopsOf(last: PathStep, from: string): readonly Hop[] {
  const steps = stepsTo(last);
  return steps.map((step, index) => describeHop(step, from, steps[index + 1]));
}

/** The steps of a way, first to last. */
export function stepsTo(last: PathStep): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (let step: PathStep | undefined = last; step !== undefined; step = step.previous) steps.push(step);
  return steps.reverse();
}

function describeHop({ entry, edge, previous }: PathStep, from: string, after: PathStep | undefined): Hop {
  const { name, bundle } = entry.bundle;
  const hop = { bundle: name, version: bundle.version, channel: entry.channel, edge };
  if (after === undefined) return hop;
  return { ...hop, neededBetween: { from: previous?.entry.bundle.name ?? from, to: after.entry.bundle.name } };
}

function comparePreferred(a: PathStep, b: PathStep): number {
  return comparePreference(a.entry.bundle, b.entry.bundle);
}

/** The installed bundle may be unknown to the catalog, so its edges are looked up one by one. */
function firstSteps(search: Search, reached: Map<string, PathStep>): PathStep[] {
  const steps: PathStep[] = [];
  for (const entry of search.entries) {
    if (reached.has(entry.bundle.name) || entry.bundle.name === search.from.name) continue;
    if (!mayFollow(search, { version: search.from.version, inside: search.startsInside }, entry.bundle)) continue;
    const edge = edgeInto(entry, search.from);
    if (edge === undefined) continue;
    const step = { entry, edge, previous: undefined };
    reached.set(entry.bundle.name, step);
    steps.push(step);
  }
  return steps;
}

function mayFollow(
  { inside, downgrades }: Search,
  from: { readonly version: BundleVersion | undefined; readonly inside: boolean },
  to: GraphBundle,
): boolean {
  if (from.inside && !inside(to)) return false;
  if (downgrades || from.version === undefined || !to.version.ok) return true;
  return compareBundleVersions(to.version.value, from.version) >= 0;
}

interface EntryIndex {
  readonly stepsAfter: (step: PathStep, reached: Map<string, PathStep>) => readonly PathStep[];
}

/**
 * Indexes the entries that are left to reach by the bundles that lead to them: by name, and by the rank of versions in
 * two indexes, inside and outside the range.
 */
function indexEntries(search: Search, left: readonly GraphEntry[]): EntryIndex {
  const ranking = rankVersions(
    search.entries.flatMap(({ bundle }) => (bundle.version.ok ? [bundle.version.value.version] : [])),
  );
  const byName = new Map<string, GraphEntry[]>();
  const insideIndex = new IntervalIndex<GraphEntry>(ranking.length);
  const outsideIndex = new IntervalIndex<GraphEntry>(ranking.length);
  for (const entry of left) {
    for (const name of new Set([...(entry.replaces === undefined ? [] : [entry.replaces]), ...entry.skips])) {
      const entries = byName.get(name);
      if (entries === undefined) byName.set(name, [entry]);
      else entries.push(entry);
    }
    const { skipRange, bundle } = entry;
    if (skipRange?.ok !== true || !bundle.version.ok) continue;
    const highest = search.downgrades ? ranking.length - 1 : rankOf(ranking, bundle.version.value.version);
    const index = search.inside(bundle) ? insideIndex : outsideIndex;
    for (const interval of coverage(skipRange.value, ranking, highest)) index.add(interval, entry);
  }
  return {
    stepsAfter: (step, reached) => {
      const from = step.entry.bundle;
      const origin = { name: from.name, version: from.version.ok ? from.version.value : undefined };
      const state = { version: origin.version, inside: search.inside(from) };
      const steps: PathStep[] = [];
      const take = (entry: GraphEntry): boolean => {
        if (reached.has(entry.bundle.name) || entry.bundle.name === search.from.name) return true;
        if (!mayFollow(search, state, entry.bundle)) return false;
        const edge = edgeInto(entry, origin);
        if (edge === undefined)
          throw new Error(`entry ${entry.bundle.name} is filed under ${from.name} without an edge`);
        const found = { entry, edge, previous: step };
        reached.set(entry.bundle.name, found);
        steps.push(found);
        return true;
      };
      for (const entry of byName.get(from.name) ?? []) take(entry);
      if (origin.version !== undefined) {
        const rank = rankOf(ranking, origin.version.version);
        insideIndex.takeAt(rank, take);
        if (!state.inside) outsideIndex.takeAt(rank, take);
      }
      return steps;
    },
  };
}
