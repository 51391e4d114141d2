import { expect, test } from 'vitest';
import { allowanceFor } from './allowance.ts';

test.each([
  { load: 0.2, seconds: 15, reported: '15 s allowed', because: 'nothing else runs' },
  { load: 2, seconds: 15, reported: '15 s allowed', because: 'each has a processor' },
  {
    load: 3,
    seconds: 22.5,
    reported: '15 s allowed, 22.5 s with 3.0 processes for 2 processors',
    because: 'three share two',
  },
  {
    load: 9,
    seconds: 30,
    reported: '15 s allowed, 30.0 s with 9.0 processes for 2 processors',
    because: 'to twice at most',
  },
])('a budget is stretched only where processors are shared: $because', ({ load, seconds, reported }) => {
  expect(allowanceFor(15, load, 2)).toEqual({ seconds, reported });
});
