import { describe, expect, it } from 'vitest';
import type { Condition } from '../../api/conditions.ts';
import type { Revision, RevisionStatus } from '../../api/revision.ts';
import { createProgressPace } from './progress-pace.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

function working(message: string, more: Partial<RevisionStatus> = {}): RevisionStatus {
  const rest = { reason: 'Progressing', message, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' };
  const conditions: readonly Condition[] = [
    { type: 'Ready', status: 'False', ...rest },
    { type: 'Reconciling', status: 'True', ...rest },
  ];
  return { observedGeneration: 1, inventory: [], conditions, ...more };
}

const revision = { metadata: { name: 'x', uid: 'u' }, status: working('1 of 3') } as unknown as Revision;
const entry = { apiVersion: 'v1', kind: 'Service', name: 'x', uid: 'v', hash: 'h' };

describe('when a status is written', () => {
  it('a status is written later if it differs only in progress', () => {
    const pace = createProgressPace();
    pace.wrote(revision, at(0));
    expect(pace.secondsLeft(revision, working('2 of 3'), at(2))).toBe(3);
    expect(pace.secondsLeft(revision, working('2 of 3'), at(5))).toBe(0);
  });

  it.each([
    { because: 'an object was applied', next: working('1 of 3', { inventory: [entry] }) },
    { because: 'the work is finished', next: { ...working(''), conditions: [] } },
    { because: 'the spec has changed', next: working('1 of 3', { observedGeneration: 2 }) },
  ])('a status is written at once if $because', ({ next }) => {
    const pace = createProgressPace();
    pace.wrote(revision, at(0));
    expect(pace.secondsLeft(revision, next, at(1))).toBe(0);
  });

  it('a status is written at once if none was written before', () => {
    expect(createProgressPace().secondsLeft(revision, working('2 of 3'), at(0))).toBe(0);
  });
});
