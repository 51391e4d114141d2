/**
 * An API server does to objects what our verdict says, for published CRDs. `SLIPWAY_CRD_CORPUS=0-500` runs those pairs,
 * the smallest first; without it, a few of them.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startCluster } from '../../cluster/cluster.ts';
import { FOR_MANY_KINDS, useCluster } from '../../lib/cluster.ts';
import { hasShared } from '../../lib/shared.ts';
import { corpusPairs, foundPairs } from './corpus.ts';
import { judge, seeOutcome, type Pair } from './experiment.ts';
import type { TestCluster } from '../../cluster/cluster.ts';

interface Seen {
  readonly name: string;
  readonly refused?: string;
  readonly objects: number;
  readonly hurt: readonly string[];
  readonly laxer: readonly string[];
  readonly stricter: readonly string[];
}

async function see(cluster: TestCluster, pair: Pair): Promise<Seen> {
  const outcome = await seeOutcome(cluster, pair);
  const none = { name: pair.name, objects: 0, hurt: [], laxer: [], stricter: [] };
  if (outcome.kind === 'refused') return { ...none, refused: outcome.because };
  const fates = outcome.fates.filter(({ harm }) => harm?.includes('conversion webhook') !== true);
  const judged = await Promise.all(fates.map(async (fate) => ({ ...fate, verdict: await judge(pair, [fate.object]) })));
  const named = ({ object }: { readonly object: { readonly metadata: { readonly name: string } } }): string =>
    `${pair.name} ${object.metadata.name}`;
  return {
    ...none,
    objects: judged.length,
    hurt: judged.flatMap((each) => (each.harm === undefined ? [] : [`${named(each)}: ${each.harm}`])),
    laxer: judged.flatMap((each) =>
      each.harm !== undefined && each.verdict.length === 0 ? [`${named(each)}: ${each.harm}`] : [],
    ),
    stricter: judged.flatMap((each) =>
      each.harm === undefined && each.verdict.length > 0 ? [`${named(each)}: ${each.verdict.join('; ')}`] : [],
    ),
  };
}

function tell(title: string, seen: readonly Seen[]): void {
  const count = (of: (each: Seen) => number): number => seen.reduce((sum, each) => sum + of(each), 0);
  const compared = seen.filter(({ objects }) => objects > 0);
  process.stdout.write(
    `crd safety: ${seen.length} ${title}, ${compared.length} with objects, ${seen.filter(({ refused }) => refused !== undefined).length} refused by the API server; ` +
      `${count(({ objects }) => objects)} objects, ${count(({ hurt }) => hurt.length)} hurt, ${count(({ laxer }) => laxer.length)} laxer, ${count(({ stricter }) => stricter.length)} stricter\n`,
  );
}

describe.skipIf(!hasShared)('published CRDs', () => {
  const cluster = useCluster(FOR_MANY_KINDS);

  test('upgrades that were misjudged once', async () => {
    const seen = await Promise.all(foundPairs().map((pair) => see(cluster(), pair)));
    tell('pairs that were misjudged once', seen);
    expect(seen.flatMap(({ laxer }) => laxer)).toEqual([]);
    expect(seen.flatMap(({ stricter }) => stricter)).toEqual([]);
    const hurt = seen.flatMap((each) => each.hurt);
    for (const loss of [
      'xls.charts.helm.k8s.io 42.2.0',
      'ndmspcconfigs.apps.ndmspc.io 0.9.0',
      'ndmspcconfigs.apps.ndmspc.io 0.11.4',
    ]) {
      expect(hurt).toContainEqual(expect.stringContaining(loss));
    }
    // The first object is the example of the publisher, if there is one.
    expect(hurt.filter((each) => / o0: /.test(each))).toEqual([]);
  });

  const [from = 0, to = 0] = (process.env['SLIPWAY_CRD_CORPUS'] ?? '').split('-').map(Number);
  const A_CLUSTER = 60;
  /** Every so many of all pairs, unless the caller asks for a range. */
  const EVERY = 160;

  test('consecutive versions', { timeout: 3_600_000 }, async () => {
    const pairs = to > 0 ? corpusPairs().slice(from, to) : corpusPairs({ every: EVERY });
    const seen: Seen[] = [];
    for (let start = 0; start < pairs.length; start += A_CLUSTER) {
      await using further = start === 0 ? undefined : await startCluster({ only: ['kube-apiserver'] });
      const own = further ?? cluster();
      const waiting = pairs.slice(start, start + A_CLUSTER);
      const work = async (): Promise<void> => {
        for (let pair = waiting.shift(); pair !== undefined; pair = waiting.shift()) seen.push(await see(own, pair));
      };
      await Promise.all([work(), work(), work(), work()]);
    }
    tell('pairs of consecutive versions', seen);
    const file = process.env['SLIPWAY_CRD_ROWS'];
    if (file !== undefined) writeFileSync(file, JSON.stringify(seen, undefined, 1));
    expect(seen.flatMap(({ laxer }) => laxer)).toEqual([]);
    expect(seen.flatMap(({ stricter }) => stricter)).toEqual([]);
  });
});
