/**
 * Slipway's own life on a real node: it is upgraded from the release before (previous.ts says what that is) while all
 * Subscriptions are busy, removed as the guide says, and removed in the wrong order, after which the guide helps.
 */
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { ROOT, SYSTEM } from '../../lib/manager.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { createFleet, SIZE, SLOWLY, type Fleet } from '../failover/fleet.ts';
import { deploySlipway, DEPLOYMENT, describeManager, pushManager } from '../in-cluster/deployed.ts';
import { NEW_COLUMN, PREVIOUS_VERSION, previousManifest, pushPrevious } from './previous.ts';

const GUIDE = 'docs/how-to/remove-slipway.md';
const obstacle = realNodeObstacle();

describe.skipIf(obstacle !== undefined)(obstacle ?? 'Slipway', () => {
  const cluster = useCluster({ node: 'real', fakeNodes: 1 });
  const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
  const [inOrder, whereHeld, putBack] = partsOf(GUIDE);
  let fleet: Fleet;
  let version: string;
  let empty: ReadonlySet<string>;

  beforeAll(async () => {
    fleet = createFleet(cluster());
    await Promise.all([pushPrevious(cluster()), fleet.publish(['1.0.0', '1.1.0'])]);
    ({ version } = await pushManager(cluster()));
    empty = await snapshot(cluster());
  }, 300_000);

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await describeManager(cluster()));
  });

  describe('that is upgraded while its Subscriptions are busy', () => {
    let before: ReadonlyMap<string, readonly string[]>;

    test('comes from the release before', async () => {
      await cluster().kubectl(['apply', '--server-side', '-f', '-'], previousManifest(cluster()));
      await kubectl('-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=90s');
      expect(await columns()).not.toContain(NEW_COLUMN);
      await fleet.applyCatalog();
      await fleet.ask('1.0.0');
      await fleet.awaitAll('1.0.0');
      before = await fleet.inventories();
      expect(before.size).toBe(SIZE);
    });

    test('has the new CRDs before the new manager', async () => {
      await fleet.ask('1.1.0', SLOWLY);
      await fleet.awaitMiddle('1.1.0');
      const crds = join(ROOT, 'deploy/crds');
      await kubectl('apply', '--server-side', '-f', crds);
      await kubectl('wait', '--for=condition=Established', '--timeout=60s', '-f', crds);
      expect(await columns()).toContain(NEW_COLUMN);
      expect(await imagesOfManager()).toEqual([`slipway.dev/manager:${PREVIOUS_VERSION}`]);
      expect((await fleet.lacking('1.1.0')).length).toBeGreaterThan(0);
    });

    test('goes on with what was begun, and changes nothing else', async () => {
      await deploySlipway(cluster());
      await fleet.awaitAll('1.1.0');
      await until(
        'only the new manager runs',
        async () => String(await imagesOfManager()) === `slipway.dev/manager:${version}`,
      );
      expect(await fleet.inventories()).toEqual(before);
      expect(await fleet.strays()).toEqual([]);
      const changes = [...(await fleet.generations()).values()];
      expect(changes, 'once made, once upgraded').toEqual(Array.from({ length: SIZE }, () => 2));
    });
  });

  test('that is removed as the guide says leaves nothing behind', async () => {
    await type(inOrder);
    await expectUnchanged(cluster(), empty);
  });

  describe('of which the manager is removed first', () => {
    const FEW = 3;

    test('leaves operators that run, and Subscriptions that say what holds them', async () => {
      const few = createFleet(cluster(), FEW);
      await deploySlipway(cluster());
      await few.applyCatalog();
      await few.ask('1.0.0');
      await few.awaitAll('1.0.0');
      await kubectl('delete', 'namespace', SYSTEM, '--timeout=90s');
      await kubectl('delete', '--wait=false', '-f', join(ROOT, 'deploy/crds'));
      await until('all are told to go', async () => (await few.held()).length === FEW);
      const told = (await type(whereHeld)).join('');
      expect(told.match(/slipway\.dev\/cleanup/g)).toHaveLength(FEW);
      expect((await few.generations()).size).toBe(FEW);
    });

    test('goes completely once it is installed again', async () => {
      await type(putBack);
      await expectUnchanged(cluster(), empty);
    });
  });

  async function columns(): Promise<readonly string[]> {
    const path = '{.spec.versions[0].additionalPrinterColumns[*].name}';
    return (await kubectl('get', 'crd', 'subscriptions.slipway.dev', '-o', `jsonpath=${path}`)).split(' ');
  }

  async function imagesOfManager(): Promise<readonly string[]> {
    const images = '{.items[*].spec.containers[*].image}';
    const running = ['--field-selector=status.phase=Running', '-o', `jsonpath=${images}`];
    return [...new Set((await kubectl('-n', SYSTEM, 'get', 'pods', ...running)).split(' '))];
  }

  function type(steps: readonly Step[]): Promise<readonly string[]> {
    const { kubeconfig, tools } = cluster();
    return typeSteps(steps, { tools, variables: { KUBECONFIG: kubeconfig } });
  }
});

/** The steps of the guide, without those for Helm: removal, what is held, and what helps then. */
function partsOf(guide: string): readonly [readonly Step[], readonly Step[], readonly Step[]] {
  const steps = stepsOf(guide).filter(({ script }) => !script.startsWith('helm'));
  const held = steps.findIndex(({ script }) => script.includes('finalizers'));
  if (held < 1) throw new Error(`${guide} does not tell how to see what holds a Subscription`);
  return [steps.slice(0, held), steps.slice(held, held + 1), steps.slice(held + 1)];
}
