/** A step of a way back that waits shows the words of the program that is waited for. */
import { expect, test } from 'vitest';
import { extensionOf } from './testing/extension.ts';
import { ownOf } from './testing/handed-over.ts';
import { describeUndoStep } from './undo-sentences.ts';
import type { UndoStep } from './undo-steps.ts';

const ready = { type: 'Ready', status: 'False', message: 'a finalizer is left' };
const subscription = ownOf({ status: { conditions: [ready] } });
const extension = extensionOf({
  metadata: { finalizers: ['theirs'] },
  progressing: { reason: 'Retrying', message: 'no disk' },
});

test.each<{ because: string; step: UndoStep; says: RegExp }>([
  { because: 'OLM has not found the version', step: 'AwaitAnswer', says: /: no catalog answers$/ },
  { because: 'OLM does not take the objects over', step: 'AwaitTakenOver', says: /; OLM reports Retrying: no disk$/ },
  {
    because: 'the deletion of the offer waits',
    step: 'AwaitWithdrawn',
    says: /; left are theirs; OLM reports Retrying: no disk$/,
  },
  { because: 'the manager has not pruned', step: 'AwaitPinned', says: /; Slipway reports: a finalizer is left$/ },
  {
    because: 'the manager has not released it',
    step: 'AwaitOrphaned',
    says: /; Slipway reports: a finalizer is left$/,
  },
  { because: 'no program is waited for', step: 'Mark', says: /^[^:;]+$/ },
])('$step: $because', ({ step, says }) => {
  const answer = { kind: 'waiting', message: 'no catalog answers' } as const;
  expect(describeUndoStep(step, { extension, subscription, answer })).toMatch(says);
});
