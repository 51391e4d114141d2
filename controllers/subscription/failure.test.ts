import { describe, expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import { failedOf, failsAtOf } from './failure.ts';
import { NOW, revision, subscription, type RevisionParts } from './testing/facts.ts';

/** Made active again, after its conditions were written. */
function again(one: Revision): Revision {
  return { ...one, metadata: { ...one.metadata, generation: 2 } };
}

describe('the failed Revision', () => {
  const unhealthy = { ready: false, reason: 'WorkloadUnhealthy' } as const;

  test.each([
    { because: 'it is being rolled out', one: revision(), fails: false },
    { because: 'it is stalled', one: revision({ reason: 'ObjectInvalid', stalled: true }), fails: true },
    {
      because: 'it became unhealthy within the bake time',
      one: revision({ ...unhealthy, firstReadyTime: '2026-05-01T11:59:55Z' }),
      fails: true,
    },
    {
      because: 'it became unhealthy long after',
      one: revision({ ...unhealthy, firstReadyTime: '2026-05-01T11:00:00Z', readySince: '2026-05-01T11:59:00Z' }),
      fails: false,
    },
    {
      because: 'it became unhealthy within a short bake time, a moment ago',
      one: revision({ ...unhealthy, firstReadyTime: '2026-05-01T11:59:50Z', readySince: '2026-05-01T11:59:59Z' }),
      fails: true,
    },
    {
      because: 'it became unhealthy within the bake time, and stays so after the end of it',
      one: revision({ ...unhealthy, firstReadyTime: '2026-05-01T11:59:40Z', readySince: '2026-05-01T11:59:45Z' }),
      fails: true,
    },
    {
      because: 'it failed before it was made active again, and is judged by its new outcome',
      one: again(revision({ reason: 'ObjectInvalid', stalled: true })),
      fails: false,
    },
    {
      because: 'only the active one can fail',
      one: revision({ reason: 'ObjectInvalid', stalled: true, state: 'Archived' }),
      fails: false,
    },
  ])('a Revision has failed: $fails: $because', ({ one, fails }) => {
    expect(failedOf({ subscription: subscription(), revisions: [one] }, NOW) === one).toBe(fails);
  });
});

interface FailingCase {
  readonly because: string;
  readonly bakeTime: string;
  readonly parts?: RevisionParts;
  /** The conditions beside Ready, with their times. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Since when the manager has watched without a break. */
  readonly attendedSince?: string;
  readonly expected: string | undefined;
}

describe('an unhealthy version fails at the end of a grace', () => {
  const unhealthy = {
    reason: 'WorkloadUnhealthy',
    firstReadyTime: '2026-05-01T11:00:00Z',
    readySince: '2026-05-01T11:05:00Z',
  } as const;

  test.each<FailingCase>([
    { because: 'the grace is half a minute', bakeTime: '1h', expected: '2026-05-01T11:05:30.000Z' },
    {
      because: 'a bake time of at most a minute has no grace',
      bakeTime: '10s',
      parts: { readySince: '2026-05-01T11:00:05Z' },
      expected: '2026-05-01T11:00:05.000Z',
    },
    { because: 'the bake time was over', bakeTime: '5m', expected: undefined },
    { because: 'there is no bake time', bakeTime: '0s', expected: undefined },
    { because: 'it is being rolled out', bakeTime: '1h', parts: { reason: 'Progressing' }, expected: undefined },
    {
      because: 'its progress deadline is over too',
      bakeTime: '1h',
      parts: { stalled: true },
      expected: '2026-05-01T11:05:00.000Z',
    },
    {
      because: 'it was archived meanwhile, and works again for a time too short to be seen',
      bakeTime: '1h',
      parts: { lastActiveTime: '2026-05-01T11:05:00Z' },
      beside: { Reconciling: '2026-05-01T11:20:00Z' },
      expected: '2026-05-01T11:20:30.000Z',
    },
    {
      because: 'it was archived within the bake time, and is made active again long after it',
      bakeTime: '1h',
      parts: { lastActiveTime: '2026-05-01T11:05:00Z' },
      beside: { Reconciling: '2026-05-01T12:20:00Z' },
      expected: undefined,
    },
    {
      because: 'it was archived meanwhile, has worked since, and became unhealthy again',
      bakeTime: '1h',
      parts: { lastActiveTime: '2026-05-01T11:02:00Z' },
      beside: { Reconciling: '2026-05-01T11:03:00Z' },
      expected: '2026-05-01T11:05:30.000Z',
    },
    {
      because: 'the manager was away meanwhile, and has not seen it stay unhealthy',
      bakeTime: '1h',
      attendedSince: '2026-05-01T12:10:00Z',
      expected: '2026-05-01T12:10:30.000Z',
    },
    {
      because: 'the bake time was over when it became unhealthy, whenever the manager began',
      bakeTime: '5m',
      attendedSince: '2026-05-01T12:10:00Z',
      expected: undefined,
    },
  ])(
    'an unhealthy version fails at $expected: $because',
    ({ bakeTime, parts, beside = {}, attendedSince, expected }) => {
      const one = revision({ ...unhealthy, ...parts });
      const others = Object.entries(beside).map(([type, lastTransitionTime]) => ({
        type,
        status: 'True' as const,
        reason: 'Progressing',
        message: '',
        lastTransitionTime,
      }));
      const conditions = [...(one.status?.conditions ?? []), ...others];
      const given = subscription({ spec: { onFailure: { bakeTime } } });
      const facts = {
        subscription: given,
        revisions: [{ ...one, status: { ...one.status, conditions } }],
        ...(attendedSince !== undefined && { attendedSince: new Date(attendedSince) }),
      };
      expect(failsAtOf(facts)?.toISOString()).toBe(expected);
    },
  );
});
