import { describe, expect, test } from 'vitest';
import { formatTime, type Condition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { RevisionStatus } from '../../api/revision.ts';
import { Subscription } from '../../api/subscription.ts';
import type { Judgement } from './judgement.ts';
import { retryDelay, schedule, type Attempted, type Schedule, type ScheduledSituation } from './schedule.ts';
import { failure } from './testing/results.ts';

const now = new Date('2026-01-01T01:00:00Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
const onFailure = Subscription.shape.spec.parse({
  package: 'widgets',
  onFailure: { strategy: 'Retry', progressDeadline: '10m', bakeTime: '5m' },
}).onFailure;
const entry = { apiVersion: 'v1', kind: 'Service', name: 'x', uid: 'v', hash: 'h' };

function statusOf(types: Partial<Record<'Ready' | 'Reconciling', [string, Date]>>, message = ''): RevisionStatus {
  const conditions = Object.entries(types).map(([type, [reason, since]]): Condition => ({
    type,
    status: type === 'Ready' && reason !== 'Succeeded' ? 'False' : 'True',
    reason,
    message,
    observedGeneration: 1,
    lastTransitionTime: formatTime(since),
  }));
  return { observedGeneration: 1, inventory: [], conditions };
}

/** A status in progress for so many seconds. */
const working = (seconds: number, message = 'now'): RevisionStatus =>
  statusOf({ Ready: ['Progressing', ago(seconds)], Reconciling: ['Progressing', ago(seconds)] }, message);
/** A healthy status for so many seconds. */
const healthy = (seconds: number): RevisionStatus => statusOf({ Ready: ['Succeeded', ago(seconds)] });

const READY: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };
const WORKING: Judgement = { state: 'Working', reason: 'Progressing', message: '' };
const REJECTED: Judgement = { state: 'Failed', reason: 'CRDUnsafe', message: 'no' };

/** An attempt whose next status is in progress for a minute, unless the case differs. */
function attempted(fields: Partial<Attempted>, before: RevisionStatus = {}): Attempted {
  const { judgement = WORKING, status = working(60) } = fields;
  return {
    kind: 'attempted',
    found: judgement,
    judgement,
    revision: { metadata: { name: 'widgets-1', generation: 1 }, status: before } as Attempted['revision'],
    status,
    onFailure,
    attendedSince: new Date(0),
    failures: [],
    isBaking: false,
    startSeconds: 0,
    hasUnwatched: false,
    ...fields,
  };
}

/** A healthy attempt. */
const succeeded = (fields: Partial<Attempted> = {}): Attempted =>
  attempted({ judgement: READY, status: healthy(60), ...fields });

/** An attempt whose status differs from the one before in its message only. */
const progressed = (fields: Partial<Attempted>): Attempted =>
  attempted({ status: working(60, '2 of 3'), ...fields }, working(60, '1 of 3'));

const error = (retry: ReasonedError['retry']): ReasonedError =>
  new ReasonedError({ reason: 'Forbidden', retry, message: 'no' });
const broken = (retry: ReasonedError['retry'], judgement: Judgement): ScheduledSituation => ({
  kind: 'broken',
  error: error(retry),
  judgement,
  status: judgement.state === 'Working' ? working(20) : statusOf({ Ready: [judgement.reason, ago(0)] }),
  onFailure,
  attendedSince: new Date(0),
});

const AT_ONCE = { write: 'now' } as const;
const UNWRITTEN = { write: 'never' } as const;

const cases: readonly { situation: ScheduledSituation; says: Schedule; because: string }[] = [
  // a rejection that was noted before
  {
    situation: { kind: 'refused', until: undefined },
    says: { ...UNWRITTEN, again: 'never' },
    because: 'a rejected Revision rests until something changes',
  },
  {
    situation: { kind: 'refused', until: ago(-7) },
    says: { ...UNWRITTEN, again: { inSeconds: 7 } },
    because: 'a rejected Revision that is to be retried rests until then',
  },
  {
    situation: { kind: 'refused', until: ago(0) },
    says: { ...UNWRITTEN, again: 'now' },
    because: 'the retry is due',
  },
  // contests
  {
    situation: { kind: 'contested', repairedAt: ago(2) },
    says: { ...UNWRITTEN, again: { inSeconds: 3 } },
    because: 'a contest goes on at a walk',
  },
  {
    situation: { kind: 'contested', repairedAt: ago(5) },
    says: { ...UNWRITTEN, again: 'now' },
    because: 'the pause in the contest is over',
  },
  // a clock that was set back by an hour
  {
    situation: { kind: 'refused', until: ago(-3600) },
    says: { ...UNWRITTEN, again: 'now' },
    because: 'the clock was set back, and a rejected Revision does not rest until it is that time again',
  },
  {
    situation: { kind: 'contested', repairedAt: ago(-3600) },
    says: { ...UNWRITTEN, again: 'now' },
    because: 'the clock was set back, and a contested object does not stay astray until it is that time again',
  },
  {
    situation: progressed({ lastWritten: ago(-3600) }),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'the clock was set back since the last write of the status',
  },
  {
    situation: succeeded({ contestsOver: ago(-600) }),
    says: { ...AT_ONCE, again: { inSeconds: 600 } },
    because: 'the condition of a contest is removed when it is over',
  },
  {
    situation: succeeded({ contestsOver: ago(1) }),
    says: { ...AT_ONCE, again: 'never' },
    because: 'the contest is over already',
  },
  // the pace of the status
  {
    situation: progressed({ lastWritten: ago(2) }),
    says: { write: { inSeconds: 8 }, again: { inSeconds: 8 } },
    because: 'a status that differs only in progress is not written at every step',
  },
  {
    situation: progressed({ lastWritten: ago(10) }),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'the last write was long ago',
  },
  {
    situation: progressed({}),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'no status was written before',
  },
  {
    situation: progressed({ lastWritten: ago(2), status: { ...working(60), inventory: [entry] } }),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'an applied object is more than progress',
  },
  {
    situation: progressed({ lastWritten: ago(2), status: { ...working(60), observedGeneration: 2 } }),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'a change of the spec is more than progress',
  },
  {
    situation: progressed({ lastWritten: ago(2), judgement: READY, status: healthy(0) }),
    says: { ...AT_ONCE, again: 'never' },
    because: 'success is written at once',
  },
  {
    situation: progressed({ lastWritten: ago(2), judgement: { ...WORKING, askAgainSeconds: 0.05 } }),
    says: { write: { inSeconds: 8 }, again: { inSeconds: 0.05 } },
    because: 'a check goes on although the status is not written',
  },
  {
    situation: progressed({ lastWritten: ago(2), found: REJECTED }),
    says: { write: { inSeconds: 8 }, again: { inSeconds: 8 } },
    because: 'a rejection rests only once the status shows it',
  },
  // checks that no watch reports
  {
    situation: attempted({ judgement: { ...WORKING, askAgainSeconds: 2 }, startSeconds: 1 }),
    says: { ...AT_ONCE, again: { inSeconds: 2 } },
    because: 'the judgement asks to be checked again',
  },
  // failures
  {
    situation: attempted({ failures: [failure('Forbidden', 'backoff', 'no')] }),
    says: { ...AT_ONCE, again: { error: error('backoff') } },
    because: 'a failed write is retried with back-off',
  },
  {
    situation: attempted({ failures: [failure('Forbidden', 'never', 'no'), failure('Collision', 'backoff', 'x')] }),
    says: { ...AT_ONCE, again: { error: error('backoff') } },
    because: 'the first failure is reported, with the retry of one that may be cured',
  },
  {
    situation: attempted({ found: REJECTED, status: working(20) }),
    says: { ...AT_ONCE, again: { inSeconds: 20 }, rest: { until: ago(-20) } },
    because: 'with Retry a rejection is tried again after as long as the work has lasted',
  },
  {
    situation: attempted({ found: REJECTED, judgement: REJECTED, status: statusOf({ Ready: ['CRDUnsafe', ago(0)] }) }),
    says: { ...AT_ONCE, again: 'never', rest: { until: undefined } },
    because: 'a final rejection rests until something changes',
  },
  {
    situation: broken('backoff', WORKING),
    says: { ...AT_ONCE, again: { error: error('backoff') } },
    because: 'the error is retried with back-off',
  },
  {
    situation: broken({ afterSeconds: 9 }, WORKING),
    says: { ...AT_ONCE, again: { error: error({ afterSeconds: 9 }) } },
    because: 'the error names the time of its retry',
  },
  {
    situation: broken('never', REJECTED),
    says: { ...AT_ONCE, again: { error: error('never') }, rest: { until: undefined } },
    because: 'a final error is reported, and rests until something changes',
  },
  {
    situation: broken('never', WORKING),
    says: { ...AT_ONCE, again: { inSeconds: 20 }, rest: { until: ago(-20) } },
    because: 'with Retry a final error is tried again until the deadline',
  },
  // leftovers
  {
    situation: succeeded({ isBaking: true }),
    says: { ...AT_ONCE, again: { inSeconds: 240 } },
    because: 'leftovers are pruned after the bake time',
  },
  {
    situation: succeeded({ isBaking: true, status: healthy(3600) }),
    says: { ...AT_ONCE, again: { inSeconds: 0.1 } },
    because: 'the bake time is over',
  },
  {
    situation: succeeded({ isBaking: false, status: healthy(3600) }),
    says: { ...AT_ONCE, again: 'never' },
    because: 'the leftovers were pruned, and a watch reports the end of one that a finalizer holds',
  },
  {
    situation: succeeded({
      status: statusOf({ Ready: ['Succeeded', ago(3600)], Reconciling: ['Progressing', ago(3700)] }),
    }),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'a finalizer holds a leftover for longer than the deadline, which is not about that',
  },
  {
    situation: attempted({ isBaking: true }),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'leftovers stay while the Revision is not healthy',
  },
  {
    situation: succeeded({ isBaking: false, unpruned: failure('Forbidden', 'never', 'no') }),
    says: { ...AT_ONCE, again: { error: error('backoff') } },
    because: 'a failed deletion is retried with back-off, whatever the failure says',
  },
  // work that takes long
  {
    situation: attempted({ status: working(1) }),
    says: { ...AT_ONCE, again: { inSeconds: 9 } },
    because: 'after ten seconds the Pods are read for the cause',
  },
  {
    situation: attempted({ startSeconds: 0.2 }),
    says: { ...AT_ONCE, again: { inSeconds: 1 } },
    because: 'a second is the least',
  },
  {
    situation: attempted({}),
    says: { ...AT_ONCE, again: { inSeconds: 30 } },
    because: 'the cause may change without a watch that reports it',
  },
  {
    situation: attempted({ status: working(590) }),
    says: { ...AT_ONCE, again: { inSeconds: 10 } },
    because: 'the deadline is judged in time',
  },
  {
    situation: attempted({ status: working(700) }),
    says: { ...AT_ONCE, again: { inSeconds: 1 } },
    because: 'the deadline is over',
  },
  {
    situation: attempted({ startSeconds: 2 }),
    says: { ...AT_ONCE, again: { inSeconds: 2 } },
    because: 'a Deployment is left to start',
  },
  {
    situation: attempted({ contestsOver: ago(-4) }),
    says: { ...AT_ONCE, again: { inSeconds: 4 } },
    because: 'a contest ends while the work goes on',
  },
  // nothing to do
  { situation: succeeded(), says: { ...AT_ONCE, again: 'never' }, because: 'the watches report every change' },
  {
    situation: succeeded({ hasUnwatched: true }),
    says: { ...AT_ONCE, again: { inSeconds: 60 } },
    because: 'custom resources without a watch are read',
  },
  {
    situation: succeeded({ certificatesDue: ago(-600), contestsOver: ago(-900) }),
    says: { ...AT_ONCE, again: { inSeconds: 600 } },
    because: 'a certificate needs its next step, and that comes first',
  },
  {
    situation: succeeded({ certificatesDue: ago(-90 * 86_400) }),
    says: { ...AT_ONCE, again: { inSeconds: 86_400 } },
    because: 'clocks are adjusted, so a certificate is checked once a day',
  },
  {
    situation: succeeded({ certificatesDue: ago(1) }),
    says: { ...AT_ONCE, again: { inSeconds: 60 } },
    because: 'the step of a certificate that is due was not possible yet',
  },
  // removal
  {
    situation: { kind: 'removing', progress: 'Going', since: ago(0) },
    says: { ...UNWRITTEN, again: { inSeconds: 1 } },
    because: 'a removal has just begun',
  },
  {
    situation: { kind: 'removing', progress: 'Going', since: ago(40) },
    says: { ...UNWRITTEN, again: { inSeconds: 10 } },
    because: 'the pauses of a removal grow',
  },
  {
    situation: { kind: 'removing', progress: 'Going', since: ago(3600) },
    says: { ...UNWRITTEN, again: { inSeconds: 30 } },
    because: 'the pauses of a removal that makes progress have a limit',
  },
  {
    situation: { kind: 'removing', progress: 'Refused', since: ago(3600) },
    says: { ...UNWRITTEN, again: { inSeconds: 120 } },
    because: 'a removal that a person has to allow is tried less often',
  },
];

describe('when a Revision comes again, and when its status is written', () => {
  test.each(cases)('$situation.kind: the schedule is $says, because $because', ({ situation, says }) => {
    const { again, ...rest } = schedule(situation, now);
    const { again: expected, ...others } = says;
    expect(rest).toEqual(others);
    if (typeof expected === 'object' && 'error' in expected)
      expect(again).toMatchObject({ error: { reason: expected.error.reason, retry: expected.error.retry } });
    else expect(again).toEqual(expected);
  });
});

describe('the delay before the next attempt', () => {
  test.each([
    { worked: 0, seconds: 5, because: 'the first one is soon' },
    { worked: 20, seconds: 20, because: 'it is as long as all before, so it doubles' },
    { worked: 500, seconds: 100, because: 'the last attempt is at the deadline' },
    { worked: 299, seconds: 299, because: 'it has not reached its limit' },
    { worked: 700, seconds: 1, because: 'the deadline is over' },
  ])('the delay after $worked s of 600 s is $seconds s: $because', ({ worked, seconds }) => {
    expect(retryDelay(worked, 600)).toBe(seconds);
  });

  test('the delay is never longer than five minutes', () => {
    expect(retryDelay(2000, 86_400)).toBe(300);
  });
});
