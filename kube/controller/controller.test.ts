import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReasonedError, type Retry } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { createClient, type Client } from '../client/client.ts';
import {
  createController,
  formatKey,
  ownerKeys,
  ownKey,
  type Controller,
  type ControllerOptions,
} from './controller.ts';
import { eventually } from '../testing/eventually.ts';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { leaderLost } from '../election/fence.ts';
import { createInformer, type Informer } from '../watch/informer.ts';
import { silentLog, type Log } from '../log.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createRuntimeMetrics } from '../metrics.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

let api: FakeApi;
let transport: Transport;
let client: Client;
let informer: Informer;
let stop: AbortController;

beforeEach(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config);
  client = createClient(transport);
  stop = new AbortController();
  informer = createInformer({ client, apiVersion: 'v1', kind: 'ConfigMap' });
  informer.start(stop.signal);
});

afterEach(async () => {
  stop.abort(new Error('the test is over'));
  transport.close();
  await api.close();
});

const configMap = (name: string, data: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a' },
  data,
});

function run(options: Partial<ControllerOptions>): { controller: Controller; done: Promise<void> } {
  const controller = createController({
    name: 'test',
    watches: [{ informer, keys: ownKey }],
    reconcile: async () => {},
    ...options,
  });
  return { controller, done: controller.run(stop.signal) };
}

/** The keys that a ConfigMap of these tests names. */
function namedByData(object: KubeObject): readonly { readonly name: string }[] {
  return [{ name: (object['data'] as { for: string }).for }];
}

function failure(retry: Retry): ReasonedError {
  return new ReasonedError({ reason: 'ApplyFailed', retry, message: 'no' });
}

describe('the reconciled keys', () => {
  test('every existing object is reconciled, and then every change', async () => {
    api.put(configMap('x'));
    const seen: string[] = [];
    run({ reconcile: async (key) => void seen.push(formatKey(key)) });
    await eventually(() => seen.length === 1);
    api.put(configMap('y'));
    await eventually(() => seen.length >= 2);
    api.remove(configMap('x'));
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['a/x', 'a/y', 'a/x']);
  });

  test('an update reconciles the keys of the old object and of the new one', async () => {
    api.put(configMap('x', { for: 'old' }));
    const seen = new Set<string>();
    run({ watches: [{ informer, keys: namedByData }], reconcile: async ({ name }) => void seen.add(name) });
    await eventually(() => seen.has('old'));
    seen.clear();
    api.put(configMap('x', { for: 'new' }));
    await eventually(() => seen.size === 2);
    expect([...seen].sort()).toEqual(['new', 'old']);
  });

  test('an update is reconciled once if the old object and the new one have the same key', async () => {
    api.put(configMap('x'));
    const seen: string[] = [];
    run({ reconcile: async (key) => void seen.push(formatKey(key)) });
    await eventually(() => seen.length === 1);
    api.put(configMap('x', { changed: 'yes' }));
    await eventually(() => seen.length === 2);
    // A further reconcile of x would come before that of an object that is made later.
    for (const name of ['y', 'z']) {
      api.put(configMap(name));
      await eventually(() => seen.includes(`a/${name}`));
    }
    expect(seen).toEqual(['a/x', 'a/x', 'a/y', 'a/z']);
  });

  test('no reconcile begins before the informers have synced', async () => {
    api.put(configMap('x'));
    let synced: boolean | undefined;
    const { controller } = run({ reconcile: async () => void (synced ??= informer.hasSynced) });
    controller.enqueue({ name: 'early' });
    await eventually(() => synced !== undefined);
    expect(synced).toBe(true);
  });

  test('changes that may wait are reconciled together, and at once with one that may not', async () => {
    const clock = createManualClock();
    const seen: number[] = [];
    run({
      clock,
      watches: [
        { informer, keys: ownKey, afterSeconds: ({ object }) => (object['data'] as { wait?: number }).wait ?? 0 },
      ],
      reconcile: async ({ name }) => void seen.push(Number(name === 'x' && informer.list().length)),
    });
    await informer.synced;
    api.put(configMap('x', { wait: 5 }));
    await eventually(() => clock.timers === 1);
    api.put(configMap('x', { wait: 5, n: '2' }));
    await eventually(() => (informer.get('a/x')?.['data'] as { n?: string } | undefined)?.n === '2');
    expect([clock.timers, seen]).toEqual([1, []]);
    clock.advance(5);
    await eventually(() => seen.length === 1);
    api.put(configMap('x', { n: '3' }));
    await eventually(() => seen.length >= 2);
  });

  test("an object's owners of a kind are found by its owner references", () => {
    const owner = { apiVersion: 'v1', kind: 'Boss', name: 'b', uid: 'u' };
    const owned = {
      ...configMap('x'),
      metadata: { name: 'x', namespace: 'a', ownerReferences: [owner, { ...owner, kind: 'Other' }] },
    };
    expect(ownerKeys('Boss')(owned)).toEqual([{ namespace: 'a', name: 'b' }]);
  });
});

describe('the next reconcile', () => {
  test.each([
    { retry: 'never' as Retry, after: 3600, times: 1, because: 'nothing changes by itself' },
    { retry: { afterSeconds: 60 } as Retry, after: 59, times: 1, because: 'the time is not over' },
    { retry: { afterSeconds: 60 } as Retry, after: 60, times: 2, because: 'the time is over' },
    { retry: 'backoff' as Retry, after: 0.005, times: 2, because: 'the first delay is 5 ms' },
  ])(
    'after an error with retry $retry a key was reconciled $times times within $after s: $because',
    async ({ retry, after, times }) => {
      const clock = createManualClock();
      let calls = 0;
      const { controller } = run({
        clock,
        watches: [],
        reconcile: async () => {
          calls += 1;
          if (calls === 1) throw failure(retry);
        },
      });
      controller.enqueue({ name: 'x' });
      await eventually(() => calls === 1 && controller.queue.unfinished().length === 0);
      clock.advance(after);
      await settle(controller);
      expect(calls).toBe(times);
    },
  );

  test('a defect is retried with growing delays', async () => {
    const clock = createManualClock();
    const times: number[] = [];
    const { controller } = run({
      clock,
      watches: [],
      reconcile: async () => {
        times.push(clock.now());
        throw new TypeError('a defect');
      },
    });
    controller.enqueue({ name: 'x' });
    for (const delay of [0.005, 0.01, 0.02, 0.04]) {
      await settle(controller);
      clock.advance(delay);
    }
    await settle(controller);
    expect(times.map((time) => Number(time.toFixed(3)))).toEqual([0, 0.005, 0.015, 0.035, 0.075]);
  });

  test.each([
    { conflicts: 3, failures: 0, lines: 0, because: 'a conflict with another writer is no failure' },
    { conflicts: 7, failures: 2, lines: 1, because: 'permanent conflicts are reported once' },
  ])('$conflicts conflicts in a row are $failures failures, logged in $lines lines: $because', async (row) => {
    const { conflicts, failures, lines } = row;
    const clock = createManualClock();
    const logged: string[] = [];
    const outcomes: string[] = [];
    const log: Log = { ...silentLog, child: () => log, warn: () => void logged.push('warn') };
    let calls = 0;
    const { controller } = run({
      clock,
      log,
      watches: [],
      observer: { started() {}, attach() {}, finished: (outcome) => void outcomes.push(outcome) },
      reconcile: async () => {
        calls += 1;
        if (calls <= conflicts) throw new ReasonedError({ reason: 'Conflict', retry: 'backoff', message: 'too late' });
      },
    });
    controller.enqueue({ name: 'x' });
    for (let round = 0; round <= conflicts; round += 1) {
      await settle(controller);
      clock.advance(1);
    }
    expect(logged).toHaveLength(lines);
    expect(outcomes.filter((outcome) => outcome === 'requeue')).toHaveLength(conflicts - failures);
    expect(outcomes.at(-1)).toBe('success');
  });

  test('a key is reconciled again after the requested time, and a success resets its back-off', async () => {
    const clock = createManualClock();
    let calls = 0;
    const { controller } = run({
      clock,
      watches: [],
      reconcile: async () => ((calls += 1) === 1 ? { requeueAfterSeconds: 30 } : undefined),
    });
    controller.enqueue({ name: 'x' });
    await settle(controller);
    clock.advance(30);
    await settle(controller);
    expect(calls).toBe(2);
    expect(clock.timers).toBe(0);
  });
});

/** Runs the controller as far as it gets without time passing. */
async function settle(controller: Controller): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  await eventually(() => controller.queue.length === 0 && controller.queue.unfinished().length === 0);
}

describe('concurrency and shutdown', () => {
  test('a controller works on as many keys as allowed, but never twice on one key', async () => {
    let most = 0;
    const running = new Set<string>();
    let finished = 0;
    const { controller } = run({
      watches: [],
      concurrency: 3,
      reconcile: async ({ name }) => {
        expect(running.has(name)).toBe(false);
        running.add(name);
        most = Math.max(most, running.size);
        await new Promise((resolve) => setImmediate(resolve));
        running.delete(name);
        finished += 1;
      },
    });
    for (let i = 0; i < 30; i++) controller.enqueue({ name: `k${i % 10}` });
    await eventually(() => finished === 10);
    expect(most).toBe(3);
  });

  test('reconciles of a namespace that never end keep no other namespace waiting', async () => {
    const seen: string[] = [];
    const { controller } = run({
      watches: [],
      concurrency: 16,
      shutdownSeconds: 0,
      reconcile: async (key) => {
        seen.push(formatKey(key));
        if (key.namespace === 'slow') await new Promise(() => undefined);
      },
    });
    for (let i = 0; i < 40; i++) controller.enqueue({ namespace: 'slow', name: `s${i}` });
    await eventually(() => seen.length === 8);
    controller.enqueue({ namespace: 'platform', name: 'operator' });
    await eventually(() => seen.includes('platform/operator'));
    expect(seen).toHaveLength(9);
  });
});

describe('stopping', () => {
  test('a shutdown lets running reconciles end, and starts no waiting ones', async () => {
    const clock = createManualClock();
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    let aborted: boolean | undefined;
    const { controller, done } = run({
      clock,
      watches: [],
      reconcile: async ({ name }, { signal }) => {
        seen.push(name);
        await gate.promise;
        aborted = signal.aborted;
      },
    });
    controller.enqueue({ name: 'x' });
    controller.enqueue({ name: 'y' });
    await eventually(() => seen.length === 1);
    stop.abort(new Error('shutdown'));
    gate.resolve();
    await done;
    expect([seen, aborted]).toEqual([['x'], false]);
  });

  test('a reconcile that does not end in time is aborted, and left behind', async () => {
    const clock = createManualClock();
    let signal: AbortSignal | undefined;
    const { controller, done } = run({
      clock,
      watches: [],
      shutdownSeconds: 20,
      reconcile: (_key, context) => {
        ({ signal } = context);
        return new Promise(() => undefined);
      },
    });
    controller.enqueue({ name: 'x' });
    await eventually(() => signal !== undefined);
    stop.abort(new Error('shutdown'));
    clock.advance(19);
    expect(signal?.aborted).toBe(false);
    clock.advance(1);
    await done;
    expect(signal?.aborted).toBe(true);
  });

  test('when leadership is lost, running reconciles are aborted at once', async () => {
    const clock = createManualClock();
    let signal: AbortSignal | undefined;
    const { controller, done } = run({
      clock,
      watches: [],
      reconcile: (_key, context) => {
        ({ signal } = context);
        return new Promise(() => undefined);
      },
    });
    controller.enqueue({ name: 'x' });
    await eventually(() => signal !== undefined);
    stop.abort(leaderLost());
    clock.advance(0);
    await done;
    expect(signal?.reason).toMatchObject({ reason: 'LeaderLost' });
  });

  test('a controller whose informers never sync can be stopped', async () => {
    const never = createInformer({ client, apiVersion: 'no.such/v1', kind: 'Kind' });
    const { done } = run({ watches: [{ informer: never, keys: ownKey }] });
    stop.abort(new Error('shutdown'));
    await done;
  });
});

test('all log lines of a reconcile carry one id, and those of the next another', async () => {
  const lines: Line[] = [];
  let calls = 0;
  const { controller } = run({
    log: rememberingLog(lines, {}),
    watches: [],
    async reconcile(_, { log }) {
      calls += 1;
      log.info({}, 'begins');
      log.child({ part: 'x' }).debug({}, 'goes on');
      if (calls === 1) throw failure({ afterSeconds: 0 });
    },
  });
  controller.enqueue({ name: 'a', namespace: 'ns' });
  await eventually(() => lines.length === 5);
  const told = (id: unknown): readonly string[] =>
    lines.filter((line) => line.fields['reconcileID'] === id).map(({ message }) => message);
  const [first, second] = [...new Set(lines.map(({ fields }) => fields['reconcileID']))];
  expect(told(first)).toEqual(['begins', 'goes on', 'reconcile failed']);
  expect(told(second)).toEqual(['begins', 'goes on']);
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  for (const { fields } of lines) expect(fields).toMatchObject({ controller: 'test', namespace: 'ns', name: 'a' });
});

test('a reconcile that does not end is logged after a minute, and then less and less often', async () => {
  const lines: Line[] = [];
  const clock = createManualClock();
  const gate = Promise.withResolvers<void>();
  let begun = false;
  const { controller } = run({
    log: rememberingLog(lines, {}),
    clock,
    watches: [],
    reconcile: () => ((begun = true), gate.promise),
  });
  controller.enqueue({ name: 'a', namespace: 'ns' });
  await eventually(() => begun);
  clock.advance(500);
  expect(lines.map(({ fields }) => fields['seconds'])).toEqual([60, 120, 240, 480]);
  expect(controller.queue.unfinished()).toEqual([{ key: 'ns/a', seconds: 500 }]);
  gate.resolve();
  await eventually(() => controller.queue.unfinished().length === 0);
  expect(clock.timers).toBe(0);
  for (const { fields } of lines) expect(fields).toMatchObject({ controller: 'test', namespace: 'ns', name: 'a' });
});

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function rememberingLog(lines: Line[], above: object): Log {
  const write = (fields: object, message: string): void =>
    void lines.push({ message, fields: { ...above, ...fields } });
  return {
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: (more) => rememberingLog(lines, { ...above, ...more }),
  };
}

test('metrics have the names of controller-runtime and client-go', async () => {
  const registry = new Registry();
  const metrics = createRuntimeMetrics(registry);
  const clock = createManualClock();
  const errors = [failure('never'), failure({ afterSeconds: 5 }), failure('backoff'), undefined];
  let calls = 0;
  const { controller } = run({
    clock,
    name: 'things',
    concurrency: 2,
    watches: [],
    observer: metrics.controller('things'),
    reconcile: async () => {
      const error = errors[calls];
      calls += 1;
      if (error !== undefined) throw error;
      return { requeueAfterSeconds: 1 };
    },
  });
  for (const name of ['a', 'b', 'c', 'd']) {
    controller.enqueue({ name });
    await settle(controller);
  }
  metrics.requests('host')({ method: 'GET', path: '/x', status: 0, seconds: 1 });
  metrics.leader('slipway', true);
  const text = await registry.metrics();
  for (const line of [
    'controller_runtime_reconcile_total{controller="things",result="error"} 3',
    'controller_runtime_reconcile_total{controller="things",result="requeue_after"} 1',
    'controller_runtime_reconcile_errors_total{controller="things"} 3',
    'controller_runtime_terminal_reconcile_errors_total{controller="things"} 1',
    'controller_runtime_active_workers{controller="things"} 0',
    'controller_runtime_max_concurrent_reconciles{controller="things"} 2',
    'controller_runtime_reconcile_time_seconds_count{controller="things"} 4',
    'workqueue_adds_total{name="things",controller="things"} 4',
    'workqueue_retries_total{name="things",controller="things"} 1',
    'workqueue_depth{name="things",controller="things"} 0',
    'workqueue_queue_duration_seconds_count{name="things",controller="things"} 4',
    'workqueue_work_duration_seconds_count{name="things",controller="things"} 4',
    'workqueue_unfinished_work_seconds{name="things",controller="things"} 0',
    'workqueue_longest_running_processor_seconds{name="things",controller="things"} 0',
    'rest_client_requests_total{code="<error>",method="GET",host="host"} 1',
    'leader_election_master_status{name="slipway"} 1',
  ]) {
    expect(text).toContain(line);
  }
});
