/**
 * One object never stops the others: a hostile object of each kind, with a hostile value in each field, and random ones
 * beside healthy Subscriptions, which go on. `make test` takes one field of twelve; `make fuzz` takes each, for a given time.
 */
import { expect, test } from 'vitest';
import { fuzz } from '../../fuzz/fuzz.ts';
import { judge } from '../../fuzz/verdict.ts';
import { useCluster } from '../../lib/cluster.ts';
import { byExtent } from '../../lib/sample.ts';

/** The same acts each time; another number is for `make fuzz`. */
const SEED = 20_261_122;
const cluster = useCluster();

test(
  'healthy Subscriptions are reconciled beside hostile objects of each kind and field',
  { timeout: 600_000 },
  async () => {
    const pace = { seed: SEED, actors: 4, actsPerSecond: 12 };
    const oneFieldIn = byExtent({ all: 1, sample: 12 });
    const [seconds, quietSeconds] = byExtent({ all: [20, 20], sample: [10, 5] });
    const evidence = await fuzz(cluster(), { ...pace, oneFieldIn, seconds, quietSeconds });
    expect(judge(evidence).filter(({ isKept }) => !isKept)).toEqual([]);
  },
);
