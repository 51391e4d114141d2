/** The bundles of a channel by the ranks of their versions, for searches by skipRange: edge-sources.ts, range-sources.ts. Pure. */
import { rankOf, rankVersions, type Ranking } from './coverage.ts';
import type { GraphBundle } from './graph.ts';

export interface RankedBundles {
  readonly ranking: Ranking;
  /** Of each rank its bundles, in the order that was given. Mutable: a search may drop those that it needs no more. */
  readonly atRank: GraphBundle[][];
}

/** Bundles whose version cannot be read have no rank. */
export function rankBundles(bundles: readonly GraphBundle[]): RankedBundles {
  const ranked = bundles.flatMap((bundle) =>
    bundle.version.ok ? [{ bundle, version: bundle.version.value.version }] : [],
  );
  const ranking = rankVersions(ranked.map(({ version }) => version));
  const atRank: GraphBundle[][] = ranking.map(() => []);
  for (const { bundle, version } of ranked) atRank[rankOf(ranking, version)]?.push(bundle);
  return { ranking, atRank };
}
