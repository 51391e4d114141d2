import { expect, test } from 'vitest';
import { LeftOutByFile, countLeftOut } from './left-out.ts';

const note = (found: LeftOutByFile, file: number, name: string, problems: readonly string[]): void =>
  found.note(file, { schema: 'olm.package', name, package: '' }, { kind: 'other', problems });

test.each([199, 198, 197])(
  'a name that is cut is a text that the API server stores as it is: after %i characters',
  (length) => {
    const found = new LeftOutByFile();
    note(found, 1, `${'x'.repeat(length - 'other '.length)}😀`, ['y']);
    const [first = ''] = found.total([1])?.first ?? [];
    expect(first.length).toBeLessThanOrEqual(200);
    expect(first.isWellFormed()).toBe(true);
  },
);

test('three problems are named, of the files that count, in their order', () => {
  const found = new LeftOutByFile();
  note(found, 1, 'a', ['1', '2', '3', '4']);
  note(found, 2, 'b', ['5']);
  note(found, 3, 'c', []);
  found.drop(4);
  expect(found.total([2, 1])).toEqual({ count: 5, first: ['other b: 5', 'other a: 1', 'other a: 2'] });
  found.drop(1);
  expect(found.total([2])).toEqual({ count: 1, first: ['other b: 5'] });
  expect(found.total([3])).toBeUndefined();
});

test('of many things five are named, and all are counted', () => {
  const tags = Array.from({ length: 7 }, (_, at) => `${at}${'x'.repeat(300)}`);
  expect(countLeftOut(tags)).toEqual({ count: 7, first: tags.slice(0, 5).map((tag) => tag.slice(0, 200)) });
  expect(countLeftOut([])).toBeUndefined();
});
