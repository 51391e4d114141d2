import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/object.ts';
import { createClient, type Client } from '../client/client.ts';
import { eventually } from '../testing/eventually.ts';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { silentLog, type Log } from '../log.ts';
import { createLeaseFence, fencedTransport, type Fence } from './fence.ts';
import { createLeaderElection, type LeaderElectionOptions } from './leader-election.ts';
import { createLeaseClient } from './lease-client.ts';
import { decideLease, observe } from './lease-record.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import type { ApiRequest, ApiResponse } from '../transport/api-request.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

let api: FakeApi;
let transport: Transport;
let client: Client;
let stop: AbortController;
let runs: Promise<unknown>[];
/** Pending requests, and those of them that will get no answer. */
let pending: number;
let held: number;

async function counted(request: ApiRequest): Promise<ApiResponse> {
  pending += 1;
  try {
    return await transport.request(request);
  } finally {
    pending -= 1;
  }
}

beforeEach(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config);
  pending = 0;
  held = 0;
  client = createClient({ ...transport, request: counted });
  stop = new AbortController();
  runs = [];
});

afterEach(async () => {
  stop.abort(new Error('the test is over'));
  await Promise.all(runs);
  transport.close();
  await api.close();
});

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'ops', name: 'slipway' };

interface Candidate {
  readonly clock: ManualClock;
  readonly fence: Fence;
  readonly signals: AbortSignal[];
  readonly run: Promise<string>;
  readonly log: string[];
}

function candidate(identity: string, options: Partial<LeaderElectionOptions> = {}): Candidate {
  const clock = createManualClock();
  const signals: AbortSignal[] = [];
  const log: string[] = [];
  const fence = createLeaseFence(clock);
  const election = createLeaderElection({
    client,
    fence,
    ...LEASE,
    identity,
    clock,
    random: () => 0,
    onStarted: async (signal) => {
      signals.push(signal);
      log.push('started');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      log.push('ended');
    },
    onStopped: (how) => void log.push(how),
    ...options,
  });
  const run = election.run(stop.signal);
  runs.push(run);
  return { clock, fence, signals, run, log };
}

const leads = ({ signals }: Candidate): boolean => signals.length > 0;
const lease = async (): Promise<{ holderIdentity: string; leaseTransitions: number; renewTime: string }> =>
  ((await client.get(LEASE)) as KubeObject)['spec'] as never;

/** Advances time in small steps and answers all requests in between, except held ones. */
async function live(clocks: readonly ManualClock[], seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 0.5) {
    for (const clock of clocks) clock.advance(0.5);
    await eventually(() => pending === held);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Leaves this many requests of a method unanswered; `meanwhile` is their effect on the server. */
function hold(method: string, count = Infinity, meanwhile: (body: string) => void = () => undefined): void {
  let left = count;
  api.fault((request, response) => {
    if (request.method !== method || left === 0) return false;
    left -= 1;
    held += 1;
    response.on('close', () => (held -= 1));
    meanwhile(request.body);
    return true;
  });
}

describe('leading', () => {
  test('the first candidate leads, and the second waits while the first renews', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    const second = candidate('second');
    await live([first.clock, second.clock], 40);
    expect(leads(second)).toBe(false);
    expect(first.fence.isHeld()).toBe(true);
    expect((await lease()).holderIdentity).toBe('first');
  });

  test('a replica logs which other one leads, once for each, and that it leads itself', async () => {
    const lines: object[] = [];
    const log: Log = { ...silentLog, info: (fields, message) => void lines.push({ ...fields, message }) };
    const first = candidate('first');
    await eventually(() => leads(first));
    const second = candidate('second', { log });
    await live([second.clock], 18);
    const facts = { lease: 'slipway', identity: 'second' };
    expect(lines).toEqual([
      { ...facts, leader: 'first', message: 'another replica leads; this one stands by' },
      { ...facts, message: 'this replica leads' },
    ]);
  });

  test('a dead leader is replaced after its lease has expired, and not before', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    const second = candidate('second');
    await live([second.clock], 14);
    expect(leads(second)).toBe(false);
    await live([second.clock], 4);
    expect(leads(second)).toBe(true);
    expect(await lease()).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
  });

  test('a dead leader is replaced when the lease expires, not at the next attempt', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    const second = candidate('second', { timings: { leaseSeconds: 15, renewSeconds: 10, retrySeconds: 60 } });
    await live([second.clock], 14);
    expect(leads(second)).toBe(false);
    await live([second.clock], 4);
    expect(leads(second)).toBe(true);
  });

  test('after a shutdown the work ends first, then the lease is free at once', async () => {
    const order: string[] = [];
    const first = candidate('first', {
      onStarted: async (signal) => {
        order.push('started');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        order.push(`ended while ${(await lease()).holderIdentity} holds it`);
      },
    });
    await eventually(() => order.length === 1);
    stop.abort(new Error('shutdown'));
    expect(await first.run).toBe('released');
    expect(order).toEqual(['started', 'ended while first holds it']);
    expect((await lease()).holderIdentity).toBe('');
    expect(first.fence.isHeld()).toBe(false);
  });

  test('a candidate that is stopped while it waits never leads', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    const second = candidate('second');
    await live([second.clock], 4);
    stop.abort(new Error('shutdown'));
    expect(await second.run).toBe('never');
    expect(second.log).toEqual([]);
  });

  test('of several simultaneous candidates exactly one leads', async () => {
    const all = ['a', 'b', 'c', 'd'].map((identity) => candidate(identity));
    await eventually(() => all.some(leads));
    await live(
      all.map(({ clock }) => clock),
      10,
    );
    expect(all.filter(leads)).toHaveLength(1);
  });

  test('another writer that merely changes the lease does not end a leadership', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    await client.patch(LEASE, { metadata: { labels: { touched: 'yes' } } });
    await live([first.clock], 8);
    expect(first.fence.isHeld()).toBe(true);
    expect(((await client.get(LEASE)) as KubeObject).metadata.labels).toEqual({ touched: 'yes' });
  });
});

describe('a lease request without an answer', () => {
  test('a candidate tries again after a request without an answer', async () => {
    hold('GET', 1);
    const silences: number[] = [];
    const first = candidate('first', {
      client: createLeaseClient({ ...transport, request: counted }),
      onSilence: (seconds) => void silences.push(seconds),
    });
    await eventually(() => held === 1);
    await live([first.clock], 8);
    await eventually(() => leads(first));
    expect(silences).toEqual([5]);
  });

  test('a leader keeps its leadership after a request without an answer, and suspects other connections', async () => {
    const silences: number[] = [];
    const first = candidate('first', { onSilence: (seconds) => void silences.push(seconds) });
    await eventually(() => leads(first));
    hold('PUT', 1);
    await live([first.clock], 20);
    expect(silences).toEqual([2.5]);
    expect(first.log).toEqual(['started']);
    expect(first.fence.isHeld()).toBe(true);
  });

  test('a leader keeps its leadership if an unanswered renewal took effect', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    hold('PUT', 1, (body) => void api.put(JSON.parse(body) as KubeObject));
    await live([first.clock], 20);
    expect(first.log).toEqual(['started']);
    expect(first.fence.isHeld()).toBe(true);
  });
});

describe('a shutdown that cuts off a lease request which takes effect', () => {
  const takesEffect = (method: string): void => hold(method, 1, (body) => void api.put(JSON.parse(body) as KubeObject));

  test('frees the lease that was renewed', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    takesEffect('PUT');
    await cutOff(first);
    expect(await first.run).toBe('released');
    expect(await lease()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });

  test('frees the lease that was taken, without leading', async () => {
    takesEffect('POST');
    const first = candidate('first');
    await cutOff(first);
    expect(await first.run).toBe('never');
    expect((await lease()).holderIdentity).toBe('');
    expect(first.log).toEqual([]);
  });

  test('leaves the lease of another holder alone', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    hold('PUT', 1, () => void api.put(leaseOf({ holderIdentity: 'second' })));
    await cutOff(first);
    await first.run;
    expect((await lease()).holderIdentity).toBe('second');
  });

  test('frees a lease that another writer changed since the last renewal', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    await client.patch(LEASE, { metadata: { labels: { touched: 'yes' } } });
    stop.abort(new Error('shutdown'));
    await first.run;
    expect((await lease()).holderIdentity).toBe('');
  });

  async function cutOff({ clock }: Candidate): Promise<void> {
    const isHeld = (): boolean => held > 0;
    for (; !isHeld(); await new Promise((resolve) => setImmediate(resolve))) clock.advance(0.5);
    stop.abort(new Error('shutdown'));
  }
});

test('renewing sends only lease requests, whatever happens to discovery', async () => {
  const first = candidate('first', { client: createLeaseClient(transport) });
  await eventually(() => leads(first));
  await live([first.clock], 10);
  await eventually(() => api.requests.filter(({ method }) => method === 'PUT').length > 2);
  const path = '/apis/coordination.k8s.io/v1/namespaces/ops/leases';
  expect(new Set(api.requests.map((request) => request.path))).toEqual(new Set([path, `${path}/slipway`]));
});

test('after an attempt without an answer the next may use more than half of the remaining time', async () => {
  const first = candidate('first');
  await eventually(() => leads(first));
  hold('PUT', 1);
  await live([first.clock], 3);
  const slow = Promise.withResolvers<void>();
  api.fault(async ({ method }) => {
    if (method !== 'PUT') return false;
    held += 1;
    await slow.promise;
    held -= 1;
    return false;
  });
  await live([first.clock], 3);
  expect(held).toBe(1);
  await live([first.clock], 3.5);
  expect([held, first.fence.isHeld()]).toEqual([1, true]);
  slow.resolve();
  await eventually(() => pending === 0);
  await live([first.clock], 5);
  expect(first.log).toEqual(['started']);
});

describe('an API server whose every write of the lease takes long', () => {
  interface SlowLease {
    readonly client: LeaderElectionOptions['client'];
    seconds: number;
  }

  /** Reads are answered at once. A write whose client has gone takes effect all the same, or does not. */
  function slowLease(clock: ManualClock, takesEffect: boolean): SlowLease {
    let stored: KubeObject | undefined;
    let version = 0;
    const write = (wanted: KubeObject, _options: object, signal: AbortSignal): Promise<KubeObject> =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        clock.after(slow.seconds, () => {
          if (signal.aborted && !takesEffect) return;
          const isOld = stored !== undefined && wanted.metadata.resourceVersion !== stored.metadata.resourceVersion;
          if (isOld) return reject(conflict());
          stored = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: String((version += 1)) } };
          resolve(stored);
        });
      });
    const slow: SlowLease = {
      seconds: 0,
      client: { get: async () => stored, create: write, update: write },
    };
    return slow;
  }

  const conflict = (): ApiError =>
    new ApiError('update the lease', { code: 409, reason: 'Conflict', message: 'it has changed', causes: [] });

  test.each([
    { seconds: 3, takesEffect: true },
    { seconds: 3, takesEffect: false },
    { seconds: 4.5, takesEffect: false },
  ])('a leader keeps its leadership if each takes $seconds s from now on, and suspects no connection', async (row) => {
    const { seconds, takesEffect } = row;
    const clock = createManualClock();
    const slow = slowLease(clock, takesEffect);
    const silences: number[] = [];
    const onSilence = (silent: number): void => void silences.push(silent);
    const first = candidate('first', { clock, client: slow.client, onSilence });
    const pass = async (lasting: number): Promise<void> => {
      for (let passed = 0; passed < lasting; passed += 0.25) {
        clock.advance(0.25);
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await pass(5);
    slow.seconds = seconds;
    await pass(60);
    expect([first.log, first.fence.isHeld()]).toEqual([['started'], true]);
    expect(silences).toEqual([]);
  });
});

describe('losing', () => {
  test('a leader that cannot renew stops its work before another replica may begin', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    api.fault((request, response) => request.method === 'PUT' && Boolean(response.writeHead(500).end()));
    await live([first.clock], 9);
    expect(first.signals[0]?.aborted).toBe(false);
    await live([first.clock], 4);
    expect(first.signals[0]?.reason).toMatchObject({ reason: 'LeaderLost' });
    expect(await first.run).toBe('lost');
    expect(first.log).toEqual(['started', 'ended', 'lost']);
  });

  test('a leader whose server does not answer at all loses leadership in the same time', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    hold('PUT');
    await live([first.clock], 13);
    expect(await first.run).toBe('lost');
  });

  test('a leader that finds another holder stops at once and leaves the lease alone', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    await client.patch(LEASE, { spec: { holderIdentity: 'usurper' } });
    await live([first.clock], 3);
    expect(await first.run).toBe('lost');
    expect((await lease()).holderIdentity).toBe('usurper');
  });
});

describe('the write fence', () => {
  const write = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'a' } };

  test('a paused leader finds the fence closed before its next write, before any timer fires', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    const fenced = client.over((inner) => fencedTransport(inner, first.fence));
    await fenced.create(write);
    const paused: ManualClock = first.clock;
    const writing = new Promise((resolve) => {
      paused.after(10.1, () =>
        resolve(fenced.create({ ...write, metadata: { name: 'y', namespace: 'a' } }).catch((error: unknown) => error)),
      );
    });
    paused.skip(60);
    expect(await writing).toMatchObject({ reason: 'LeaderLost' });
    expect(await client.get({ ...LEASE, ...write, name: 'y', namespace: 'a' })).toBeUndefined();
  });

  test('the fence closes when the machine was suspended: the monotonic clock stood still, the wall clock did not', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    first.clock.jump(11);
    expect(() => first.fence.assertHeld()).toThrow('does not lead');
    await live([first.clock], 3);
    expect(first.fence.isHeld()).toBe(true);
  });

  test('a wall clock that is set back does not keep the fence open', async () => {
    const first = candidate('first');
    await eventually(() => leads(first));
    first.clock.jump(-3600);
    api.fault((request, response) => request.method === 'PUT' && Boolean(response.writeHead(500).end()));
    first.clock.skip(10);
    expect(first.fence.isHeld()).toBe(false);
  });

  test('reads go on while the fence is closed', async () => {
    const closed = { isHeld: () => false, assertHeld: () => expect.unreachable() };
    const fenced = client.over((inner) => fencedTransport(inner, closed));
    expect(await fenced.list({ apiVersion: 'v1', kind: 'ConfigMap' })).toEqual([]);
  });

  test('the fence is closed before leading, and its time counts from before the request that took the lease', async () => {
    const first = candidate('first');
    expect(first.fence.isHeld()).toBe(false);
    const slow = Promise.withResolvers<void>();
    const restore = api.fault(async (request) => {
      if (request.method === 'POST') await slow.promise;
      return request.method === 'PUT';
    });
    await eventually(() => api.requests.some(({ method }) => method === 'POST'));
    first.clock.skip(4);
    slow.resolve();
    await eventually(() => leads(first));
    expect(first.fence.isHeld()).toBe(true);
    first.clock.skip(6);
    expect(first.fence.isHeld()).toBe(false);
    restore();
  });
});

function leaseOf(spec: object, resourceVersion = '1'): KubeObject {
  const metadata = { name: 'slipway', namespace: 'ops', resourceVersion };
  return { apiVersion: LEASE.apiVersion, kind: LEASE.kind, metadata, spec };
}

describe('the content of a lease', () => {
  test.each([
    { lease: undefined, now: 0, decision: 'create', because: 'there is no lease' },
    { lease: leaseOf({ holderIdentity: '' }), now: 0, decision: 'take', because: 'the lease was released' },
    { lease: leaseOf({}), now: 0, decision: 'take', because: 'the lease names no holder' },
    {
      lease: leaseOf({ holderIdentity: 'me', leaseDurationSeconds: 15 }),
      now: 99,
      decision: 'renew',
      because: 'this replica holds it',
    },
    {
      lease: leaseOf({ holderIdentity: 'you', leaseDurationSeconds: 15 }),
      now: 14.9,
      decision: 'wait',
      because: 'it has not expired',
    },
    {
      lease: leaseOf({ holderIdentity: 'you', leaseDurationSeconds: 15 }),
      now: 15,
      decision: 'take',
      because: 'it has expired',
    },
    {
      lease: leaseOf({ holderIdentity: 'you', leaseDurationSeconds: 60 }),
      now: 30,
      decision: 'wait',
      because: 'its holder requested a longer lease than we do',
    },
    {
      lease: leaseOf({ holderIdentity: 'you', leaseDurationSeconds: 15, renewTime: '1970-01-01T00:00:00.000000Z' }),
      now: 1,
      decision: 'wait',
      because: 'clocks of other machines are not trusted',
    },
  ])('a lease leads to $decision, because $because', ({ lease, now, decision }) => {
    expect(decideLease({ lease, since: 0 }, 'me', now)).toBe(decision);
  });

  test('a lease expires from when its content was first seen, not from when it was last read', () => {
    const first = observe(undefined, leaseOf({}, '1'), 0);
    expect(observe(first, leaseOf({}, '1'), 10).since).toBe(0);
    expect(observe(first, leaseOf({}, '2'), 10).since).toBe(10);
  });
});
