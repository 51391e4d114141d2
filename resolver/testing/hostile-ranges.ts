/** Ranges that make a backtracking parser slow: parts repeated as often as fits, with something else at either end. */
import { MAX_BLANG_LENGTH, parseBlangRange } from '../ranges/blang.ts';
import { parseMastermindsRange } from '../ranges/masterminds.ts';

/** The repeated parts. */
export const HOSTILE_PARTS = [
  ' ',
  '1',
  '1.',
  'x',
  '-',
  ' - ',
  '1 - ',
  '>',
  '||',
  '0.0.0-',
  ',',
  '=',
  'v',
  'a.',
  '1|',
  '>=1.0.0 <2.0.0 ',
  '1.x || ',
  '!=1.0.0 ',
  '\t',
  '\u2003',
  '1-1.',
  '1.1.1-1 - ',
  'v1 - ',
];

const AROUND: readonly (readonly [string, string])[] = [
  ['', ''],
  ['>', 'a1.0.0'],
  ['', '! - 1'],
  ['1.0.0-', '! - 1'],
  ['1 - ', ''],
  ['>=', ' - 1.0.0'],
];

/** The grammars with their parsers and the longest text that each parses. */
export const GRAMMARS = [
  { grammar: 'blang', parse: parseBlangRange, longest: MAX_BLANG_LENGTH },
  { grammar: 'Masterminds', parse: parseMastermindsRange, longest: 512 },
] as const;

/** All of them, at the maximum length. */
export function hostileRanges(longest: number): readonly string[] {
  return AROUND.flatMap(([before, after]) =>
    HOSTILE_PARTS.map((part) => {
      const room = longest - before.length - after.length;
      return before + part.repeat(room).slice(0, room) + after;
    }),
  );
}
