/**
 * A fixed sample of `make chaos`: the manager dies at some of its writes, its requests meet faults, and the ends are the
 * undisturbed ones. All of it takes hours; docs/reliability.md has the tables.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playSeeds } from '../../chaos/faults.ts';
import { killAtEveryWrite } from '../../chaos/kills.ts';
import { syntheticOperator } from '../../chaos/operators.ts';
import { SCENARIOS } from '../../chaos/scenarios.ts';
import { Stage } from '../../chaos/stage.ts';
import { useCluster } from '../../lib/cluster.ts';

const cluster = useCluster();
/** One is upgraded, one configured, one rolled back, one uninstalled. */
const FEW = 4;

describe('a manager that is killed at a write and started again', () => {
  const operator = syntheticOperator();
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open(cluster(), [operator]);
  });
  afterAll(async () => stage?.[Symbol.asyncDispose]());

  test('ends an upgrade as if it had not been, whether no Revision is active or leftovers wait', async () => {
    const scenario = SCENARIOS.find(({ name }) => name === 'upgrade')!;
    const only = [4, 14];
    const row = await killAtEveryWrite({ stage, operator, scenario, only, moments: ['before'] });
    expect(row.differing).toEqual([]);
    // The Revision before is archived, and the next one does not exist; the next one works, and leftovers are pruned.
    expect(row.killed).toEqual([
      expect.stringMatching(/^POST .*\/revisions$/),
      expect.stringMatching(/^(DELETE|PATCH) .*(chaos\.v1|chaos-old|revisions\/chaos-2)/),
    ]);
  });
});

test('Subscriptions whose manager meets faults for a while end as those whose manager met none', async () => {
  const severity = { seconds: 10, longestPartitionSeconds: 2, deadline: '3s' };
  const rows = await playSeeds(cluster(), { ...severity, seeds: [1], subscriptions: FEW });
  for (const { seed, faults, fetched, differences } of rows) {
    expect(Math.min(faults, fetched), `seed ${seed}`).toBeGreaterThan(0);
    expect(differences, `seed ${seed}`).toEqual([]);
  }
});
