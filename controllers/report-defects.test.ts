/** A defect is reported on the object that it keeps from being reconciled. */
import { describe, expect, test } from 'vitest';
import { findCondition, type Condition } from '../api/conditions.ts';
import { ReasonedError, type Retry } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import { API_VERSION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { createFakeCluster } from '../kube/testing/fake-cluster.ts';
import type { Reconcile } from '../kube/controller/controller.ts';
import { silentLog } from '../kube/log.ts';
import type { EventFacts } from './events.ts';
import { markReported, reportDefects } from './report-defects.ts';

const key = { namespace: 'default', name: 'widgets' };
const ref = { apiVersion: API_VERSION, kind: 'Subscription', ...key };
const defect: Reconcile = () => Promise.reject(new TypeError('x is not a function'));

function setUp(reconcile: Reconcile, conditions: readonly Condition[] = [], metadata: object = {}) {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: API_VERSION, kind: 'Subscription', metadata: key });
  cluster.change(ref, ({ metadata: before, ...object }) => ({
    ...object,
    metadata: { ...before, generation: 2, ...metadata },
    status: { conditions },
  }));
  const events: EventFacts[] = [];
  const clock = { seconds: 0 };
  const live = (): KubeObject => cluster.objects().find(({ kind }) => kind === 'Subscription') as KubeObject;
  const told = reportDefects(reconcile, {
    objects: { get: live },
    cluster,
    record: (_regarding, event) => void events.push(event),
    now: () => new Date(Date.parse('2026-01-01T00:00:00Z') + clock.seconds * 1000),
  });
  const stop = new AbortController();
  return {
    cluster,
    events,
    clock,
    stop,
    run: () => told(key, { signal: stop.signal, log: silentLog }),
    condition: (type: Condition['type']) =>
      findCondition((live()['status'] as { conditions?: readonly Condition[] }).conditions, type as 'Ready'),
  };
}

const ready = (observedGeneration: number): Condition => ({
  type: 'Ready',
  status: 'True',
  reason: 'Succeeded',
  message: '',
  observedGeneration,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('a defect', () => {
  test('a defect is in the conditions and in one event, and is thrown on to be retried', async () => {
    const { run, condition, events } = setUp(defect);
    await expect(run()).rejects.toThrow('x is not a function');
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'InternalError' });
    expect(condition('Reconciling')?.message).toContain('x is not a function');
    expect(events).toMatchObject([{ type: 'Warning', reason: 'InternalError' }]);
  });

  test('a defect is reported once, however often it occurs', async () => {
    const { run, events, cluster } = setUp(defect);
    await expect(run()).rejects.toThrow();
    const before = cluster.requests.length;
    await expect(run()).rejects.toThrow();
    expect(events).toHaveLength(1);
    expect(cluster.requests.length).toBe(before);
  });

  test.each([
    { observed: 2, status: 'True', because: 'the object is as requested' },
    { observed: 1, status: 'False', because: 'the spec was changed since' },
  ])('a defect leaves Ready at $status if $because', async ({ observed, status }) => {
    const { run, condition } = setUp(defect, [ready(observed)]);
    await expect(run()).rejects.toThrow();
    expect(condition('Ready')?.status).toBe(status);
    expect(condition('Reconciling')?.reason).toBe('InternalError');
  });
});

test.each(['UpgradeFailed', 'CustomResourcesLost', 'Contested'] as const)(
  '%s stays true meanwhile: a defect ends nothing of it',
  async (type) => {
    const before: Condition = { ...ready(1), type, status: 'True', reason: 'ApplyFailed', message: 'as it was' };
    const { run, condition } = setUp(defect, [ready(2), before]);
    await expect(run()).rejects.toThrow();
    expect(condition(type)).toMatchObject({ status: 'True', message: 'as it was' });
  },
);

test('an error with a reason is not reported as a defect: its controller reports it', async () => {
  const error = new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message: 'no' });
  const { run, cluster, events } = setUp(() => Promise.reject(error));
  await expect(run()).rejects.toBe(error);
  expect([cluster.requests, events]).toEqual([[], []]);
});

test.each([
  { because: 'a name stays taken, for example', isReported: false, told: ['Conflict'] },
  { because: 'its controller has reported it', isReported: true, told: [] },
])('a Conflict that has come again for a minute is reported by the events $told: $because', async (given) => {
  const conflict = new ReasonedError({ reason: 'Conflict', retry: 'backoff', message: 'create Secret a: it exists' });
  const error = given.isReported ? markReported(conflict) : conflict;
  const { run, clock, condition, events } = setUp(() => Promise.reject(error), [ready(2)]);
  for (const seconds of [0, 30, 60, 90]) {
    clock.seconds = seconds;
    await expect(run()).rejects.toBe(error);
    expect(condition('Reconciling')?.reason).toBe(seconds >= 60 ? given.told[0] : undefined);
  }
  expect([condition('Ready')?.status, events.map(({ reason }) => reason)]).toEqual(['True', given.told]);
});

test('a Conflict beside a failure that ended the work is reported by events, and the failure stays', async () => {
  const error = new ReasonedError({ reason: 'Conflict', retry: 'backoff', message: 'create Secret a: it exists' });
  const failed = [
    { ...ready(2), status: 'False', reason: 'ProgressDeadlineExceeded' },
    { ...ready(2), type: 'Stalled', reason: 'ProgressDeadlineExceeded' },
  ] as const;
  const { run, clock, condition, events } = setUp(() => Promise.reject(error), failed);
  for (const seconds of [0, 60]) {
    clock.seconds = seconds;
    await expect(run()).rejects.toBe(error);
  }
  expect([condition('Stalled')?.reason, condition('Reconciling')]).toEqual(['ProgressDeadlineExceeded', undefined]);
  expect(events.map(({ reason }) => reason)).toEqual(['Conflict']);
});

test('the time of a Conflict begins with the first one: an outage before it is reported by the controller', async () => {
  let reason: Reason = 'ApiUnavailable';
  const failing: Reconcile = () => Promise.reject(new ReasonedError({ reason, retry: 'backoff', message: 'no' }));
  const { run, clock, events } = setUp(failing);
  for (const [seconds, next] of [
    [0, 'ApiUnavailable'],
    [90, 'ApiUnavailable'],
    [100, 'Conflict'],
    [159, 'Conflict'],
  ] as const) {
    [clock.seconds, reason] = [seconds, next];
    await run().catch(() => undefined);
  }
  expect(events).toEqual([]);
});

test('an abort is no defect', async () => {
  const { run, stop, cluster } = setUp(defect);
  stop.abort(new Error('SIGTERM'));
  await expect(run()).rejects.toThrow();
  expect(cluster.requests).toEqual([]);
});

describe('an error that ends a removal', () => {
  const removal = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] };
  const failing =
    (reason: Reason, retry: Retry): Reconcile =>
    () =>
      Promise.reject(new ReasonedError({ reason, retry, message: 'delete Revision lights/beacon-1: no' }));

  test('a deletion that is refused is in the conditions and in one event, and is tried again', async () => {
    const { run, condition, events } = setUp(failing('ObjectInvalid', 'never'), [ready(1)], removal);
    for (const _ of [1, 2]) await expect(run()).rejects.toMatchObject({ reason: 'ObjectInvalid', retry: 'backoff' });
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'ObjectInvalid' });
    expect(condition('Reconciling')?.message).toContain('delete Revision lights/beacon-1: no');
    expect(events).toMatchObject([{ type: 'Warning', reason: 'ObjectInvalid' }]);
  });

  test('a removal that has begun is still known to have begun', async () => {
    const begun = { ...ready(2), status: 'False', reason: 'Uninstalling' } as const;
    const { run, condition } = setUp(failing('ObjectInvalid', 'backoff'), [begun], removal);
    await expect(run()).rejects.toMatchObject({ reason: 'ObjectInvalid' });
    expect(condition('Ready')).toMatchObject({
      reason: 'Uninstalling',
      message: expect.stringContaining('no') as string,
    });
    expect(condition('Reconciling')?.reason).toBe('ObjectInvalid');
  });

  test.each(['Conflict', 'LeaderLost', 'ApiUnavailable'] as const)(
    'an answer that the next attempt cures is not reported: %s',
    async (reason) => {
      const { run, condition, events } = setUp(failing(reason, 'backoff'), [ready(1)], removal);
      await expect(run()).rejects.toMatchObject({ reason });
      expect([condition('Ready')?.reason, events]).toEqual(['Succeeded', []]);
    },
  );

  test.each([
    { reason: 'ApiUnavailable', told: true, because: 'a list does not fit into memory, for example' },
    { reason: 'Conflict', told: true, because: 'a cache never catches up, for example' },
    { reason: 'LeaderLost', told: false, because: 'another replica goes on' },
  ] as const)('$reason that has come again for a minute is reported: $told, as $because', async ({ reason, told }) => {
    const { run, condition, events, clock } = setUp(failing(reason, 'backoff'), [ready(1)], removal);
    for (const seconds of [0, 30, 60, 90]) {
      clock.seconds = seconds;
      await expect(run()).rejects.toMatchObject({ reason });
      expect(condition('Ready')?.reason).toBe(told && seconds >= 60 ? reason : 'Succeeded');
    }
    expect(events.map((event) => event.reason)).toEqual(told ? [reason] : []);
  });

  test.each([
    { because: 'an attempt succeeded', other: undefined },
    { because: 'an attempt ended otherwise', other: 'Forbidden' },
  ] as const)('a minute begins again if $because meanwhile', async ({ other }) => {
    let reason: Reason | undefined = 'ApiUnavailable';
    const flaky: Reconcile = (...args) =>
      reason === undefined ? Promise.resolve(undefined) : failing(reason, 'backoff')(...args);
    const { run, clock, events } = setUp(flaky, [ready(1)], removal);
    for (const [seconds, next] of [
      [0, reason],
      [50, other],
      [100, reason],
      [159, reason],
    ] as const) {
      [clock.seconds, reason] = [seconds, next];
      await run().catch(() => undefined);
    }
    expect(events.map((event) => event.reason)).toEqual(other === undefined ? [] : [other]);
  });

  test('the same error is left to the controller while the object is not being deleted', async () => {
    const { run, condition } = setUp(failing('ObjectInvalid', 'never'), [ready(1)]);
    await expect(run()).rejects.toMatchObject({ retry: 'never' });
    expect(condition('Ready')?.reason).toBe('Succeeded');
  });
});
