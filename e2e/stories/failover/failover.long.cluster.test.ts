/**
 * Two replicas on a real node: the one that leads is killed, stands still, or is replaced by a newer one, each in the
 * middle of ten upgrades. The other takes over, nothing is lost, and the one from before writes nothing any more.
 */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { servingDuring } from '../../lib/serving.ts';
import { until } from '../../lib/until.ts';
import { deploySlipway, DEPLOYMENT, describeManager, pushManager } from '../in-cluster/deployed.ts';
import { CATALOG, createFleet, SIZE, SLOWLY, type Fleet } from './fleet.ts';
import {
  awaitSuccessor,
  expectFenced,
  leaderOf,
  RECEIVED_WITHIN_MS,
  serveCatalog,
  signalManager,
  toldToGoAt,
  writersSince,
  type Leader,
} from './replicas.ts';

const obstacle = realNodeObstacle();

describe.skipIf(obstacle !== undefined)(obstacle ?? 'in the middle of ten upgrades', () => {
  const cluster = useCluster({ node: 'real', fakeNodes: 1, audit: true });
  let fleet: Fleet;
  /** Of a run in which nothing happened: these very objects are kept by every later one. */
  let undisturbed: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    fleet = createFleet(cluster());
    await Promise.all([
      pushManager(cluster()).then(() => deploySlipway(cluster())),
      fleet.publish(['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0']),
    ]);
    await fleet.applyCatalog();
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await describeManager(cluster()));
  });

  test('without a disturbance, all operators are installed', async () => {
    await fleet.ask('1.0.0');
    await fleet.awaitAll('1.0.0');
    await fleet.ask('1.1.0');
    await fleet.awaitAll('1.1.0');
    undisturbed = await fleet.inventories();
    expect(await fleet.strays()).toEqual([]);
    expect(undisturbed.size).toBe(SIZE);
    for (const inventory of undisturbed.values()) expect(inventory.length).toBeGreaterThan(3);
  });

  test('a leader that is killed is followed', async ({ annotate }) => {
    const first = (await leaderOf(cluster()))!;
    await fleet.ask('1.2.0', SLOWLY);
    await fleet.awaitMiddle('1.2.0');
    const began = Date.now();
    await signalManager(cluster(), first.pod, 'KILL');
    const dead = Date.now();
    const left = await fleet.lacking('1.2.0');
    const second = await awaitSuccessor(cluster(), first);
    const seconds = (second.since - began) / 1000;
    await annotate(`taken over ${seconds.toFixed(1)} s after the kill, with ${left.length} upgrades under way`);
    process.stdout.write(`failover: taken over ${seconds.toFixed(1)} s after the kill, ${left.length} under way\n`);
    expect(left.length).toBeGreaterThan(0);
    // another process; the kubelet starts one in the Pod of the dead one too, which may be faster than the other replica
    expect(second.identity).not.toBe(first.identity);

    await expectNothingLost('1.2.0');
    expect(writersSince(cluster(), dead + RECEIVED_WITHIN_MS)).toEqual([second.pod]);
  });

  test('a paused leader finds the fence closed when it continues', async () => {
    await rolledOut();
    const first = (await leaderOf(cluster()))!;
    await fleet.ask('1.3.0', SLOWLY);
    await fleet.awaitMiddle('1.3.0');
    await signalManager(cluster(), first.pod, 'STOP');
    const stopped = Date.now();
    expect((await fleet.lacking('1.3.0')).length).toBeGreaterThan(0);
    const second = await awaitSuccessor(cluster(), first);
    await signalManager(cluster(), first.pod, 'CONT');
    await until('it has ended', async () => (await restartsOf(first.pod)) > 0);

    await expectNothingLost('1.3.0');
    expectFenced(cluster(), second.pod, stopped + RECEIVED_WITHIN_MS);
  });

  test('a rolling update of the manager hands over, and catalogs are served all the while', async ({ annotate }) => {
    await rolledOut();
    const first = (await leaderOf(cluster()))!;
    const began = Date.now();
    await fleet.ask('1.4.0', { startSeconds: 12 });
    await fleet.awaitMiddle('1.4.0');
    expect((await fleet.lacking('1.4.0')).length).toBeGreaterThan(0);
    const probes = { catalog: (client: Parameters<typeof serveCatalog>[0]) => serveCatalog(client, CATALOG) };
    const options = { namespace: SYSTEM, deployment: 'slipway-manager', probes };
    let second: Leader | undefined;
    const serving = await servingDuring(cluster(), options, async () => {
      await cluster().kubectl(['-n', SYSTEM, 'rollout', 'restart', DEPLOYMENT]);
      [second] = await Promise.all([awaitSuccessor(cluster(), first), rolledOut()]);
    });
    const seconds = (second!.since - toldToGoAt(cluster(), first.pod)) / 1000;
    const told = `handed over in ${seconds.toFixed(1)} s, ${serving.rounds} rounds of asking for the catalog`;
    await annotate(told);
    process.stdout.write(`failover: ${told}\n`);
    expect(serving.failures).toEqual([]);
    expect(serving.rounds).toBeGreaterThan(3);
    expect(serving.fewestAvailable).toBeGreaterThanOrEqual(1);

    await expectNothingLost('1.4.0');
    await fleet.askAnew();
    const writers = writersSince(cluster(), began);
    expect(writers, 'no replica writes again after another has').toEqual([...new Set(writers)]);
    expect(writers[0]).toBe(first.pod);
    expect(writers.length).toBeGreaterThan(1);
  });

  async function expectNothingLost(version: string): Promise<void> {
    await fleet.awaitAll(version);
    expect(await fleet.inventories()).toEqual(undisturbed);
    expect(await fleet.strays()).toEqual([]);
  }

  async function rolledOut(): Promise<void> {
    await cluster().kubectl(['-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=180s']);
  }

  async function restartsOf(pod: string): Promise<number> {
    const count = '{.status.containerStatuses[0].restartCount}';
    return Number(await cluster().kubectl(['-n', SYSTEM, 'get', 'pod', pod, '-o', `jsonpath=${count}`]));
  }
});
