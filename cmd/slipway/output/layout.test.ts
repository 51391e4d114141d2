import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitWidths, visibleLength, wrapText } from './layout.ts';
import { formatFacts, formatTable } from './table.ts';

const NAME = `registry.example/team/${'long-'.repeat(40)}operator:v1.0.0`;

describe('text on a terminal', () => {
  test.each([
    { because: 'it fits', text: 'one two\n', columns: 7, wrapped: 'one two\n' },
    { because: 'a line is too long', text: 'one two three\n', columns: 8, wrapped: 'one two\n  three\n' },
    {
      because: 'an indented line is too long',
      text: '  one two three\n',
      columns: 11,
      wrapped: '  one two\n    three\n',
    },
    { because: 'a name is never cut', text: `see ${NAME}`, columns: 20, wrapped: `see\n  ${NAME}` },
    {
      because: 'colours take no room',
      text: '\u001B[31mone\u001B[39m two',
      columns: 7,
      wrapped: '\u001B[31mone\u001B[39m two',
    },
  ])('is broken between words: $because', ({ text, columns, wrapped }) => {
    expect(wrapText(text, columns)).toBe(wrapped);
  });

  test('keeps every word in its order, and no line is longer than the terminal unless it is one word', () => {
    const words = fc.array(
      fc.string({ minLength: 1, maxLength: 12 }).map((word) => word.replaceAll(/\s/g, '-')),
      {
        minLength: 1,
      },
    );
    let wrapped = 0;
    fc.assert(
      fc.property(words, fc.integer({ min: 10, max: 60 }), (some, columns) => {
        const lines = wrapText(some.join(' '), columns).split('\n');
        if (lines.length > 1) wrapped += 1;
        expect(lines.flatMap((line) => line.trim().split(' '))).toEqual(some.join(' ').trim().split(' '));
        for (const line of lines) if (visibleLength(line) > columns) expect(line.trim().split(' ')).toHaveLength(1);
      }),
    );
    expect(wrapped).toBeGreaterThan(10);
  });
});

describe('the width of a text is the number of columns that a terminal needs for it', () => {
  test.each([
    { because: 'letters', text: 'abc', width: 3 },
    { because: 'colours', text: '\u001B[31mabc\u001B[39m', width: 3 },
    { because: 'an accent of its own', text: 'e\u0301', width: 1 },
    { because: 'Chinese', text: '操作', width: 4 },
    { because: 'Japanese', text: 'カタひら', width: 8 },
    { because: 'Korean', text: '한글', width: 4 },
    { because: 'letters of full width', text: 'ＡＢ', width: 4 },
    { because: 'a picture', text: '🚀', width: 2 },
    { because: 'punctuation', text: '— …', width: 3 },
  ])('$because', ({ text, width }) => {
    expect(visibleLength(text)).toBe(width);
  });

  test('so that columns of a table are aligned, and fit', () => {
    const lines = formatTable(['NAME', 'OF'], [['操作', 'x'], ['plain', 'x'], ['操'.repeat(30), 'x']], 30).trimEnd().split('\n'); // prettier-ignore
    const beginnings = lines.slice(1).map((line) => visibleLength(line.slice(0, -1)));
    expect(new Set(beginnings).size).toBe(1);
    expect(lines.every((line) => visibleLength(line) <= 30)).toBe(true);
  });
});

describe('a text of any length is laid out at once', () => {
  const long = 'ab '.repeat(20_000);
  test.each([
    { because: 'a fact of many words in a pipe', print: () => formatFacts([['Text', long]]) },
    { because: 'a fact of many words on a terminal', print: () => formatFacts([['Text', long]], 80) },
    { because: 'a line of many words', print: () => wrapText(long, 80) },
    { because: 'a cell of a million characters', print: () => formatTable(['A', 'B'], [['a'.repeat(1e6), 'b']], 80) },
  ])('$because', ({ print }) => {
    const start = process.threadCpuUsage();
    expect(print()).not.toBe('');
    expect(process.threadCpuUsage(start).user / 1e6).toBeLessThan(0.5);
  });
});

describe('a table', () => {
  const rows = [
    ['beacon-operator', NAME],
    ['x', 'short'],
  ];

  test('that is piped has every name whole', () => {
    expect(formatTable(['PACKAGE', 'IMAGE'], rows)).toContain(NAME);
    expect(formatFacts([['Image', NAME]])).toBe(`Image: ${NAME}\n`);
  });

  test.each([40, 60, 100, 200])('fits into a terminal of %d columns, and marks each cut', (columns) => {
    const lines = formatTable(['PACKAGE', 'IMAGE'], rows, columns).trimEnd().split('\n');
    expect(lines.map(visibleLength).every((length) => length <= columns)).toBe(true);
    expect(lines[1]).toMatch(/^beacon-operator +registry.*…$/);
    expect(lines[2]).toMatch(/^x +short$/);
  });

  test.each([
    { because: 'all fits', widths: [5, 5], least: [2, 2], available: 10, fitted: [5, 5] },
    { because: 'the widest gives', widths: [5, 20], least: [2, 2], available: 15, fitted: [5, 10] },
    { because: 'the widest give alike', widths: [20, 20], least: [2, 2], available: 20, fitted: [10, 10] },
    { because: 'none gets narrower than its least', widths: [9, 9], least: [8, 8], available: 4, fitted: [8, 8] },
  ])('has columns that fit: $because', ({ widths, least, available, fitted }) => {
    expect(fitWidths(widths, least, available)).toEqual(fitted);
  });

  test('of facts continues a long value under its beginning', () => {
    expect(
      formatFacts(
        [
          ['Text', 'one two three four'],
          ['Longer', 'x'],
        ],
        18,
      ),
    ).toBe('Text:   one two\n        three four\nLonger: x\n');
  });
});
