import { expect, test } from 'vitest';
import { createLending } from './lending.ts';

test.each([
  { because: 'nobody reads it', steps: ['retire'], closed: 1 },
  { because: 'one still reads it', steps: ['lend', 'retire'], closed: 0 },
  { because: 'the last has ended', steps: ['lend', 'lend', 'retire', 'return', 'return'], closed: 1 },
  { because: 'one of two has ended', steps: ['lend', 'lend', 'retire', 'return'], closed: 0 },
  { because: 'it is in service though nobody reads it', steps: ['lend', 'return'], closed: 0 },
  {
    because: 'one that returns twice counts once',
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
