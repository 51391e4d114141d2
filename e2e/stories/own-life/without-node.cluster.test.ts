/**
 * The same where there can be no real node: the replicas are processes, one for each Pod that kwok pretends to run. The
 * release before differs by its CRDs and its rights; its program is that of this checkout. Replicas that follow one
 * another while catalogs are served take a node.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { ROOT, SYSTEM } from '../../lib/manager.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { createFleet, type Fleet } from '../failover/fleet.ts';
import { createPodProcesses, type PodProcesses } from '../failover/processes.ts';
import { deploySlipway, DEPLOYMENT } from '../in-cluster/deployed.ts';
import { removalSteps } from './guide.ts';
import { NEW_COLUMN, previousManifest } from './previous.ts';

const SIZE = 3;
const CRDS = join(ROOT, 'deploy/crds');

describe.runIf(realNodeObstacle() !== undefined)('Slipway without a node', () => {
  const cluster = useCluster();
  const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
  const { inOrder, whereHeld, putBack } = removalSteps();
  let fleet: Fleet;
  let processes: PodProcesses;
  let empty: ReadonlySet<string>;
  let before: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    fleet = createFleet(cluster(), SIZE);
    processes = createPodProcesses(cluster());
    await fleet.publish(['1.0.0', '1.1.0']);
    empty = await snapshot(cluster());
  });
  afterAll(async () => processes?.stop());

  test('comes from the release before', async () => {
    await cluster().kubectl(['apply', '--server-side', '-f', '-'], previousManifest(cluster()));
    await kubectl('-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=180s');
    expect(await columns()).not.toContain(NEW_COLUMN);
    await processes.start();
    await fleet.applyCatalog();
    await fleet.ask('1.0.0');
    await fleet.awaitAll('1.0.0');
    before = await fleet.inventories();
    expect(before.size).toBe(SIZE);
  });

  test('that is upgraded while its Subscriptions are busy continues the upgrades that were begun', async () => {
    await fleet.ask('1.1.0', { startSeconds: 8 });
    await fleet.awaitMiddle('1.1.0');
    await kubectl('apply', '--server-side', '-f', CRDS);
    await kubectl('wait', '--for=condition=Established', '--timeout=180s', '-f', CRDS);
    expect(await columns()).toContain(NEW_COLUMN);
    await processes.stop();
    // For a moment after a change of its CRD the API server answers that storage is being initialized.
    const lacking = await until('Subscriptions are served', () => fleet.lacking('1.1.0'));
    expect(lacking.length).toBeGreaterThan(0);
    await deploySlipway(cluster());
    await processes.start();
    await fleet.awaitAll('1.1.0');
    expect(await fleet.inventories()).toEqual(before);
    expect(await fleet.strays()).toEqual([]);
    expect([...(await fleet.generations()).values()]).toEqual(Array.from({ length: SIZE }, () => 2));
  });

  test('that is removed as the guide says leaves nothing behind', async () => {
    await type(inOrder);
    await processes.stop();
    await expectUnchanged(cluster(), empty);
  });

  test('of which the manager is removed first names the held objects, and is removed completely once it is back', async () => {
    await deploySlipway(cluster());
    await processes.start();
    await fleet.applyCatalog();
    await fleet.ask('1.0.0');
    await fleet.awaitAll('1.0.0');
    await processes.stop();
    await kubectl('delete', 'namespace', SYSTEM, '--timeout=180s');
    await kubectl('delete', '--wait=false', '-f', CRDS);
    await until('all are marked for deletion', async () => (await fleet.held()).length === SIZE);
    expect((await type(whereHeld)).join('').match(/slipway\.dev\/cleanup/g)).toHaveLength(SIZE);
    expect((await fleet.generations()).size).toBe(SIZE);

    const typed = type(putBack);
    await Promise.all([typed, awaitPods().then(() => processes.start())]);
    await processes.stop();
    await expectUnchanged(cluster(), empty);
  });

  /** Until the Deployment has all its Pods. */
  function awaitPods(): Promise<unknown> {
    const ready = 'jsonpath={.status.readyReplicas}';
    return until(
      'the Pods are back',
      async () => (await kubectl('-n', SYSTEM, 'get', DEPLOYMENT, '-o', ready)) === '2',
    );
  }

  async function columns(): Promise<readonly string[]> {
    const path = '{.spec.versions[0].additionalPrinterColumns[*].name}';
    return (await kubectl('get', 'crd', 'subscriptions.slipway.dev', '-o', `jsonpath=${path}`)).split(' ');
  }

  function type(steps: readonly Step[]): Promise<readonly string[]> {
    const { kubeconfig, tools } = cluster();
    return typeSteps(steps, { tools, variables: { KUBECONFIG: kubeconfig } });
  }
});
