/** Types the tutorial on a real control plane, from the first command to the last. */
import { afterAll, describe, expect, test } from 'vitest';
import { useCluster } from '../e2e/lib/cluster.ts';
import { startManager, type RunningManager } from '../e2e/lib/manager.ts';
import { isShown, stepsOf, typeSteps, type Step } from './shell-steps.ts';

const cluster = useCluster();
const steps = stepsOf('docs/tutorial.md');

/** The test has its own cluster, the manager is a process with its Pod's rights, and no person watches. */
const BY_HAND = [/make cluster-/, /^export REGISTRY/, /manager -- /, /--watch\n/, /readyz/];

describe('the tutorial', () => {
  let manager: RunningManager | undefined;
  afterAll(async () => {
    await manager?.stop();
  });

  const [kinds, ...others] = steps.filter(({ script }) => !BY_HAND.some((pattern) => pattern.test(script)));

  test('leads from an empty cluster to an upgraded operator and to a clean end', async () => {
    if (kinds === undefined) throw new Error('the tutorial has no commands');
    expect(kinds.script).toContain('deploy/crds');
    await type([kinds]);
    manager = await startManager(cluster());
    const outputs = await type(others);
    const printed = (command: string): string =>
      outputs[others.findIndex(({ script }) => script.includes(command))] ?? '';
    const list = others.findIndex(({ script }) => script.includes('catalog list'));
    expect(isShown(outputs[list] ?? '', others[list]?.printed ?? ''), outputs[list]).toBe(true);
    expect(printed('get subscriptions.slipway.dev,revisions.slipway.dev,deployment')).toMatch(
      /6 objects are applied and healthy[^]*1\/1/,
    );
    expect(printed('get revisions.slipway.dev\n')).toMatch(
      /beacon-1 .*Archived[^]*beacon-2 .*1\.1\.0 +Active +true +True/,
    );
    expect(printed('delete subscriptions.slipway.dev beacon')).toMatch(/deleted[^]*beacons\.example\.slipway\.dev/);
    expect(await cluster().kubectl(['get', 'crd', '-o', 'name'])).not.toContain('beacons');
  });

  test('leaves out only steps that a test does in another way', () => {
    expect(others).toHaveLength(steps.length - 1 - BY_HAND.length - 1);
  });
});

function type(some: readonly Step[]): Promise<readonly string[]> {
  const { registry, tools, kubeconfig } = cluster();
  return typeSteps(some, { tools, variables: { KUBECONFIG: kubeconfig, REGISTRY: registry } });
}
