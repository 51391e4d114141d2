import { expect, test } from 'vitest';
import { withResult } from './page.ts';
import { formatDifferences, formatKills } from './table.ts';

const RESULT = { place: 'kills', date: '2026-11-22', commit: '0dca4d7', command: 'make chaos', text: 'new' };

test('a result replaces the former one at its place, and nothing else', () => {
  const page = 'before\n<!-- kills -->\nold\n<!-- /kills -->\nafter <!-- soak --> <!-- /soak -->\n';
  const once = withResult(page, RESULT);
  expect(once).toBe(
    'before\n<!-- kills -->\n\n2026-11-22, commit 0dca4d7, `make chaos`:\n\nnew\n\n<!-- /kills -->\nafter <!-- soak --> <!-- /soak -->\n',
  );
  expect(withResult(once, RESULT)).toBe(once);
});

test('a page without the place is an error, as the result would be lost', () => {
  expect(() => withResult('no places', RESULT)).toThrow();
  expect(() => withResult('<!-- /kills --> <!-- kills -->', RESULT)).toThrow();
});

test('the table counts kills and differing ends, and each differing end is explained', () => {
  const differing = [{ n: 4, moment: 'after', write: 'PATCH /a', differences: ['b: 1 in place of 2'] }] as const;
  const killed = (count: number): readonly string[] => Array.from({ length: count }, () => 'PATCH /a');
  const rows = [
    { operator: 'chaos', scenario: 'install', writes: 15, killed: killed(30), differing: [] },
    { operator: 'chaos', scenario: 'upgrade', writes: 18, killed: killed(36), differing },
  ];
  expect(formatKills(rows).split('\n')).toEqual([
    '| operator | scenario | writes | kills | differing ends |',
    '| --- | --- | --- | --- | --- |',
    '| chaos | install | 15 | 30 | 0 |',
    '| chaos | upgrade | 18 | 36 | 1 |',
    '',
    '66 kills, 1 differing ends.',
  ]);
  expect(formatKills(rows, 3).split('\n').at(-1)).toBe('The run was stopped after 2 of 3 rows.');
  expect(formatDifferences(rows)).toBe('chaos, upgrade: killed after write 4, PATCH /a\n  b: 1 in place of 2');
});
