/** The answers to probes: the reason why a replica is not ready, and the advice to restart one whose work hangs. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../kube/client/client.ts';
import { eventually } from '../../kube/testing/eventually.ts';
import { startFakeApi, type FakeApi } from '../../kube/testing/fake-api.ts';
import { createLeaseFence } from '../../kube/election/fence.ts';
import { createLeaderElection } from '../../kube/election/leader-election.ts';
import { createManualClock } from '../../kube/testing/manual-clock.ts';
import { createTransport, type Transport } from '../../kube/transport/transport.ts';
import { createWorkQueue } from '../../kube/controller/work-queue.ts';
import { checkCaches, createReachability, type Reachability } from '../serving/ready.ts';
import { describeWork, createLeaseWatch, type LeaseWatch } from './checks.ts';
import type { HealthCheck } from '../serving/answer-checks.ts';
import { serveProbes } from '../serving/server.ts';

let api: FakeApi;
let transport: Transport;
let reachability: Reachability;
const clock = createManualClock();

beforeEach(async () => {
  api = await startFakeApi();
  api.fault(({ path }, response) => {
    if (path === '/readyz') response.end('ok');
    return path === '/readyz';
  });
  transport = createTransport(api.config, { onRequest: (facts) => reachability.seen(facts) });
  reachability = createReachability(() => createClient(transport).raw('/readyz'), clock);
});
afterEach(async () => {
  transport.close();
  await api.close();
});

const asked = (): number => api.requests.filter(({ path }) => path === '/readyz').length;

test('work under way is reported with the reconcile that takes longest', async () => {
  const [quick, slow] = ['catalog', 'subscription'].map((name) => ({ name, queue: createWorkQueue({ clock }) }));
  const tell = describeWork([quick!, slow!]);
  expect(tell()).toBe('none under way');
  slow!.queue.add('lights/beacon');
  await slow!.queue.get();
  clock.advance(70);
  quick!.queue.add('public');
  await quick!.queue.get();
  clock.advance(5.5);
  expect(tell()).toBe('2 under way, the longest for 75 s: a subscription');
});

describe('whether the API server is reached', () => {
  test('an idle replica asks the API server twice a minute, however often it is probed', async () => {
    await using server = await probed(new Map([['api-server', reachability.check]]));
    for (let second = 0; second < 120; second += 2) {
      expect(await server.ask('/readyz')).toBe('200 ok\n');
      clock.advance(2);
    }
    expect(asked()).toBe(4);
  });

  test('probes that come during a request to the API server share its answer', async () => {
    await Promise.all(Array.from({ length: 10 }, () => reachability.check()));
    expect(asked()).toBe(1);
  });

  test('the API server is not asked if it has answered another request, such as a renewal of the lease', async () => {
    for (let second = 0; second < 120; second += 10) {
      reachability.seen({ status: 200 });
      clock.advance(10);
      await reachability.check();
    }
    expect(asked()).toBe(0);
  });

  test.each([
    { status: 0, because: 'no answer came' },
    { status: 503, because: 'the API server does not work' },
  ])('a failed request does not show that the API server is down: $because', async ({ status }) => {
    reachability.seen({ status });
    await reachability.check();
    expect(asked()).toBe(1);
  });

  test('each probe asks the API server again while it does not answer', async () => {
    const answers = [Promise.reject(new Error('refused')), Promise.reject(new Error('refused')), Promise.resolve()];
    for (const answer of answers) answer.catch(() => undefined);
    const { check } = createReachability(() => answers.shift() ?? Promise.reject(new Error('asked too often')), clock);
    for (const _ of [1, 2]) await expect(check()).rejects.toThrow('refused');
    for (const _ of [1, 2]) await expect(check()).resolves.toBeUndefined();
  });
});

describe('whether the caches are filled', () => {
  test('readiness names the kinds that were not listed, at once', async () => {
    const caches = [
      { kind: 'Catalog', hasSynced: true },
      { kind: 'Subscription', hasSynced: false },
      { kind: 'Revision', hasSynced: false },
    ];
    await using server = await probed(new Map([['informers', checkCaches(caches)]]));
    expect(await server.ask('/readyz')).toBe('503 [-]informers failed not listed yet: Subscription, Revision\n');
    for (const cache of caches) cache.hasSynced = true;
    expect(await server.ask('/readyz?verbose')).toBe('200 [+]informers ok\n');
  });
});

describe('whether the process should be restarted', () => {
  test('a leader whose work does not end though its lease ran out long ago is not alive', async () => {
    const watch = createLeaseWatch(15, clock);
    const hangs = Promise.withResolvers<void>();
    const stop = new AbortController();
    const fence = createLeaseFence(clock);
    const elected = createLeaderElection({
      client: watch.watch(createClient(transport)),
      namespace: 'ops',
      name: 'slipway',
      identity: 'a',
      fence,
      clock,
      random: () => 0,
      onStarted: () => (watch.leads(true), hangs.promise),
      onStopped: () => watch.leads(false),
    });
    expect(isAlive(watch)).toBe(true);
    const ended = elected.run(stop.signal);
    await eventually(() => fence.isHeld());
    expect(isAlive(watch)).toBe(true);

    clock.skip(34);
    expect(fence.isHeld()).toBe(false);
    expect(isAlive(watch), 'it may still end by itself').toBe(true);
    clock.skip(2);
    expect(isAlive(watch)).toBe(false);

    clock.advance(0);
    hangs.resolve();
    expect(await ended).toBe('lost');
    expect(isAlive(watch)).toBe(true);
  });

  test('a replica that renews its lease is alive, and so is one that never led', async () => {
    const renews = createLeaseWatch(15, clock);
    const { create, update } = renews.watch(createClient(transport));
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: 'ops', name: 'own' } };
    let held = await create(lease);
    renews.leads(true);
    for (let minute = 0; minute < 3; minute += 1) {
      clock.advance(30);
      expect(isAlive(renews)).toBe(true);
      held = await update(held);
    }
    expect(isAlive(createLeaseWatch(15, clock))).toBe(true);
  });

  test('the liveness probe gets this answer', async () => {
    const dead = new Map([['lease', () => Promise.reject(new Error('not renewed'))]]);
    await using server = await probed(new Map(), dead);
    expect(await server.ask('/healthz')).toBe('503 [-]lease failed not renewed\n');
    expect(await server.ask('/readyz')).toBe('200 ok\n');
  });
});

function isAlive({ check }: LeaseWatch): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

async function probed(ready: ReadonlyMap<string, HealthCheck>, live: ReadonlyMap<string, HealthCheck> = new Map()) {
  const server = await serveProbes({ listen: '127.0.0.1:0', checks: { ready, live } });
  return {
    async ask(path: string): Promise<string> {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return `${response.status} ${await response.text()}`;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
