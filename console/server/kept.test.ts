/** A cache is bounded by number and by room, and holds no failures. */
import { expect, test } from 'vitest';
import { Kept, type KeptOptions } from './kept.ts';

type Step = readonly [key: string, value: string];
const letters = (value: string): number => value.length;

const CASES: readonly {
  readonly because: string;
  readonly options: KeptOptions<string>;
  readonly steps: readonly Step[];
  readonly kept: readonly string[];
}[] = [
  { because: 'the oldest leaves beyond the number', options: { most: 2 }, steps: [['a', 'x'], ['b', 'x'], ['c', 'x']], kept: ['b', 'c'] }, // prettier-ignore
  { because: 'a value that is used stays', options: { most: 2 }, steps: [['a', 'x'], ['b', 'x'], ['a', 'x'], ['c', 'x']], kept: ['a', 'c'] }, // prettier-ignore
  { because: 'the oldest leave beyond the room', options: { most: 9, weigh: letters, mostWeight: 4 }, steps: [['a', 'xx'], ['b', 'xx'], ['c', 'x']], kept: ['b', 'c'] }, // prettier-ignore
  { because: 'several leave for a large one', options: { most: 9, weigh: letters, mostWeight: 4 }, steps: [['a', 'xx'], ['b', 'xx'], ['c', 'xxxx']], kept: ['c'] }, // prettier-ignore
  { because: 'one that is larger than all room does not stay', options: { most: 9, weigh: letters, mostWeight: 4 }, steps: [['a', 'x'], ['b', 'xxxxx']], kept: [] }, // prettier-ignore
  { because: 'a use takes no room twice', options: { most: 9, weigh: letters, mostWeight: 4 }, steps: [['a', 'xx'], ['a', 'xx'], ['a', 'xx'], ['b', 'xx']], kept: ['a', 'b'] }, // prettier-ignore
  { because: 'a value that is not worth it is not kept', options: { most: 9, isKept: (one) => one !== '' }, steps: [['a', ''], ['b', 'x']], kept: ['b'] }, // prettier-ignore
];

test.each(CASES)('$because', async ({ options, steps, kept }) => {
  const values = new Kept(options);
  for (const [key, value] of steps) expect(await values.get(key, async () => value)).toBe(value);
  expect(['a', 'b', 'c'].filter((key) => values.has(key))).toEqual(kept);
});

test('a failure is made again, and room of a replaced value is free again', async () => {
  const values = new Kept({ most: 9, weigh: letters, mostWeight: 4 });
  await expect(values.get('a', () => Promise.reject(new Error('once')))).rejects.toThrow('once');
  expect(await values.get('a', async () => 'xxxx')).toBe('xxxx');
  values.replace('a', 'x');
  values.replace('missing', 'x');
  await values.get('b', async () => 'xxx');
  expect(['a', 'b', 'missing'].filter((key) => values.has(key))).toEqual(['a', 'b']);
});
