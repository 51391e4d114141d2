import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import { judgeApply } from './judge-apply.ts';
import { judgeDeadline, type Judgement } from './judgement.ts';
import { phasesOf, summarizeRevision } from './status.ts';
import { failure, now, phase, ref, result, revision, unready } from './testing/results.ts';

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
    const late = judgeDeadline(judgement, revision({ Reconciling: 'Forbidden' }), {
      deadlineSeconds: 600,
      now,
      attendedSince: new Date(0),
    });
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
