/** The status of an active Revision whose Subscription is suspended. */
import { expect, test } from 'vitest';
import type { Condition } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { summarizeRevision } from './status.ts';
import { judgeSuspended } from './suspended.ts';

const said = (
  type: string,
  status: 'True' | 'False',
  reason: string,
  { observedGeneration = 1, since = '2026-01-01T00:00:00Z' } = {},
): Condition => ({
  type,
  status,
  reason,
  message: 'as it says',
  lastTransitionTime: since,
  observedGeneration,
});
const READY = said('Ready', 'True', 'Succeeded');

test.each([
  { because: 'it works', conditions: [READY], shows: ['Ready True Suspended'] },
  {
    because: 'it works, and its leftovers are not pruned yet',
    conditions: [READY, said('Reconciling', 'True', 'Forbidden')],
    shows: ['Ready True Suspended', 'Reconciling True Forbidden'],
  },
  {
    because: 'it is rolled out',
    conditions: [said('Ready', 'False', 'Progressing'), said('Reconciling', 'True', 'Progressing')],
    shows: ['Ready False Suspended'],
  },
  { because: 'it worked by an earlier spec', conditions: [said('Ready', 'True', 'Succeeded', { observedGeneration: 0 })], shows: ['Ready False Suspended'] }, // prettier-ignore
  {
    because: 'it has proved itself long ago, and was unready a minute ago',
    conditions: [said('Ready', 'True', 'Succeeded', { since: '2026-01-31T23:59:00Z' })],
    firstReadyTime: '2026-01-01T00:00:00Z',
    shows: ['Ready True Suspended'],
  },
  { because: 'its bake time is not over', conditions: [said('Ready', 'True', 'Succeeded', { since: '2026-01-31T23:59:00Z' })], shows: ['Ready False Suspended'] }, // prettier-ignore
  { because: 'it was just made', conditions: [], shows: ['Ready False Suspended'] },
])('shows $shows: $because', ({ conditions, firstReadyTime, shows }) => {
  const revision = {
    metadata: { name: 'gadget-1', generation: 1 },
    spec: { subscription: 'gadget' },
    status: { conditions, firstReadyTime },
  };
  const now = new Date('2026-02-01T00:00:00Z');
  const subscription = { spec: { onFailure: { bakeTime: '5m' } } } as Subscription;
  const judgement = judgeSuspended(revision as unknown as Revision, subscription, now);
  const status = summarizeRevision(revision as unknown as Revision, { judgement }, now);
  expect(status.conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`)).toEqual(shows);
  expect(status.conditions?.[0]?.message).toContain('Subscription gadget is suspended');
});
