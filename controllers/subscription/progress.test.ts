import { describe, expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import { delayOfProgress } from './progress.ts';

interface Given {
  readonly spec?: object;
  readonly metadata?: object;
  readonly conditions?: readonly object[];
}

const revision = ({ spec = {}, metadata = {}, conditions }: Given): Revision =>
  ({
    metadata,
    spec: { state: 'Active', approved: true, ...spec },
    ...(conditions !== undefined && { status: { conditions } }),
  }) as unknown as Revision;

const WORKING = [{ type: 'Ready', status: 'False', reason: 'Progressing' }, { type: 'Reconciling' }];
const READY = [{ type: 'Ready', status: 'True', reason: 'Succeeded' }];
const BAKING = [...READY, { type: 'Reconciling' }];
const FAILED = [
  { type: 'Ready', status: 'False', reason: 'ApplyFailed' },
  { type: 'Stalled', reason: 'ApplyFailed' },
];
const SUSPENDED = [{ type: 'Ready', status: 'False', reason: 'Suspended' }];
const ARCHIVED = [{ type: 'Ready', status: 'False', reason: 'Archived' }];

const delay = (old: Given, next: Given): number =>
  delayOfProgress({ type: 'updated', old: revision(old), object: revision(next) });

describe('changes of a Revision that its Subscription reconciles at once', () => {
  test.each<{ old: Given; next: Given; because: string }>([
    { old: { conditions: WORKING }, next: { conditions: READY }, because: 'it works' },
    { old: { conditions: BAKING }, next: { conditions: READY }, because: 'its work is finished' },
    { old: { conditions: READY }, next: { conditions: WORKING }, because: 'it works no longer' },
    { old: { conditions: WORKING }, next: { conditions: FAILED }, because: 'it has failed' },
    { old: { conditions: WORKING }, next: { conditions: SUSPENDED }, because: 'it rests' },
    { old: { spec: { approved: false } }, next: {}, because: 'it was approved' },
    { old: {}, next: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }, because: 'it is being deleted' },
  ])('a change of a Revision is reconciled at once, since $because', ({ old, next }) => {
    expect(delay(old, next)).toBe(0);
  });

  test('the end of a Revision is reconciled at once', () => {
    expect(delayOfProgress({ type: 'deleted', object: revision({}) })).toBe(0);
  });
});

describe('changes of a Revision that are reported together', () => {
  test.each<{ old: Given; next: Given; because: string }>([
    { old: {}, next: { conditions: WORKING }, because: 'it has begun' },
    { old: { conditions: WORKING }, next: { conditions: WORKING }, because: 'its roll-out goes on' },
    { old: { spec: { state: 'Archived' } }, next: {}, because: 'it was just made active' },
    {
      old: { spec: { state: 'Archived' }, conditions: WORKING },
      next: { spec: { state: 'Archived' }, conditions: ARCHIVED },
      because: 'it is history',
    },
  ])('a change of a Revision is reported together with others, since $because', ({ old, next }) => {
    expect(delay(old, next)).toBeGreaterThan(0);
  });

  test('progress waits for longer than an operator takes whose Pods start at once: that one has its outcome by then', () => {
    expect(delay({}, { conditions: WORKING })).toBe(2);
  });

  test('a new Revision is reported together with others', () => {
    expect(delayOfProgress({ type: 'added', object: revision({}) })).toBeGreaterThan(0);
  });
});
