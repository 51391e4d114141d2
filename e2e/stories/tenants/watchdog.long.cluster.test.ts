/**
 * One object never stops the others: a hostile object of each kind, with a hostile value in each field, and random ones
 * beside healthy Subscriptions, which go on. `make fuzz` does so for a given time.
 */
import { expect, test } from 'vitest';
import { fuzz } from '../../fuzz/fuzz.ts';
import { judge } from '../../fuzz/verdict.ts';
import { useCluster } from '../../lib/cluster.ts';

/** The same acts each time; another number is for `make fuzz`. */
const SEED = 20_261_122;
const cluster = useCluster();

test(
  'healthy Subscriptions are reconciled beside hostile objects of each kind and field',
  { timeout: 600_000 },
  async () => {
    const pace = { seed: SEED, actors: 4, actsPerSecond: 12 };
    const evidence = await fuzz(cluster(), { ...pace, oneFieldIn: 1, seconds: 20, quietSeconds: 20 });
    expect(judge(evidence).filter(({ isKept }) => !isKept)).toEqual([]);
  },
);
