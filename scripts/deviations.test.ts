/** Keeps docs/deviations.md true: every test that it names exists, and has the counts that the document states. */
import { describe, expect, test } from 'vitest';
import { readText, repositoryFiles } from './source-files.ts';

interface Row {
  readonly difference: string;
  readonly section: string;
  /** All cells but the first, the reason and the tests. */
  readonly counts: readonly string[];
  readonly pins: readonly { readonly file: string; readonly title: string }[];
}

const text = readText('docs/deviations.md') ?? '';
const rows = text.split('\n## ').slice(1).flatMap(rowsOf);
const files = new Set(repositoryFiles());

function rowsOf(section: string): readonly Row[] {
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    const pins = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)` "([^"]+)"/g)];
    return {
      difference: cells[0] ?? '',
      section: section.split('\n')[0] ?? '',
      counts: cells.slice(2, -1),
      pins: pins.map(([, file = '', title = '']) => ({ file, title })),
    };
  });
}

describe('the deviations', () => {
  test('have as many cells in each row as in the header of its table', () => {
    const tables = text.split('\n\n').filter((block) => block.startsWith('| '));
    const shifted = tables.flatMap((table) => {
      const [header = '', ...lines] = table
        .trim()
        .split('\n')
        .map((line) => line.split('|').map((cell) => cell.trim()));
      return lines.filter((cells) => cells.length !== header.length).map(([, first]) => first);
    });
    expect(tables.length).toBeGreaterThan(5);
    expect(shifted).toEqual([]);
  });

  test('are read, section by section', () => {
    expect(rows.length).toBeGreaterThan(25);
    expect(new Set(rows.map(({ section }) => section)).size).toBe(8);
  });

  test.each(rows)('$section: $difference', ({ counts, pins }) => {
    expect(pins.length).toBeGreaterThan(0);
    for (const { file, title } of pins) {
      expect(files).toContain(file);
      expect(sourceOf(file)).toContain(title);
    }
    const pinned = pins.map(({ file }) => sourceOf(file)).join('\n');
    for (const number of numbersIn(counts.join(' '))) expect(pinned).toMatch(new RegExp(`\\b${number}\\b`));
  });

  test('are stated with the number of all compared things', () => {
    const conformance = repositoryFiles().filter((path) => path.endsWith('.conformance.test.ts'));
    const pinned = conformance.map(sourceOf).join('\n');
    for (const number of ['225', '2413', '2022', '7260', '6972', '672', '96', '123']) {
      expect(text.replaceAll(/(?<=\d),(?=\d{3})/g, '')).toMatch(new RegExp(`\\b${number}\\b`));
      expect(pinned).toMatch(new RegExp(`\\b${number}\\b`));
    }
  });
});

/** The numbers of a count, except 0: `1 of 369` → 1 and 369. */
function numbersIn(cell: string): readonly string[] {
  const numbers = cell.replaceAll(/(?<=\d),(?=\d{3})/g, '').match(/\d+/g) ?? [];
  return numbers.filter((number) => number !== '0');
}

/** Without the underscores in its numbers. */
function sourceOf(file: string): string {
  return (readText(file) ?? '').replaceAll(/(?<=\d)_(?=\d)/g, '');
}
