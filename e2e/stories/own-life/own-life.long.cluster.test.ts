/**
 * Slipway's own life on a real node: it is upgraded from the release before (see previous.ts) while all Subscriptions
 * are busy, rolled back to it, removed as the guide says, and removed in the wrong order, after which the guide helps.
 */
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { ROOT, SYSTEM } from '../../lib/manager.ts';
import { subscriptionTo } from '../../lib/objects.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { createFleet, type Fleet } from '../failover/fleet.ts';
import { deploySlipway, DEPLOYMENT, describeManager, pushManager } from '../in-cluster/deployed.ts';
import { removalSteps } from './guide.ts';
import {
  NEW_COLUMN,
  NEW_FIELD,
  NEW_RIGHT,
  PREVIOUS_VERSION,
  previousCrds,
  previousManifest,
  pushPrevious,
} from './previous.ts';

/** Enough to be busy while one of them is done. */
const SIZE = 5;

/** One of the fleet, and a patch and a Subscription with a field that the release before does not know. */
const FIRST = 'operator-0';
const NEW_SPEC = { spec: { [NEW_FIELD]: [{ cron: '* * * * *', duration: '1h' }] } };
const WITH_NEW_FIELD = subscriptionTo('x', 'default', { package: 'x', ...NEW_SPEC.spec });

const obstacle = realNodeObstacle();

describe.skipIf(obstacle !== undefined)(obstacle ?? 'Slipway', () => {
  const cluster = useCluster({ node: 'real', fakeNodes: 1 });
  const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
  const { inOrder, whereHeld, putBack } = removalSteps();
  let fleet: Fleet;
  let version: string;
  let empty: ReadonlySet<string>;

  beforeAll(async () => {
    fleet = createFleet(cluster(), SIZE);
    await Promise.all([pushPrevious(cluster()), fleet.publish(['1.0.0', '1.1.0', '1.2.0'])]);
    ({ version } = await pushManager(cluster()));
    empty = await snapshot(cluster());
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await describeManager(cluster()));
  });

  describe('that is upgraded while its Subscriptions are busy', () => {
    let before: ReadonlyMap<string, readonly string[]>;

    test('comes from the release before', async () => {
      await cluster().kubectl(['apply', '--server-side', '-f', '-'], previousManifest(cluster()));
      await kubectl('-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=180s');
      expect(await columns()).not.toContain(NEW_COLUMN);
      expect(await mayReadLogs()).toBe('no');
      await expect(apply(WITH_NEW_FIELD)).rejects.toThrow(`unknown field "spec.${NEW_FIELD}"`);
      await fleet.applyCatalog();
      await fleet.ask('1.0.0');
      await fleet.awaitAll('1.0.0');
      before = await fleet.inventories();
      expect(before.size).toBe(SIZE);
    });

    test('has the new CRDs before the new manager', async () => {
      await fleet.ask('1.1.0', { startSeconds: 15 });
      await fleet.awaitMiddle('1.1.0');
      const crds = join(ROOT, 'deploy/crds');
      await kubectl('apply', '--server-side', '-f', crds);
      await kubectl('wait', '--for=condition=Established', '--timeout=180s', '-f', crds);
      // before all other questions, which take seconds on a busy machine
      expect((await until('Subscriptions are served', () => fleet.lacking('1.1.0'))).length).toBeGreaterThan(0);
      expect(await columns()).toContain(NEW_COLUMN);
      expect(await mayReadLogs()).toBe('no');
      expect(await imagesOfManager()).toEqual([`slipway.dev/manager:${PREVIOUS_VERSION}`]);
    });

    test('continues the upgrades that were begun, and changes nothing else', async () => {
      await deploySlipway(cluster());
      await fleet.awaitAll('1.1.0');
      await onlyRuns(version);
      expect(await mayReadLogs()).toBe('yes');
      await expectUntouched(2);
    });

    test('is rolled back to the release before, which has no such field, without an effect on operators', async () => {
      await apply(WITH_NEW_FIELD);
      await kubectl('-n', FIRST, 'patch', 'subscription', FIRST, '--type=merge', '-p', JSON.stringify(NEW_SPEC));
      expect(await newField()).not.toBe('');
      await cluster().kubectl(['apply', '--server-side', '-f', '-'], previousCrds(cluster()));
      await kubectl('wait', '--for=condition=Established', '--timeout=180s', '-f', join(ROOT, 'deploy/crds'));
      await cluster().kubectl(['apply', '--server-side', '-f', '-'], previousManifest(cluster()));
      await kubectl('-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=180s');
      await onlyRuns(PREVIOUS_VERSION);
      expect(await columns()).not.toContain(NEW_COLUMN);
      expect(await mayReadLogs()).toBe('no');
      expect(await newField()).toBe('');
      await fleet.askAnew();
      await expectUntouched(2);
    });

    test('upgrades operators there as it did before', async () => {
      await fleet.ask('1.2.0');
      await fleet.awaitAll('1.2.0');
      await expectUntouched(3);
    });

    test('is upgraded again', async () => {
      await kubectl('apply', '--server-side', '-f', join(ROOT, 'deploy/crds'));
      await deploySlipway(cluster());
      await onlyRuns(version);
      await fleet.askAnew();
      await expectUntouched(3);
    });

    async function onlyRuns(wanted: string): Promise<void> {
      const image = `slipway.dev/manager:${wanted}`;
      await until(`only ${image} runs`, async () => String(await imagesOfManager()) === image);
    }

    /** Every operator has the same objects as before, and its Deployment was written the stated number of times. */
    async function expectUntouched(times: number): Promise<void> {
      expect(await fleet.inventories()).toEqual(before);
      expect(await fleet.strays()).toEqual([]);
      const changes = [...(await fleet.generations()).values()];
      expect(changes).toEqual(Array.from({ length: SIZE }, () => times));
    }

    function newField(): Promise<string> {
      return kubectl('-n', FIRST, 'get', 'subscription', FIRST, '-o', `jsonpath={.spec.${NEW_FIELD}}`);
    }
  });

  test('that is removed as the guide says leaves nothing behind', async () => {
    await type(inOrder);
    await expectUnchanged(cluster(), empty);
  });

  describe('of which the manager is removed first', () => {
    const FEW = 3;

    test('leaves operators that run, and Subscriptions that name their finalizers', async () => {
      const few = createFleet(cluster(), FEW);
      await deploySlipway(cluster());
      await few.applyCatalog();
      await few.ask('1.0.0');
      await few.awaitAll('1.0.0');
      // the controller of namespaces checks one with Pods again after half of the time that they may take to end
      await kubectl('-n', SYSTEM, 'delete', DEPLOYMENT, '--cascade=foreground', '--timeout=180s');
      await kubectl('delete', 'namespace', SYSTEM, '--wait=false');
      await kubectl('delete', '--wait=false', '-f', join(ROOT, 'deploy/crds'));
      await until('all are marked for deletion', async () => (await few.held()).length === FEW);
      const told = (await type(whereHeld)).join('');
      expect(told.match(/slipway\.dev\/cleanup/g)).toHaveLength(FEW);
      expect((await few.generations()).size).toBe(FEW);
      await kubectl('wait', '--for=delete', `namespace/${SYSTEM}`, '--timeout=180s');
    });

    test('is removed completely once it is installed again', async () => {
      await type(putBack);
      await expectUnchanged(cluster(), empty);
    });
  });

  async function columns(): Promise<readonly string[]> {
    const path = '{.spec.versions[0].additionalPrinterColumns[*].name}';
    return (await kubectl('get', 'crd', 'subscriptions.slipway.dev', '-o', `jsonpath=${path}`)).split(' ');
  }

  /** As itself: `yes` or `no`. */
  function mayReadLogs(): Promise<string> {
    const account = `system:serviceaccount:${SYSTEM}:slipway-manager`;
    const [resource = '', subresource = ''] = NEW_RIGHT.split('/');
    const right = [resource, `--subresource=${subresource}`, '-A', `--as=${account}`];
    return kubectl('auth', 'can-i', 'get', ...right).then(
      (told) => told.trim(),
      () => 'no',
    );
  }

  function apply(text: string): Promise<string> {
    return cluster().kubectl(
      ['apply', '--server-side=false', '--dry-run=server', '--validate=strict', '-f', '-'],
      text,
    );
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
