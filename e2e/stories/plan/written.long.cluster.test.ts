/** A sample of `npm run plan-steps`: the audit log shows exactly the writes that the plans of real upgrades announce. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { hasShared } from '../../lib/shared.ts';
import { runSteps, type RunOutcome } from '../../plan/run.ts';
import { roundsOfCorpus } from '../../plan/steps.ts';

const SAMPLE = ['dns-operator', 'limitador-operator', 'leaksignal-operator', 'node-maintenance-operator', 'k8gb'];

const timeout = 600_000;

describe.skipIf(!hasShared)('upgrades of published packages', { timeout }, () => {
  const cluster = useCluster({ audit: true });
  let run: RunOutcome;

  beforeAll(async () => {
    const [steps = []] = roundsOfCorpus(1, new Set(SAMPLE));
    run = await runSteps(cluster(), steps, 240);
  }, timeout);

  test.each(SAMPLE)('%s: each announced write is made, and no other one', (name) => {
    const outcome = run.outcomes.find(({ step }) => step.name === name);
    expect(outcome).toMatchObject({ missing: [], more: [] });
    expect(outcome?.skipped).toBeUndefined();
  });

  test('no object is written that belongs to no plan', () => {
    expect(run.unclaimed).toEqual([]);
  });
});
