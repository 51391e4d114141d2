import { describe, expect, test } from 'vitest';
import type { ApplyResult, PhaseResult, Unready } from '../../apply/apply.ts';
import type { Failure } from '../../apply/api-failure.ts';
import { findCondition } from '../../api/conditions.ts';
import type { Revision, RevisionStatus } from '../../api/revision.ts';
import {
  judgeApply,
  judgeDeadline,
  judgeHealth,
  phasesOf,
  retryOf,
  secondsOfWork,
  summarizeRevision,
  type Judgement,
} from './summarize.ts';

const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'manager' };
const failure = (reason: Failure['reason'], retry: Failure['retry'], message: string, hint?: string): Failure => ({
  reason,
  retry,
  message,
  ...(hint !== undefined && { hint }),
});
const phase = (fields: Partial<PhaseResult> = {}): PhaseResult => ({
  name: 'workloads',
  state: 'Done',
  objects: [],
  unready: [],
  ...fields,
});
const result = (fields: Partial<ApplyResult> = {}): ApplyResult => ({
  state: 'Waiting',
  phases: [],
  inventory: [],
  failures: [],
  requests: 0,
  ...fields,
});
const unready: Unready = { ref, health: { state: 'Progressing', message: '0 of 1 replicas are available' } };
const now = new Date('2026-01-01T01:00:00Z');

/** A Revision with conditions since midnight. */
function revision(conditions: Readonly<Record<string, string>> = {}, fields: Partial<RevisionStatus> = {}): Revision {
  return {
    metadata: { name: 'widgets-1', generation: 3 },
    status: {
      ...fields,
      conditions: Object.entries(conditions).map(([type, reason]) => ({
        type,
        status: type === 'Ready' && reason !== 'Succeeded' ? 'False' : 'True',
        reason,
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    },
  } as unknown as Revision;
}

describe('many missing rights', () => {
  const rights = Array.from({ length: 40 }, (_, index) => `{APIGroups:["g${index}"], Resources:["r"], Verbs:["get"]}`);
  const message = `ClusterRole x: attempting to grant RBAC permissions not currently held: ${rights.join(' ')}`;
  const judgement = judgeApply(result({ failures: [failure('Forbidden', 'backoff', message, 'Grant them')] }));
  const read = (type: 'Ready' | 'Reconciling' | 'Stalled', judged: Judgement): string =>
    findCondition(summarizeRevision(revision(), { judgement: judged }, now).conditions, type)?.message ?? '';

  test('many missing rights are a short sentence in the column Ready, and in full in the other condition', () => {
    expect(read('Ready', judgement)).toMatch(
      /^ClusterRole x: attempting to grant RBAC permissions not currently held: .*…/,
    );
    expect(read('Ready', judgement)).toContain('the condition Reconciling lists all');
    expect(read('Ready', judgement).length).toBeLessThanOrEqual(250);
    expect(read('Reconciling', judgement)).toBe(`${message}. Grant them`);
  });

  test('many missing rights stay short when the deadline is over', () => {
    const late = judgeDeadline(judgement, revision({ Reconciling: 'Forbidden' }), { deadlineSeconds: 600, now });
    expect(late).toMatchObject({ state: 'Failed', reason: 'ProgressDeadlineExceeded' });
    expect(read('Ready', late).length).toBeLessThanOrEqual(300);
    expect(read('Stalled', late)).toContain(message);
  });

  test.each([
    { because: 'they are few', failures: [failure('Forbidden', 'backoff', 'a is forbidden', 'Grant it')] },
    { because: 'the reason is another one', failures: [failure('CRDUnsafe', 'never', 'x'.repeat(1000))] },
  ])('both conditions have the same message if $because', ({ failures }) => {
    const judged = judgeApply(result({ failures }));
    expect(read('Ready', judged)).toBe(judged.message);
  });
});

describe('the judgement of an apply', () => {
  const collision = failure('Collision', 'backoff', 'x belongs to y', 'Remove it');
  const unsafe = (crd: string): Failure => failure('CRDUnsafe', 'never', `${crd} is unsafe`, `Waive ${crd}`);
  const cases: readonly { given: Partial<ApplyResult>; says: Judgement; because: string }[] = [
    {
      given: { failures: [collision] },
      says: { state: 'Working', reason: 'Collision', message: 'x belongs to y. Remove it' },
      because: 'a person may resolve it, and a retry detects that',
    },
    {
      given: {
        phases: [
          phase({
            name: 'crds',
            state: 'NotReady',
            unready: [
              unready,
              {
                ref: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'x' },
                health: { state: 'Failed', reason: 'InvalidCABundle', message: 'its caBundle' },
              },
            ],
          }),
        ],
      },
      says: {
        state: 'Failed',
        reason: 'InvalidCABundle',
        message: 'CustomResourceDefinition.apiextensions.k8s.io x: its caBundle',
      },
      because: 'a kind that the API server will never serve is final',
    },
    {
      given: { failures: [unsafe('a'), unsafe('b')] },
      says: {
        state: 'Failed',
        reason: 'CRDUnsafe',
        message: 'a is unsafe; b is unsafe. Waive a. Waive b',
      },
      because: 'each failure of the reason is named, and no retry cures them',
    },
    {
      given: { failures: [collision, unsafe('a')] },
      says: { state: 'Failed', reason: 'CRDUnsafe', message: 'a is unsafe. Waive a (and 1 more)' },
      because: 'a final failure comes before one that a retry may cure',
    },
    {
      given: { failures: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => failure('Forbidden', 'backoff', name)) },
      says: { state: 'Working', reason: 'Forbidden', message: 'a; b; c; d; e (and 2 more)' },
      because: 'a sentence has an end',
    },
    {
      given: { state: 'Complete', phases: [phase({ objects: [{ phase: 'workloads', ref, outcome: 'created' }] })] },
      says: { state: 'Ready', reason: 'Succeeded', message: '1 objects are applied and healthy' },
      because: 'all objects are healthy',
    },
    {
      given: { phases: [phase(), phase({ state: 'NotReady', unready: [unready] })] },
      says: {
        state: 'Working',
        reason: 'Progressing',
        message: 'Deployment.apps ops/manager: 0 of 1 replicas are available',
      },
      because: 'the roll-out waits for the first object that is not healthy',
    },
    {
      given: {
        phases: [
          phase({
            state: 'Waiting',
            objects: [{ phase: 'workloads', ref, outcome: 'waiting', message: 'phase crds comes first' }],
          }),
        ],
      },
      says: { state: 'Working', reason: 'Progressing', message: 'phase crds comes first' },
      because: 'a phase that has not begun has a message',
    },
    {
      given: { phases: [phase({ name: 'crds', state: 'NotReady' })] },
      says: { state: 'Working', reason: 'Progressing', message: 'Phase crds is under way' },
      because: 'no object has a message',
    },
  ];

  test.each(cases)('the judgement is $says.state for $says.reason, because $because', ({ given, says }) => {
    expect(judgeApply(result(given))).toEqual(says);
  });

  test.each([
    { retries: [], retry: undefined, because: 'nothing failed' },
    { retries: ['never'], retry: undefined, because: 'nothing changes by itself' },
    { retries: ['never', 'backoff'], retry: 'backoff', because: 'a retry may cure one of them' },
    {
      retries: ['backoff', { afterSeconds: 7 }],
      retry: { afterSeconds: 7 },
      because: 'a requested time counts',
    },
  ] as const)('$retries are retried $retry, because $because', ({ retries, retry }) => {
    expect(retryOf(result({ failures: retries.map((each) => failure('ApplyFailed', each, '')) }))).toEqual(retry);
  });
});

describe('the phases in the status', () => {
  const object = { phase: 'workloads', ref, outcome: 'created', entry: { ...ref, uid: 'u', hash: 'h' } } as const;
  test.each([
    { given: phase({ objects: [object] }), told: { state: 'Ready', objects: 1, ready: 1 } },
    {
      given: phase({ state: 'NotReady', objects: [object], unready: [unready] }),
      told: { state: 'Waiting', ready: 0, message: 'Deployment.apps ops/manager: 0 of 1 replicas are available' },
    },
    {
      given: phase({
        state: 'Failed',
        objects: [{ phase: 'workloads', ref, outcome: 'failed', failure: failure('Forbidden', 'backoff', 'no') }],
      }),
      told: { state: 'Failed', ready: 0, message: 'no' },
    },
    { given: phase({ state: 'Waiting' }), told: { state: 'Pending', objects: 0 } },
  ])('a phase in state $given.state is reported as $told.state', ({ given, told }) => {
    expect(phasesOf(result({ phases: [given] }))).toEqual([expect.objectContaining(told)]);
  });

  test('the message of a phase is cut to the limit of the schema, and to printable characters', () => {
    const message = `\u001B[31mred\u0007 Bearer abc.def ${'x'.repeat(5000)}`;
    const long = { ...unready, health: { state: 'Progressing', message } } as const;
    const [told] = phasesOf(result({ phases: [phase({ state: 'NotReady', unready: [long] })] }));
    expect(told?.message).toHaveLength(1024);
    expect(told?.message).not.toMatch(/[\u0007\u001B]|abc/);
  });
});

describe('the health of a Revision that was fully applied before', () => {
  test('the health names the first object that is not healthy', () => {
    expect(judgeHealth([unready, { ...unready, ref: { ...ref, name: 'other' } }], 4)).toEqual({
      state: 'Working',
      reason: 'WorkloadUnhealthy',
      message: 'Deployment.apps ops/manager: 0 of 1 replicas are available',
    });
  });

  test('the health is Ready if all objects are healthy', () => {
    expect(judgeHealth([], 4)).toMatchObject({ state: 'Ready', message: '4 objects are applied and healthy' });
  });
});

describe('the progress deadline', () => {
  const working: Judgement = { state: 'Working', reason: 'Progressing', message: 'slow' };
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
  ];

  test.each(cases)(
    '$seconds s of deadline after an hour: $says.state, because $because',
    ({ one, judgement, seconds, says }) => {
      expect(judgeDeadline(judgement ?? working, one, { deadlineSeconds: seconds, now })).toMatchObject(says);
    },
  );

  test('the deadline counts from the time when the work began', () => {
    expect(secondsOfWork(revision({ Reconciling: 'Progressing' }), now)).toBe(3600);
    expect(secondsOfWork(revision({ Ready: 'Succeeded' }), now)).toBeUndefined();
  });
});

describe('the status', () => {
  const types = (judgement: Judgement): string[] =>
    (summarizeRevision(revision({ Stalled: 'CRDUnsafe' }), { judgement }, now).conditions ?? []).map(
      ({ type, status }) => `${type}=${status}`,
    );

  test.each([
    { judgement: { state: 'Ready', reason: 'Succeeded', message: '' }, conditions: ['Ready=True'] },
    {
      judgement: { state: 'Ready', reason: 'Succeeded', message: '', unfinished: 'pruning' },
      conditions: ['Ready=True', 'Reconciling=True'],
    },
    {
      judgement: { state: 'Working', reason: 'Progressing', message: '' },
      conditions: ['Ready=False', 'Reconciling=True'],
    },
    { judgement: { state: 'Failed', reason: 'CRDUnsafe', message: '' }, conditions: ['Ready=False', 'Stalled=True'] },
    { judgement: { state: 'Resting', reason: 'Archived', message: '' }, conditions: ['Ready=False'] },
  ] as const)(
    'the judgement $judgement.state becomes $conditions and no other condition',
    ({ judgement, conditions }) => {
      expect(types(judgement)).toEqual(conditions);
    },
  );

  test('the status keeps the time when it was first healthy, and the fields without new findings', () => {
    const ready: Judgement = { state: 'Ready', reason: 'Succeeded', message: '' };
    const first = summarizeRevision(revision({}, { inventory: [] }), { judgement: ready }, now);
    expect(first).toMatchObject({ firstReadyTime: '2026-01-01T01:00:00Z', observedGeneration: 3, inventory: [] });
    const again = { ...revision(), status: first } as Revision;
    const later = new Date('2026-01-02T00:00:00Z');
    const second = summarizeRevision(again, { judgement: ready, phases: [] }, later);
    expect(second).toMatchObject({ firstReadyTime: '2026-01-01T01:00:00Z', phases: [] });
    expect(findCondition(second.conditions, 'Ready')?.lastTransitionTime).toBe('2026-01-01T01:00:00Z');
  });
});
