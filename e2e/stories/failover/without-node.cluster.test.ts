/**
 * The same where there can be no real node: the replicas are processes, one for each Pod that kwok pretends to run. A
 * rolling update, in which Pods come and go by themselves, is left to the story with a node.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { isAlive } from '../../lib/manager.ts';
import { until } from '../../lib/until.ts';
import { deploySlipway } from '../in-cluster/deployed.ts';
import { createFleet, SIZE, SLOWLY, type Fleet } from './fleet.ts';
import { createPodProcesses, type PodProcesses } from './processes.ts';
import { awaitSuccessor, expectFenced, leaderOf, RECEIVED_WITHIN_MS, writersSince } from './replicas.ts';

describe.runIf(realNodeObstacle() !== undefined)('in the middle of ten upgrades, without a node', () => {
  const cluster = useCluster({ audit: true });
  let fleet: Fleet;
  let processes: PodProcesses;
  /** Of a run in which nothing happened: these very objects are kept by every later one. */
  let undisturbed: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    fleet = createFleet(cluster());
    processes = createPodProcesses(cluster());
    await Promise.all([
      deploySlipway(cluster()).then(() => processes.start()),
      fleet.publish(['1.0.0', '1.1.0', '1.2.0', '1.3.0']),
    ]);
    await fleet.applyCatalog();
    await fleet.ask('1.0.0');
    await fleet.awaitAll('1.0.0');
    undisturbed = await fleet.inventories();
  });
  afterAll(async () => processes?.stop());

  test('a leader that is killed is followed', async ({ annotate }) => {
    expect(undisturbed.size).toBe(SIZE);
    const first = (await leaderOf(cluster()))!;
    await fleet.ask('1.1.0', SLOWLY);
    await fleet.awaitMiddle('1.1.0');
    const began = Date.now();
    await processes.of(first.pod).kill('SIGKILL');
    const dead = Date.now();
    const left = await fleet.lacking('1.1.0');
    const second = await awaitSuccessor(cluster(), first);
    const seconds = (second.since - began) / 1000;
    const told = `taken over ${seconds.toFixed(1)} s after the kill, ${left.length} under way, no node`;
    await annotate(told);
    process.stdout.write(`failover: ${told}\n`);
    expect(left.length).toBeGreaterThan(0);
    expect(second.pod).not.toBe(first.pod);

    await expectNothingLost('1.1.0');
    expect(writersSince(cluster(), dead + RECEIVED_WITHIN_MS)).toEqual([second.pod]);
  });

  test('a leader that gets SIGTERM hands over at once', async () => {
    await processes.start();
    const first = (await leaderOf(cluster()))!;
    await fleet.ask('1.2.0', SLOWLY);
    await fleet.awaitMiddle('1.2.0');
    expect(await processes.of(first.pod).stop()).toBe(0);
    const ended = Date.now();
    expect((await fleet.lacking('1.2.0')).length).toBeGreaterThan(0);
    const second = await awaitSuccessor(cluster(), first);
    expect(second.pod).not.toBe(first.pod);

    await expectNothingLost('1.2.0');
    expect(writersSince(cluster(), ended + RECEIVED_WITHIN_MS)).toEqual([second.pod]);
  });

  test('a paused leader finds the fence closed when it continues', async () => {
    await processes.start();
    const first = (await leaderOf(cluster()))!;
    const standing = processes.of(first.pod);
    await fleet.ask('1.3.0', SLOWLY);
    await fleet.awaitMiddle('1.3.0');
    process.kill(standing.pid, 'SIGSTOP');
    const stopped = Date.now();
    expect((await fleet.lacking('1.3.0')).length).toBeGreaterThan(0);
    const second = await awaitSuccessor(cluster(), first).finally(() => process.kill(standing.pid, 'SIGCONT'));
    await until('it has ended', () => !isAlive(standing));

    await expectNothingLost('1.3.0');
    expectFenced(cluster(), second.pod, stopped + RECEIVED_WITHIN_MS);
  });

  async function expectNothingLost(version: string): Promise<void> {
    await fleet.awaitAll(version);
    expect(await fleet.inventories()).toEqual(undisturbed);
    expect(await fleet.strays()).toEqual([]);
  }
});
