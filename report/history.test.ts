import { describe, expect, test } from 'vitest';
import type { Revision } from '../api/revision.ts';
import { entriesOf, type HistoryEntry } from './history.ts';
import { INSTALLED, READY, revision, subscription, type RevisionParts } from './testing/objects.ts';

const SUBSCRIPTION = subscription({
  status: {
    pending: { revision: 'gadget-9', bundle: 'gadget.v9.0.0', version: '9.0.0', reason: 'OutsideWindow' },
    installed: { ...INSTALLED, revision: 'gadget-3' },
    quarantined: [
      { bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'WebhookSilent', message: 'no answer', since: 'x' },
    ],
    conditions: [READY],
  },
});
const archived = (parts: RevisionParts = {}): RevisionParts => ({
  ...parts,
  spec: { state: 'Archived', ...parts.spec },
});

function entryOf(one: Revision, ...others: readonly Revision[]): HistoryEntry {
  const found = entriesOf(SUBSCRIPTION, [one, ...others])[0];
  if (found === undefined) throw new Error('no entry');
  return found;
}

function approvedBy(manager: string, time: string): object {
  return { managedFields: [{ manager: 'slipway', fieldsV1: { 'f:spec': { 'f:approved': {} } } }, { manager, time, fieldsV1: { 'f:spec': { 'f:approved': {} } } }] }; // prettier-ignore
}

const OUTCOMES: readonly {
  readonly because: string;
  readonly revisions: readonly [Revision, ...Revision[]];
  readonly outcome: string;
}[] = [
  { because: 'it is installed', revisions: [revision(3, '3.0.0')], outcome: 'is installed' },
  { because: 'it is active and not installed yet', revisions: [revision(4, '4.0.0')], outcome: 'is being applied' },
  {
    because: 'it is active and was given up',
    revisions: [
      revision(4, '4.0.0', { status: { failure: { reason: 'ApplyFailed', message: 'no quota', since: 'x' } } }),
    ],
    outcome: 'failed (ApplyFailed): no quota',
  },
  {
    because: 'it was rolled back, and only the Subscription remembers why',
    revisions: [revision(2, '2.0.0', archived())],
    outcome: 'failed (WebhookSilent): no answer',
  },
  {
    because: 'a person has not approved it',
    revisions: [revision(4, '4.0.0', archived({ spec: { approved: false } }))],
    outcome: 'waits for approval, or was replaced before it was approved',
  },
  {
    because: 'the Subscription names the reason',
    revisions: [revision(9, '9.0.0', archived({ spec: { approved: false } }))],
    outcome: 'waits (OutsideWindow)',
  },
  {
    because: 'the Revision that names it as the one before took over',
    revisions: [
      revision(1, '1.0.0', archived({ status: { firstReadyTime: 'x', lastActiveTime: 'x' } })),
      revision(4, '4.0.0', { spec: { approved: true } }),
      revision(5, '5.0.0', { spec: { previous: 'gadget-1' } }),
    ],
    outcome: 'was replaced by gadget.v5.0.0',
  },
  {
    because: 'an older one was installed again',
    revisions: [
      revision(5, '5.0.0', archived({ status: { firstReadyTime: 'x', lastActiveTime: 'x' } })),
      revision(1, '1.0.0'),
    ],
    outcome: 'was replaced by gadget.v1.0.0',
  },
  {
    because: 'the time of its end is not written yet',
    revisions: [revision(5, '5.0.0', archived({ status: { firstReadyTime: 'x' } })), revision(1, '1.0.0')],
    outcome: 'was replaced by gadget.v1.0.0',
  },
  {
    because: 'another one was chosen while it was applied',
    revisions: [
      revision(4, '4.0.0', archived({ status: { phases: [] } })),
      revision(5, '5.0.0', { spec: { approved: true } }),
    ],
    outcome: 'was replaced by gadget.v5.0.0 before it was healthy',
  },
  {
    because: 'nothing has taken over yet',
    revisions: [revision(4, '4.0.0', archived({ status: { firstReadyTime: 'x' } }))],
    outcome: 'is not active any more',
  },
  {
    because: 'another one was chosen before it began',
    revisions: [revision(1, '1.0.0', archived())],
    outcome: 'was never active',
  },
];

describe('the history says of each Revision', () => {
  test.each(OUTCOMES)('$outcome: $because', ({ revisions: [one, ...others], outcome }) => {
    expect(entryOf(one, ...others).outcome).toBe(outcome);
  });
});

describe('the approval of a Revision', () => {
  test.each([
    { because: 'the manager set it', parts: {}, expected: 'automatic' },
    { because: 'nothing has set it', parts: archived({ spec: { approved: false } }), expected: undefined },
    {
      because: 'a program set it, whose name the API server keeps',
      parts: { metadata: approvedBy('kubectl-patch', '2026-01-01T00:10:00Z') },
      expected: 'kubectl-patch',
    },
    {
      because: 'it was inside of the upgrade policy',
      parts: { status: { approvedBy: { place: 'Policy' } } },
      expected: 'upgrade policy',
    },
    {
      because: 'the Subscription approved its plan, which the manager noted',
      parts: { status: { approvedBy: { place: 'Subscription', manager: 'flux', time: '2026-01-01T00:10:00Z' } } },
      expected: 'flux',
    },
  ] as const)('is by $expected: $because', ({ parts, expected }) => {
    expect(entryOf(revision(3, '3.0.0', parts)).approvedBy).toBe(expected);
  });

  test('begins the roll-out: time before it does not count', () => {
    const status = { firstReadyTime: '2026-01-01T00:10:30Z' };
    expect(entryOf(revision(3, '3.0.0', { status })).rollOutSeconds).toBe(630);
    const metadata = approvedBy('kubectl-patch', '2026-01-01T00:10:00Z');
    expect(entryOf(revision(3, '3.0.0', { metadata, status })).rollOutSeconds).toBe(30);
  });
});
