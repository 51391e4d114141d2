import { expect, test } from 'vitest';
import { weigh } from './room.ts';

test.each([
  { value: 1, weight: 8, because: 'a scalar has a place' },
  { value: 'abc', weight: 11, because: 'characters count' },
  { value: {}, weight: 32, because: 'an empty map takes more than its two characters' },
  { value: [null, true], weight: 48, because: 'each item has a place' },
  { value: { ab: [] }, weight: 66, because: 'keys count' },
])('$value weighs $weight: $because', ({ value, weight }) => {
  expect(weigh(value)).toBe(weight);
});

test('a value that is used twice weighs twice, as a JSON text writes it twice', () => {
  const shared = { a: 'x' };
  expect(weigh([shared, shared]) - weigh([shared])).toBe(weigh(shared));
});
