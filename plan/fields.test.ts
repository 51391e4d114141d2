import { expect, test } from 'vitest';
import { sample } from '../apply/testing/sample-objects.ts';
import { diffFields } from './fields.ts';

const listed = (items: readonly unknown[]): ReturnType<typeof sample> =>
  sample('example.com/v1', 'Widget', 'a', { namespace: 'ops', items });

test.each([
  { count: 40, more: 0, because: 'all are shown' },
  { count: 41, more: 1, because: 'the last is counted' },
  { count: 200_000, more: 199_960, because: 'an object may have that many' },
])('of $count changed fields 40 are listed and $more counted: $because', ({ count, more }) => {
  const [before, after] = [0, 1].map((value) => listed(Array.from({ length: count }, () => value)));
  const found = diffFields(before!, after!);
  expect([found.fields.length, found.more]).toEqual([40, more]);
  expect(found.fields.at(-1)?.path).toMatch(/items\[39\]$/);
});

test('no text is made of values that are not listed', () => {
  let texts = 0;
  const counted = {
    get value(): string {
      texts += 1;
      return 'x';
    },
  };
  diffFields(listed(Array.from({ length: 1000 }, () => 0)), listed(Array.from({ length: 1000 }, () => counted)));
  expect(texts).toBe(40);
});

test.each([
  { before: null, after: undefined, changes: 0, because: 'both are absent' },
  { before: {}, after: undefined, changes: 1, because: 'an empty map is no absence' },
  { before: [], after: {}, changes: 1, because: 'a list is no map' },
  { before: 1, after: '1', changes: 1, because: 'a text is no number' },
  { before: 2n ** 63n, after: 2n ** 63n, changes: 0, because: 'they are equal' },
])('$before and $after are $changes changes: $because', ({ before, after, changes }) => {
  expect(diffFields(listed([before]), listed([after])).fields).toHaveLength(changes);
});
