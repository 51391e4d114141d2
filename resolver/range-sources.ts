/**
 * Answers, for many entries one after another, "which is the highest bundle from which only the skipRange leads into this entry?".
 * An answer takes log n steps, and one more for each bundle that the entry names itself. report/upgrade-graph.ts asks. Pure.
 */
import { coverage } from './coverage.ts';
import type { GraphBundle, GraphEntry } from './graph.ts';
import { rankBundles, type RankedBundles } from './ranked-bundles.ts';

/** The bundles of a channel, by the rank of their versions. */
export class RangeSources {
  readonly #ranked: RankedBundles;

  /** @param bundles The highest first, as compareHighestFirst orders them. */
  constructor(bundles: readonly GraphBundle[]) {
    this.#ranked = rankBundles(bundles);
  }

  /** Undefined if the entry has no skipRange that can be read, or if that leads from no further bundle. */
  highestInto({ bundle, replaces, skips, skipRange }: GraphEntry): GraphBundle | undefined {
    if (skipRange?.ok !== true) return undefined;
    const isFurther = ({ name }: GraphBundle): boolean => name !== bundle.name && name !== replaces && !skips.has(name);
    const { ranking, atRank } = this.#ranked;
    const intervals = coverage(skipRange.value, ranking, ranking.length - 1);
    let below = ranking.length;
    // Alternatives may overlap: no rank is searched twice.
    for (const { first, last } of intervals.toSorted((a, b) => b.last - a.last)) {
      for (let rank = Math.min(last, below - 1); rank >= first; rank--) {
        const found = atRank[rank]?.find(isFurther);
        if (found !== undefined) return found;
        below = rank;
      }
    }
    return undefined;
  }
}
