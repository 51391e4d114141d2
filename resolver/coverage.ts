/**
 * Answers, for many bundles one after another, "which entries have a skipRange that contains this version?", each
 * entry at most once. A search over a graph of n versions then takes n log n steps, not n squared.
 */
import type { BlangRange, Comparator } from './ranges/blang.ts';
import { compareVersions, type SemanticVersion } from './version.ts';

/** Distinct versions in ascending order; a version's place in it is its rank. */
export type Ranking = readonly SemanticVersion[];

/** Ranks from `first` to `last`, both inside. */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Sorts versions and drops those of equal precedence. */
export function rankVersions(versions: readonly SemanticVersion[]): Ranking {
  return versions
    .toSorted(compareVersions)
    .filter((version, index, sorted) => index === 0 || compareVersions(version, sorted[index - 1] ?? version) !== 0);
}

/** The first rank whose version is not below the given one. */
export function rankOf(ranking: Ranking, version: SemanticVersion): number {
  return firstRank(ranking, (candidate) => compareVersions(candidate, version) >= 0);
}

/** The ranks that a range contains, up to a highest one. */
export function coverage(range: BlangRange, ranking: Ranking, highest: number): Interval[] {
  return range.alternatives.flatMap((comparators) => coverAll(comparators, ranking, highest));
}

function coverAll(comparators: readonly Comparator[], ranking: Ranking, highest: number): Interval[] {
  let first = 0;
  let last = highest;
  const holes: number[] = [];
  for (const { operator, version } of comparators) {
    const atLeast = rankOf(ranking, version);
    const above = firstRank(ranking, (candidate) => compareVersions(candidate, version) > 0);
    if (operator === '!=' && above > atLeast) holes.push(atLeast);
    if (operator === '>=' || operator === '=') first = Math.max(first, atLeast);
    if (operator === '>') first = Math.max(first, above);
    if (operator === '<') last = Math.min(last, atLeast - 1);
    if (operator === '<=' || operator === '=') last = Math.min(last, above - 1);
  }
  return cutHoles({ first, last }, holes);
}

function cutHoles({ first, last }: Interval, holes: readonly number[]): Interval[] {
  const intervals: Interval[] = [];
  let from = first;
  for (const hole of [...holes].sort((a, b) => a - b)) {
    if (hole < from || hole > last) continue;
    if (hole > from) intervals.push({ first: from, last: hole - 1 });
    from = hole + 1;
  }
  if (from <= last) intervals.push({ first: from, last });
  return intervals;
}

function firstRank(ranking: Ranking, holds: (version: SemanticVersion) => boolean): number {
  let low = 0;
  let high = ranking.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const version = ranking[middle];
    if (version !== undefined && holds(version)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Items filed under intervals of ranks, to be taken out by rank: a segment tree whose nodes hold items. */
export class IntervalIndex<Item> {
  readonly #leaves: number;
  readonly #nodes = new Map<number, Item[]>();

  constructor(ranks: number) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, ranks)));
  }

  add({ first, last }: Interval, item: Item): void {
    let low = first + this.#leaves;
    let high = last + this.#leaves + 1;
    for (; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) this.#file(low++, item);
      if (high % 2 === 1) this.#file(--high, item);
    }
  }

  /** Hands over every item whose interval contains the rank; those that `take` accepts are not offered there again. */
  takeAt(rank: number, take: (item: Item) => boolean): void {
    for (let node = rank + this.#leaves; node >= 1; node >>= 1) {
      const items = this.#nodes.get(node);
      if (items === undefined) continue;
      const kept = items.filter((item) => !take(item));
      if (kept.length === 0) this.#nodes.delete(node);
      else this.#nodes.set(node, kept);
    }
  }

  #file(node: number, item: Item): void {
    const items = this.#nodes.get(node);
    if (items === undefined) this.#nodes.set(node, [item]);
    else items.push(item);
  }
}
