/** A step of a way back that waits for OLM shows the words of OLM. */
import { expect, test } from 'vitest';
import { extensionOf } from './testing/extension.ts';
import { describeUndoStep } from './undo-sentences.ts';
import type { UndoStep } from './undo-steps.ts';

const extension = extensionOf({ progressing: { reason: 'Retrying', message: 'no disk' } });

test.each<{ because: string; step: UndoStep; says: RegExp }>([
  { because: 'OLM has not found the version', step: 'AwaitAnswer', says: /: no catalog answers$/ },
  { because: 'OLM does not take the objects over', step: 'AwaitTakenOver', says: /; OLM reports: no disk$/ },
  { because: 'OLM is not waited for', step: 'AwaitPinned', says: /^[^:;]+$/ },
])('$step: $because', ({ step, says }) => {
  expect(describeUndoStep(step, { extension, answer: { kind: 'waiting', message: 'no catalog answers' } })).toMatch(
    says,
  );
});
