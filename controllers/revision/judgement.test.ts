import { describe, expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import {
  judgeDeadline,
  judgeRetry,
  NO_FAULT,
  secondsOfWork,
  underPolicy,
  worstOf,
  type Judgement,
} from './judgement.ts';
import { now, revision } from './testing/results.ts';

/** All time counts. */
const time = { now, attendedSince: new Date(0) };
const of = (state: Judgement['state'], message: string): Judgement => ({ state, reason: 'Progressing', message });

describe('several judgements', () => {
  test.each<{ judgements: readonly [Judgement, ...Judgement[]]; says: string; because: string }>([
    { judgements: [of('Ready', 'a')], says: 'a', because: 'there is no other' },
    { judgements: [of('Ready', 'a'), NO_FAULT], says: 'a', because: 'a check without a fault adds nothing' },
    { judgements: [of('Ready', 'a'), of('Working', 'b')], says: 'b', because: 'work that is left is worse' },
    { judgements: [of('Working', 'a'), of('Failed', 'b')], says: 'b', because: 'a failure is worse than work' },
    { judgements: [of('Failed', 'a'), of('Working', 'b')], says: 'a', because: 'the order makes no difference' },
    {
      judgements: [of('Working', 'a'), of('Working', 'b')],
      says: 'b',
      because: 'a later check knows more of the cause',
    },
    { judgements: [of('Ready', 'a'), of('Failed', 'b'), of('Resting', 'c')], says: 'b', because: 'each counts' },
  ])('of several judgements the worst wins: $says, because $because', ({ judgements, says }) => {
    expect(worstOf(...judgements).message).toBe(says);
  });
});

describe('the progress deadline', () => {
  const working: Judgement = { state: 'Working', reason: 'Progressing', message: 'slow' };
  const unhealthy: Judgement = { state: 'Working', reason: 'WorkloadUnhealthy', message: 'it crashes' };
  const late = { state: 'Failed', reason: 'ProgressDeadlineExceeded' };
  const cases: readonly { one: Revision; judgement?: Judgement; seconds: number; says: object; because: string }[] = [
    { one: revision({ Reconciling: 'Progressing' }), seconds: 3601, says: working, because: 'there is time left' },
    { one: revision({ Reconciling: 'Progressing' }), seconds: 3600, says: late, because: 'the time is over' },
    { one: revision(), seconds: 1, says: working, because: 'the work begins only now' },
    {
      one: revision({ Stalled: 'ProgressDeadlineExceeded' }),
      seconds: 9999,
      says: late,
      because: 'only success ends the failure',
    },
    {
      one: revision({ Stalled: 'CRDUnsafe' }),
      seconds: 9999,
      says: working,
      because: 'the time of a Revision that was rejected before begins again',
    },
    {
      one: revision({ Stalled: 'ProgressDeadlineExceeded' }),
      judgement: { state: 'Ready', reason: 'Succeeded', message: '' },
      seconds: 1,
      says: { state: 'Ready' },
      because: 'the Revision is healthy',
    },
    {
      one: revision({ Ready: 'Succeeded', Reconciling: 'Progressing' }),
      judgement: unhealthy,
      seconds: 1,
      says: unhealthy,
      because: 'it was healthy until now, and only waited to prune leftovers',
    },
    {
      one: revision({ Ready: 'WorkloadUnhealthy', Reconciling: 'Progressing' }),
      judgement: unhealthy,
      seconds: 3600,
      says: { state: 'Failed', reason: 'WorkloadUnhealthy' },
      because: 'it has been unhealthy for so long, and the Subscription may not have seen the reason yet',
    },
    {
      one: revision({ Stalled: 'WorkloadUnhealthy' }),
      judgement: unhealthy,
      seconds: 9999,
      says: { state: 'Failed', reason: 'WorkloadUnhealthy' },
      because: 'only success ends this failure, too',
    },
  ];

  test.each(cases)(
    '$seconds s of deadline after an hour: $says.state, because $because',
    ({ one, judgement, seconds, says }) => {
      expect(judgeDeadline(judgement ?? working, one, { deadlineSeconds: seconds, ...time })).toMatchObject(says);
    },
  );

  const midnight = '2026-01-01T00:00:00Z';
  const since = (ready: string, reconciling: string): Revision['status'] => ({
    conditions: [
      { type: 'Ready', status: 'False', reason: 'Progressing', message: '', lastTransitionTime: ready },
      { type: 'Reconciling', status: 'True', reason: 'Progressing', message: '', lastTransitionTime: reconciling },
    ],
  });

  test.each<{ status: Revision['status']; attendedSince?: Date; seconds: number | undefined; because: string }>([
    { status: since(midnight, midnight), seconds: 3600, because: 'the work began an hour ago' },
    { status: revision({ Ready: 'Succeeded' }).status, seconds: undefined, because: 'nothing is in progress' },
    {
      status: revision({ Ready: 'Succeeded', Reconciling: 'Progressing' }).status,
      seconds: 0,
      because: 'it is healthy, and only leftovers are to be pruned',
    },
    {
      status: since('2026-01-01T00:59:00Z', midnight),
      seconds: 60,
      because: 'it was healthy until a minute ago',
    },
    {
      status: since(midnight, '2026-01-01T00:58:00Z'),
      seconds: 120,
      because: 'it was rejected before, and is tried again',
    },
    {
      status: since(midnight, midnight),
      attendedSince: new Date('2026-01-01T00:59:30Z'),
      seconds: 30,
      because: 'the manager was away until then',
    },
  ])('$seconds s count towards the deadline, because $because', ({ status, attendedSince, seconds }) => {
    expect(secondsOfWork(status, { ...time, ...(attendedSince !== undefined && { attendedSince }) })).toBe(seconds);
  });

  test('no time counts towards the deadline while the API server does not answer', () => {
    expect(secondsOfWork(since(midnight, midnight), { now, attendedSince: undefined })).toBe(0);
  });
});

describe('the judgement of a rejection', () => {
  const refusal = { state: 'Failed', reason: 'CRDUnsafe', message: 'no' } as const;

  test.each(['Rollback', 'Hold'] as const)('a rejection is final with %s', (strategy) => {
    expect(judgeRetry(refusal, { strategy, progressDeadline: '10m' })).toBe(refusal);
  });

  test('a rejection with Retry is work in progress until the deadline; the message is the same each time', () => {
    expect(judgeRetry(refusal, { strategy: 'Retry', progressDeadline: '10m' })).toEqual({
      state: 'Working',
      reason: 'CRDUnsafe',
      message: 'no. It is tried again until the progress deadline of 10m is over',
    });
  });
});

describe('the policy for failures', () => {
  const refusal: Judgement = { state: 'Failed', reason: 'CRDUnsafe', message: 'no' };
  const hourOfWork = revision({ Reconciling: 'Progressing' });

  test.each<{ strategy: 'Retry' | 'Hold'; progressDeadline: string; says: object; because: string }>([
    {
      strategy: 'Retry',
      progressDeadline: '2h',
      says: { state: 'Working', reason: 'CRDUnsafe' },
      because: 'a rejection is tried again until the deadline',
    },
    {
      strategy: 'Retry',
      progressDeadline: '1h',
      says: { state: 'Failed', reason: 'ProgressDeadlineExceeded' },
      because: 'the deadline makes it final',
    },
    {
      strategy: 'Hold',
      progressDeadline: '1h',
      says: refusal,
      because: 'a final rejection keeps its reason, however long the work lasted',
    },
  ])('$strategy with a deadline of $progressDeadline after an hour: $because', ({ says, ...policy }) => {
    expect(underPolicy(refusal, hourOfWork, policy, time)).toMatchObject(says);
  });
});
