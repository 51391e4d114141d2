import { expect, test } from 'vitest';
import { nameFirst, nameSome } from './name-some.ts';

test.each([
  { names: [], most: 2, told: '' },
  { names: ['a'], most: 2, told: 'a' },
  { names: ['a', 'b'], most: 2, told: 'a, b' },
  { names: ['a', 'b', 'c'], most: 2, told: 'a, b and 1 more' },
  { names: ['a', 'b', 'c', 'd'], most: 2, told: 'a, b and 2 more' },
])('of $names at most $most: $told', ({ names, most, told }) => {
  expect(nameSome(names, most)).toBe(told);
});

test('clauses are kept apart by semicolons', () => {
  expect(nameSome(['a, of b', 'c', 'd'], 2, '; ')).toBe('a, of b; c; and 1 more');
});

test('names that were cut already are counted by the number of all', () => {
  expect(nameFirst(['a'], 4)).toBe('a and 3 more');
});
