import { expect, test } from 'vitest';
import { createLending } from './lending.ts';

test.each([
  { because: 'no reader has it', steps: ['retire'], closed: 1 },
  { because: 'one reader still has it', steps: ['lend', 'retire'], closed: 0 },
  { because: 'the last reader has returned it', steps: ['lend', 'lend', 'retire', 'return', 'return'], closed: 1 },
  { because: 'one of two readers has returned it', steps: ['lend', 'lend', 'retire', 'return'], closed: 0 },
  { because: 'it is in service although no reader has it', steps: ['lend', 'return'], closed: 0 },
  {
    because: 'a reader that returns it twice counts once',
    steps: ['lend', 'lend', 'return', 'return again', 'retire'],
    closed: 0,
  },
])('an index is closed $closed times: $because', ({ steps, closed }) => {
  let count = 0;
  const lending = createLending(() => (count += 1));
  const lent: (() => void)[] = [];
  let last: (() => void) | undefined;
  for (const step of steps) {
    if (step === 'lend') lent.push(lending.lend());
    if (step === 'return') (last = lent.shift())?.();
    if (step === 'return again') last?.();
    if (step === 'retire') lending.retire();
  }
  expect(count).toBe(closed);
});
