import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { Revision } from '../../api/revision.ts';
import type { Failure } from '../../apply/api-failure.ts';
import { sampleOperator } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import { refusal } from '../../api/testing/refusal.ts';
import type { FakeRequest } from '../../kube/testing/fake-cluster.ts';
import { emptyMemory } from './memory.ts';
import { attend, metOutage, noteOutage, notingOutage } from './outages.ts';
import type { RevisionMemory } from './memory.ts';
import { createHarness, type Harness } from './testing/harness.ts';
import { failure } from './testing/results.ts';
import { slowPods } from './testing/slow-pods.ts';

const down = failure('ApiUnavailable', 'backoff', 'etcdserver: request timed out');
const converting = failure(
  'ApiUnavailable',
  'backoff',
  'conversion webhook for example.com/v1, Kind=Widget failed: EOF',
);

describe('an attempt that says nothing of the bundle', () => {
  const cases: readonly { failures: readonly Failure[]; met: boolean; because: string }[] = [
    { failures: [down], met: true, because: 'the API server did not answer' },
    { failures: [], met: false, because: 'nothing failed' },
    { failures: [down, failure('Forbidden', 'backoff', 'no')], met: false, because: 'it answered another request' },
    { failures: [converting], met: false, because: 'a webhook of the bundle did not answer' },
  ];

  test.each(cases)('an attempt has met an outage: $met, because $because', ({ failures, met }) => {
    expect(metOutage({}, failures)).toBe(met);
  });

  test.each([
    { reason: 'ApiUnavailable', met: true, because: 'the API server did not answer' },
    { reason: 'ManifestsMissing', met: false, because: 'it answered' },
  ] as const)('an error with the reason $reason is an outage: $met, because $because', ({ reason, met }) => {
    expect(metOutage(new ReasonedError({ reason, retry: 'backoff', message: 'x' }))).toBe(met);
  });
});

const working = (since: Date): Revision['status'] => ({
  conditions: [
    {
      type: 'Reconciling',
      status: 'True',
      reason: 'Progressing',
      message: 'It is under way.',
      lastTransitionTime: since.toISOString(),
    },
  ],
});

describe('the time that counts', () => {
  const [noon, one] = [new Date('2026-01-01T12:00:00Z'), new Date('2026-01-01T13:00:00Z')];

  test('the time that counts begins with the first attempt', () => {
    const memory = emptyMemory();
    attend(memory, undefined, noon);
    attend(memory, undefined, one);
    expect(memory.attendedSince).toEqual(noon);
  });

  test('the time that counts begins again if the clock was set back', () => {
    const memory = emptyMemory();
    attend(memory, undefined, one);
    attend(memory, undefined, noon);
    expect(memory.attendedSince).toBe(noon);
  });

  test('the time that counts goes on after an outage, from the attempt that met it', () => {
    const memory: RevisionMemory = emptyMemory();
    const at = (minutes: number): Date => new Date(noon.getTime() + minutes * 60_000);
    attend(memory, working(noon), noon);
    attend(memory, working(noon), at(8));
    noteOutage(memory);
    attend(memory, working(noon), at(30));
    expect(memory.attendedSince).toEqual(at(22));
  });

  test('the waits for webhooks begin again after an outage, and their proofs stay', () => {
    const memory = { ...emptyMemory(), attendedSince: noon, unreadableSince: noon };
    memory.proof = { proved: 'pods', removed: [], silentSince: noon };
    noteOutage(memory);
    attend(memory, undefined, one);
    expect(memory).toMatchObject({ attendedSince: one, unreadableSince: undefined });
    expect(memory.proof).toEqual({ proved: 'pods', removed: [], silentSince: undefined });
  });

  test('a write of the status that the API server does not answer ends the time that counts', async () => {
    const memory = { ...emptyMemory(), attendedSince: noon };
    await expect(notingOutage(memory, Promise.reject(new ReasonedError(down)))).rejects.toMatchObject(down);
    expect(memory.attendedSince).toBeUndefined();
  });
});

describe('the progress deadline of an upgrade', () => {
  const next = sampleOperator({ image: 'registry.example/operator:2' });
  let isDown: (request: FakeRequest) => boolean = () => false;
  let stoodStill = 0;

  /** The first version runs, and the next one begins. */
  async function begin(): Promise<Harness> {
    const pods = slowPods();
    isDown = () => false;
    stoodStill = 0;
    const harness = createHarness({
      react: pods.react,
      stoodStill: () => stoodStill,
      before: (request) => {
        if (isDown(request)) throw refusal(503, 'Down', 'etcdserver: request timed out');
      },
    });
    await harness.addRevision(1, sampleOperator());
    await harness.settle(1);
    harness.setState(1, 'Archived');
    pods.holdBack();
    await harness.addRevision(2, next, { previous: 'widgets-1' });
    return harness;
  }

  const stalled = (harness: Harness): string | undefined =>
    findCondition(harness.revision(2).status?.conditions, 'Stalled')?.reason;
  const isWrite = ({ verb }: FakeRequest): boolean => !['get', 'list'].includes(verb);

  test('the deadline passes if the new version does not become healthy', async () => {
    const harness = await begin();
    await harness.settle(2);
    harness.pass(700);
    await harness.settle(2);
    expect(stalled(harness)).toBe('ProgressDeadlineExceeded');
  });

  test('the deadline does not count the time in which no manager ran', async () => {
    const harness = await begin();
    await harness.settle(2);
    harness.pass(3600);
    harness.memories.drop(harness.revision(2), 'deleted');
    await harness.settle(2);
    harness.pass(500);
    await harness.settle(2);
    expect(stalled(harness)).toBeUndefined();
    harness.pass(200);
    await harness.settle(2);
    expect(stalled(harness)).toBe('ProgressDeadlineExceeded');
  });

  test('the deadline does not count the time in which the process stood still, as while its machine slept', async () => {
    const harness = await begin();
    await harness.settle(2);
    harness.pass(200);
    await harness.settle(2);
    harness.pass((stoodStill = 3600));
    await harness.settle(2);
    harness.pass(300);
    await harness.settle(2);
    expect(stalled(harness)).toBeUndefined();
    harness.pass(200);
    await harness.settle(2);
    expect(stalled(harness)).toBe('ProgressDeadlineExceeded');
  });

  test('the deadline does not count the time in which the process stood still during an attempt', async () => {
    const harness = await begin();
    await harness.settle(2);
    isDown = () => {
      if (stoodStill === 0) harness.pass((stoodStill = 3600));
      return false;
    };
    harness.pass(60);
    await harness.settle(2);
    expect([stoodStill, stalled(harness)]).toEqual([3600, undefined]);
  });

  test('the deadline does not count the time in which the API server refused every write', async () => {
    const harness = await begin();
    isDown = isWrite;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(harness.reconcile(2)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
      expect(stalled(harness)).toBeUndefined();
      harness.pass(400);
    }
    isDown = () => false;
    await harness.settle(2);
    expect(stalled(harness)).toBeUndefined();
    harness.pass(700);
    await harness.settle(2);
    expect(stalled(harness)).toBe('ProgressDeadlineExceeded');
  });

  test('the deadline does not count the time in which the API server did not show the Pods', async () => {
    const harness = await begin();
    await harness.settle(2);
    isDown = ({ verb, ref }) => verb === 'list' && ref.kind === 'ReplicaSet';
    harness.pass(590);
    await expect(harness.reconcile(2)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    harness.pass(20);
    isDown = () => false;
    await harness.settle(2);
    expect(stalled(harness)).toBeUndefined();
  });

  test('the deadline ends although some requests are never answered in between', async () => {
    const harness = await begin();
    await harness.settle(2);
    for (let attempt = 0; attempt < 8 && stalled(harness) === undefined; attempt += 1) {
      harness.pass(100);
      isDown = ({ verb, ref }) => verb === 'list' && ref.kind === 'ReplicaSet';
      await harness.reconcile(2).catch(() => undefined);
      isDown = () => false;
      harness.pass(5);
      await harness.settle(2);
    }
    expect(stalled(harness)).toBe('ProgressDeadlineExceeded');
  });

  test('the deadline ends although the API server never stores one object of the bundle', async () => {
    const harness = await begin();
    isDown = (request) => isWrite(request) && request.ref.kind === 'Deployment';
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await harness.reconcile(2).catch(() => undefined);
      harness.pass(400);
    }
    expect(stalled(harness)).toBe('ProgressDeadlineExceeded');
  });

  test('the deadline counts the time in which a right is missing', async () => {
    const harness = createHarness({
      before: ({ verb, ref }) => {
        if (verb !== 'get' && ref.kind === 'Deployment') throw refusal(403, 'Forbidden', 'no');
      },
    });
    await harness.addRevision(2, next);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await harness.reconcile(2).catch(() => undefined);
      harness.pass(400);
    }
    expect(stalled(harness)).toBe('ProgressDeadlineExceeded');
  });
});
