import { expect, test } from 'vitest';
import { pauseAfter } from './stream.ts';

test.each([
  { refusals: 1, pause: 500, because: 'most refusals are over soon' },
  { refusals: 2, pause: 1000, because: 'each pause is twice the one before' },
  { refusals: 5, pause: 8000, because: 'each pause is twice the one before' },
  { refusals: 20, pause: 15_000, because: 'a person does not wait longer after the console is back' },
])('after $refusals refusals the page waits $pause ms: $because', ({ refusals, pause }) => {
  expect(pauseAfter(refusals)).toBe(pause);
});
