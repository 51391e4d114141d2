import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { HOSTILE_PARTS } from '../testing/hostile-ranges.ts';
import type { WorkRow } from '../testing/range-work.ts';
import { parseVersion, type Parsed } from '../version.ts';
import { MAX_BLANG_LENGTH, parseBlangRange } from './blang.ts';
import { parseMastermindsRange } from './masterminds.ts';
import { patternAt, rewriteHyphens, scan } from './masterminds-scan.ts';
import type { VersionRange } from './range.ts';

type Answer = boolean | 'invalid';

test.each([
  {
    range: '1.0.x',
    version: '1.1.0-rc.1',
    blang: true,
    masterminds: false,
    because: 'only blang takes pre-releases as they come',
  },
  {
    range: '>=1.0.0-0 <1.1.0',
    version: '1.1.0-rc.1',
    blang: true,
    masterminds: true,
    because: 'one pre-release lets the others in',
  },
  { range: '1.0.*', version: '1.0.5', blang: 'invalid', masterminds: true, because: 'blang knows x alone' },
  { range: '>=1.0.0, <1.1.0', version: '1.0.5', blang: 'invalid', masterminds: true, because: 'blang knows no comma' },
  { range: '!1.0.5', version: '1.0.4', blang: true, masterminds: 'invalid', because: 'only blang knows a lone !' },
  {
    range: '!=1.0.x',
    version: '1.3.0',
    blang: false,
    masterminds: true,
    because: 'blang wants both sides at once, which nothing is',
  },
  {
    range: '1.2.3 - 1.6.0',
    version: '1.5.0',
    blang: false,
    masterminds: true,
    because: 'blang drops the lone hyphen and wants both versions',
  },
  {
    range: '^1.2.x',
    version: '1.2.0',
    blang: true,
    masterminds: true,
    because: 'blang drops the operator that it does not know',
  },
  { range: '^1.2.x', version: '1.3.0', blang: false, masterminds: true, because: 'so it means 1.2.0 alone' },
  {
    range: '1.x.x',
    version: '1.5.0',
    blang: false,
    masterminds: true,
    because: 'blang counts three places, so the last is the wildcard',
  },
  {
    range: '1.2.3 || || 2.0.0',
    version: '2.0.0',
    blang: 'invalid',
    masterminds: 'invalid',
    because: 'blang would crash on use',
  },
  { range: '1.2', version: '1.2.3', blang: 'invalid', masterminds: true, because: 'blang wants three numbers' },
  {
    range: '1.02.3',
    version: '1.2.3',
    blang: 'invalid',
    masterminds: true,
    because: 'Masterminds forgives leading zeros',
  },
  { range: '1|2', version: '1.2.3', blang: 'invalid', masterminds: 'invalid', because: 'a single bar is no operator' },
  {
    range: '>\t1.0.0',
    version: '1.2.3',
    blang: true,
    masterminds: true,
    because: 'blang trims an operator of any white space',
  },
  { range: '>1.-1.x', version: '1.0.0', blang: true, masterminds: 'invalid', because: 'blang reads -1 and adds one' },
  {
    range: '>=9007199254740993.0.0',
    version: '9007199254740992.0.0',
    blang: false,
    masterminds: false,
    because: 'numbers have 64 bits',
  },
  {
    range: '>18446744073709551616.0.0',
    version: '1.0.0',
    blang: 'invalid',
    masterminds: 'invalid',
    because: 'numbers have 64 bits',
  },
  {
    range: '>1.0.0-99999999999999999999',
    version: '1.0.0-5',
    blang: 'invalid',
    masterminds: false,
    because: 'beyond 64 bits Masterminds compares text, which comes after numbers',
  },
  { range: '~0', version: '7.0.0', blang: 'invalid', masterminds: false, because: '~0 stays within 0' },
  { range: '~0.0.0', version: '7.0.0', blang: 'invalid', masterminds: true, because: '~0.0.0 is everything' },
] satisfies { range: string; version: string; blang: Answer; masterminds: Answer; because: string }[])(
  '$range with $version: blang $blang, Masterminds $masterminds, because $because',
  ({ range, version, blang, masterminds }) => {
    expect(ask(parseBlangRange(range), version)).toBe(blang);
    expect(ask(parseMastermindsRange(range), version)).toBe(masterminds);
  },
);

test('the limits of the libraries for ranges apply here too', () => {
  expect(parseMastermindsRange('1.0.0 '.repeat(85)).ok).toBe(true);
  expect(parseMastermindsRange('1.0.0 '.repeat(86)).ok).toBe(false);
  expect(parseMastermindsRange('é'.repeat(257)).ok).toBe(false);
  expect(parseMastermindsRange(Array(32).fill('1').join('||')).ok).toBe(true);
  expect(parseMastermindsRange(Array(33).fill('1').join('||')).ok).toBe(false);
  expect(parseMastermindsRange(`1.0.0-${'a'.repeat(251)}`).ok).toBe(false);
  expect(parseBlangRange(`>=1.0.0${' '.repeat(MAX_BLANG_LENGTH)}`).ok).toBe(false);
});

test('no range is slow to parse: each character is read a hundred times at most', async () => {
  const worker = new Worker(new URL('../testing/range-work.ts', import.meta.url));
  const [rows] = (await once(worker, 'message')) as [readonly WorkRow[]];
  for (const grammar of ['blang', 'Masterminds']) {
    const own = rows.filter((row) => row.grammar === grammar);
    const worst = own.reduce((a, b) => (b.work > a.work ? b : a));
    expect(own.length).toBeGreaterThan(100);
    expect(worst.work).toBeGreaterThan(worst.text.length);
    expect({ ...worst, isSlow: worst.work > 100 * worst.text.length }).toMatchObject({ isSlow: false });
  }
  const known = rows.filter((row) => row.grammar === 'known').map(({ work }) => work);
  expect(known).toEqual([1, 198, 5050]);
});

test('versions in constraints are found where a backtracking expression finds them', () => {
  const number = '[0-9xX*|]+';
  const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
  const one = `v?${number}(?:\\.${number})?(?:\\.${number})?(?:-${identifiers})?(?:\\+${identifiers})?`;
  const space = '[ \\t\\n\\f\\r]';
  const hyphens = new RegExp(`${space}*(${one})${space}+-${space}+(${one})${space}*`, 'g');
  const piece = fc.constantFrom('1', '.', 'x', '-', ' ', ' - ', 'v', '+', 'a', '|', '>', '\t', '1.2.3', '!');
  const text = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (range) => {
      const [match] = new RegExp(`^${one}`).exec(range) ?? [];
      expect(patternAt(scan(range), 0)?.text).toBe(match);
      let rewritten = range;
      for (const [whole, low = '', high = ''] of range.matchAll(hyphens))
        rewritten = rewritten.replace(whole, () => `>= ${low}, <= ${high} `);
      expect(rewriteHyphens(range)).toBe(rewritten);
    }),
    { numRuns: runsOf(20_000) },
  );
});

test('both grammars parse or refuse any text', () => {
  const piece = fc.constantFrom(
    ...HOSTILE_PARTS,
    '1.2.3',
    '-rc.1',
    '+b',
    '~',
    '^',
    '<',
    '!',
    '*',
    'X',
    '\t',
    '１',
    '\u2028',
    '18446744073709551615',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (range) => {
      for (const version of ['1.2.3', '0.0.0', '1.0.0-rc.1']) {
        ask(parseBlangRange(range), version);
        ask(parseMastermindsRange(range), version);
      }
    }),
    { numRuns: runsOf(5000) },
  );
});

function ask(range: Parsed<VersionRange>, text: string): Answer {
  const version = parseVersion(text);
  if (!version.ok) throw new Error(`${text}: ${version.problem}`);
  return range.ok ? range.value.includes(version.value) : 'invalid';
}
