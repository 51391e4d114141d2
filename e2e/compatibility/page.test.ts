/** docs/compatibility.md is rendered from its rows and the table of refusals, and has no other content. */
import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../lib/manager.ts';
import { PAGE, parsePage, renderPage } from './page.ts';
import { contradictionsIn, NOTHING, type Row } from './table.ts';

const ROWS: readonly Row[] = [
  {
    source: 'dev-set',
    name: 'b',
    head: { versions: ['1.1.0'], outcome: 'Ready', beside: ['prometheus', 'other'] },
    upgrade: { versions: ['1.0.0', '1.1.0'], outcome: 'BundleUnsupported', beside: [] },
  },
  { source: 'dev-set', name: 'c', head: NOTHING, upgrade: NOTHING },
  {
    source: 'found-2026-11',
    name: 'a',
    head: { versions: ['1.0.0-a'], outcome: 'Ready', beside: [] },
    upgrade: NOTHING,
  },
];

describe('a page', () => {
  test('is read back as it was written', () => {
    expect(parsePage(renderPage(ROWS))).toEqual(ROWS);
  });

  test('is the same for every order of the rows', () => {
    expect(renderPage(ROWS.toReversed())).toBe(renderPage(ROWS));
  });

  test('counts what was tried of each archive', () => {
    expect(renderPage(ROWS)).toContain('Of 2 packages, 1 of 1 heads become Ready, and 0 of 1 upgrades.');
    expect(renderPage(ROWS)).toContain('Of 1 packages, 1 of 1 heads become Ready, and 0 of 0 upgrades.');
  });

  test('is not taken for one if a row has another shape', () => {
    expect(() => parsePage(renderPage(ROWS).replace('| c |', '| c | d |'))).toThrow(PAGE);
  });
});

describe(PAGE, () => {
  const text = readFileSync(join(ROOT, PAGE), 'utf8');
  const rows = parsePage(text);

  test('is the output of `make compatibility` for these rows', () => {
    expect(text).toBe(renderPage(rows));
  });

  test('has each package once, and every row of the corpus', () => {
    expect(new Set(rows.map(({ source, name }) => `${source} ${name}`)).size).toBe(rows.length);
    expect(rows.filter(({ source }) => source === 'dev-set')).toHaveLength(60);
  });

  test('marks every refusal, and no other package', () => {
    expect(contradictionsIn(rows)).toEqual([]);
  });
});
