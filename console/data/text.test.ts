import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstOf, indentedLine, line, MOST_LINE, paragraphs } from './text.ts';

const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe('a text of the cluster is one harmless line', () => {
  test.each([
    { because: 'it turns the direction of writing', text: 'a\u202Egpj.exe', clean: 'agpj.exe' },
    { because: 'it moves the cursor', text: '\u001b[2Jgone', clean: '[2Jgone' },
    { because: 'it has several lines', text: 'a\r\n  b\u2028c', clean: 'a b c' },
    { because: 'it has half of a character', text: 'a\uD800b', clean: 'ab' },
    { because: 'it is HTML, which stays as text', text: '<img src=x onerror=alert(1)>', clean: '<img src=x onerror=alert(1)>' }, // prettier-ignore
    { because: 'it is no text', text: { evil: true }, clean: '' },
  ])('$because', ({ text, clean }) => {
    expect(line(text)).toBe(clean);
  });

  test('a text of 10 MB is cut, and says how much is left out', () => {
    const cut = line('x'.repeat(10 << 20));
    expect(cut.length).toBeLessThan(MOST_LINE + 60);
    expect(cut).toMatch(/x… \(10481664 further characters\)$/);
  });

  test('a cut leaves no half of a character', () => {
    expect(line('😀'.repeat(40), 5)).toMatch(/^😀😀…/u);
  });

  test('whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, most) => {
        const shown = line(text, most);
        expect(shown).not.toMatch(ACTING);
        expect(shown.length).toBeLessThan(most + 40);
      }),
    );
  });
});

test('a line of a log keeps its indentation', () => {
  expect(indentedLine('\t  at main\u001b[0m')).toBe('      at main[0m');
});

test('Markdown keeps its lines, and nothing else that acts', () => {
  expect(paragraphs('# a\r\n\r\n- b\u202E\u0000\n\tc', 100)).toEqual({ text: '# a\n\n- b\n\tc', isCut: false });
  expect(paragraphs('abc', 2)).toEqual({ text: 'ab', isCut: true });
  expect(paragraphs(7, 2)).toEqual({ text: '', isCut: false });
});

test.each([
  { because: 'all fit', items: [1, 2], cut: undefined },
  { because: 'one does not fit', items: [1, 2, 3], cut: { omitted: 1, message: '1 further version left out' } },
  { because: 'several do not fit', items: [1, 2, 3, 4], cut: { omitted: 2, message: '2 further versions left out' } },
])('a list shows its first entries: $because', ({ items, cut }) => {
  const { shown, ...rest } = firstOf(items, 2, 'version');
  expect(shown).toEqual([1, 2]);
  expect(rest).toEqual(cut === undefined ? {} : { cut });
});
