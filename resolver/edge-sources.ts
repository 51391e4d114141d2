/**
 * Answers, for many entries one after another, "from which bundles does an edge lead into this entry?", each bundle until it is
 * settled. Following all edges of n bundles back then takes n log n steps, not n squared. channel-ways.ts calls it. Pure.
 */
import { coverage, type Interval, type Ranking } from './coverage.ts';
import type { GraphBundle, GraphEntry } from './graph.ts';
import { rankBundles } from './ranked-bundles.ts';

/** The bundles of a channel from which edges may lead. */
export class EdgeSources {
  readonly #byName: Map<string, GraphBundle>;
  readonly #ranking: Ranking;
  /** The bundles that are not settled, by the rank of their versions. */
  readonly #atRank: GraphBundle[][];
  /** Of each rank without such bundles a higher rank, itself of any other; a chain of them leads to the next one with some. */
  readonly #next: number[];

  constructor(bundles: readonly GraphBundle[]) {
    this.#byName = new Map(bundles.map((bundle) => [bundle.name, bundle]));
    ({ ranking: this.#ranking, atRank: this.#atRank } = rankBundles([...this.#byName.values()]));
    this.#next = this.#ranking.map((_version, rank) => rank);
  }

  /** Visits the bundles from which an edge leads into the entry; one for which `settle` returns true is never visited again. */
  visit(entry: GraphEntry, settle: (source: GraphBundle) => boolean): void {
    const { bundle, replaces, skips, skipRange } = entry;
    for (const name of new Set([...(replaces === undefined ? [] : [replaces]), ...skips])) {
      const source = this.#byName.get(name);
      if (source !== undefined && name !== bundle.name && settle(source)) this.#byName.delete(name);
    }
    if (skipRange?.ok !== true) return;
    for (const interval of coverage(skipRange.value, this.#ranking, this.#ranking.length - 1))
      this.#visitRanks(interval, (source) => source.name !== bundle.name && this.#settles(source, settle));
  }

  /** Whether the bundle is settled, now or before. */
  #settles(source: GraphBundle, settle: (source: GraphBundle) => boolean): boolean {
    if (!this.#byName.has(source.name)) return true;
    if (!settle(source)) return false;
    this.#byName.delete(source.name);
    return true;
  }

  #visitRanks({ first, last }: Interval, settles: (source: GraphBundle) => boolean): void {
    for (let rank = this.#firstFrom(first); rank <= last; rank = this.#firstFrom(rank + 1)) {
      const left = (this.#atRank[rank] ?? []).filter((source) => !settles(source));
      this.#atRank[rank] = left;
      if (left.length === 0) this.#next[rank] = rank + 1;
    }
  }

  /** The first rank from this one on that has bundles; shortens the chain that leads there. */
  #firstFrom(rank: number): number {
    let found = rank;
    while ((this.#next[found] ?? found) !== found) found = this.#next[found] ?? found;
    for (let at = rank; at !== found;) {
      const after = this.#next[at] ?? found;
      this.#next[at] = found;
      at = after;
    }
    return found;
  }
}
