/** A step of a hand-over that waits shows the words of the program that is waited for. */
import { expect, test } from 'vitest';
import { HOLD } from '../olm-v0/kinds.ts';
import { describeStep } from './sentences.ts';
import type { StepName } from './steps.ts';
import { extensionOf } from './testing/extension.ts';

const extension = extensionOf({
  metadata: { finalizers: [HOLD, 'orphan'] },
  progressing: { reason: 'Retrying', message: 'no disk' },
});

test.each<{ because: string; step: StepName; says: RegExp }>([
  { because: 'OLM cannot act on the version', step: 'AwaitPause', says: /; OLM reports Retrying: no disk$/ },
  { because: 'finalizers are left', step: 'AwaitOlmOut', says: /; left are orphan; OLM reports Retrying: no disk$/ },
  { because: 'OLM is not waited for', step: 'HandOver', says: /^[^:;]+$/ },
])('$step: $because', ({ step, says }) => {
  expect(describeStep(step, { extension, subscription: undefined })).toMatch(says);
});
