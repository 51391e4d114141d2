import { expect, test } from 'vitest';
import { overlaps } from './split-brain.ts';

const CASES = [
  { writes: ['one', 'one'], found: 0, because: 'only one has written' },
  { writes: ['one', 'two', 'two'], found: 0, because: 'the other has taken over' },
  { writes: ['one', 'two', 'one', 'two'], found: 1, because: 'the first one writes after it was deposed' },
  { writes: ['one', 'two', 'one refused', 'two'], found: 0, because: 'the API server has refused the late write' },
  { writes: [], found: 0, because: 'there is nothing to judge' },
] as const;

test.each(CASES)('$found overlapping writes in $writes: $because', ({ writes, found }) => {
  const seen = writes.map((text) => {
    const [by = '', refused] = text.split(' ');
    return { by, what: 'PATCH /a', status: refused === undefined ? 200 : 409 };
  });
  expect(overlaps(seen)).toHaveLength(found);
});
