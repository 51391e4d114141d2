import { expect, test } from 'vitest';
import { kstatusFaults, kstatusOf, type KstatusObject } from './kstatus.ts';

const is = (type: string, status: 'True' | 'False'): object => ({ type, status });
const object = (conditions: readonly object[], observedGeneration = 2): KstatusObject =>
  ({ metadata: { generation: 2 }, status: { observedGeneration, conditions } }) as unknown as KstatusObject;

test.each([
  { because: 'no controller has seen it', given: object([], -1), status: 'InProgress' },
  { because: 'the status is about an earlier spec', given: object([is('Ready', 'True')], 1), status: 'InProgress' },
  {
    because: 'work is under way',
    given: object([is('Ready', 'True'), is('Reconciling', 'True')]),
    status: 'InProgress',
  },
  { because: 'it is stalled', given: object([is('Ready', 'False'), is('Stalled', 'True')]), status: 'Failed' },
  { because: 'it is ready', given: object([is('Ready', 'True')]), status: 'Current' },
  { because: 'it waits', given: object([is('Ready', 'False')]), status: 'InProgress' },
  { because: 'it is being deleted', given: { metadata: { deletionTimestamp: 'x' } }, status: 'Terminating' },
])('$because: $status', ({ given, status }) => {
  expect(kstatusOf(given)).toBe(status);
});

test.each([
  { because: 'both at once', given: object([is('Ready', 'False'), is('Reconciling', 'True'), is('Stalled', 'True')]) },
  { because: 'a condition that should be absent', given: object([is('Ready', 'True'), is('Stalled', 'False')]) },
  { because: 'a later spec', given: object([is('Ready', 'True')], 3) },
  { because: 'no Ready', given: object([is('Stalled', 'True')]) },
  { because: 'ready and stalled', given: object([is('Ready', 'True'), is('Stalled', 'True')]) },
  { because: 'twice', given: object([is('Ready', 'True'), is('Ready', 'True')]) },
])('a status that breaks the conventions is found: $because', ({ given }) => {
  expect(kstatusFaults(given)).not.toEqual([]);
});
