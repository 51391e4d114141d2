import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../api/json.ts';
import { parseYaml } from '../bundles/yaml.ts';
import { formatData, formatYaml } from './data.ts';

const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Texts that some reader of YAML takes for something else, or that a terminal acts on. */
const TRICKY: readonly string[] = [
  'yes n y on OFF null ~ 017 0o17 0b1 0x1F 1_000 1e3 .5 1:30 << = 2001-01-01 --- ... {a [a &a *a !a %a @a `a'.split(
    ' ',
  ),
  ['', ' a ', '# c', 'a: b', '- a', '? a', "it's", 'two\nlines\n', '\nx', 'tab\there', '\r', '\u0085', '\uFEFF'],
  ['\u001b[31mred', '\u009b31m', '\u202Eright', '\u2028', '\u{E0041}', '\u200B'],
].flat();
/** Texts that look like numbers: readers disagree about capitals, signs and separators of digits. */
const numerals = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0 1 7 x X o O b B e E _ + - . :'.split(' ')), minLength: 1, maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...'0 1 7 9 e -'.split(' ')), minLength: 15, maxLength: 24 }),
);
const texts = fc.oneof(fc.constantFrom(...TRICKY), fc.string({ unit: 'binary' }), fc.string(), numerals);
const leaves = fc.oneof(
  texts,
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((number) => Number.isSafeInteger(number) === Number.isInteger(number) && !Object.is(number, -0)),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }),
);
const documents = fc.dictionary(
  texts,
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaves,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(texts, tie('value'), { maxKeys: 3 }),
    ),
  })).value,
  { minKeys: 1, maxKeys: 4 },
);

describe('hostile text of a registry or a file', () => {
  test('is unchanged after parsing the JSON, which has no terminal escapes', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const text = formatData(document);
        expect(text).not.toMatch(UNPRINTABLE);
        expect(parseJson(text)).toEqual(document);
      }),
    );
  });

  test.each(
    '0X0 0X1F -0X1 +0XA 0B1 0O17 -0O7 0x_1F 0b_1 0_7 1__0 0_0.5 +.5 +1 1e+3 YES Y N .5E3 .INF +.Inf .NaN'.split(' '),
  )('the text %s stays a text in YAML, as value and as key', (text) => {
    const document = { value: text, [text]: [text] };
    expect(parseYaml(formatYaml([document])).map(({ value }) => value)).toEqual([document]);
  });

  test('a text is quoted only if a reader of YAML would take it for something else', () => {
    const document = { name: 'op', version: '1.0.0', image: 'registry.example/op@sha256:0', since: '2001-01-01T00:00:00Z', count: 1, share: 0.5, hex: '0X0' }; // prettier-ignore
    expect(formatYaml([document])).toBe(
      "---\nname: op\nversion: 1.0.0\nimage: registry.example/op@sha256:0\nsince: '2001-01-01T00:00:00Z'\ncount: 1\nshare: 0.5\nhex: '0X0'\n",
    );
  });

  test.each([
    {
      because: 'a digest has many digits',
      value: `sha256:${'0123456789012345'.repeat(4)}`,
      yaml: `sha256:${'0123456789012345'.repeat(4)}`,
    },
    { because: 'a text of 16 digits is no number', value: '1234567890123456', yaml: "'1234567890123456'" },
    { because: 'a text of 20 digits is no number', value: '12345678901234567890', yaml: "'12345678901234567890'" },
    { because: 'a text of digits begins with a zero', value: '0123456789012345', yaml: "'0123456789012345'" },
    { because: 'the largest safe integer is a number', value: 9_007_199_254_740_991, yaml: '9007199254740991' },
  ])('many digits are written as YAML: $because', ({ value, yaml }) => {
    const text = formatYaml([{ value }]);
    expect(text).toBe(`---\nvalue: ${yaml}\n`);
    expect(parseYaml(text).map((document) => document.value)).toEqual([{ value }]);
  });

  test('an integer beyond 2^53 stays exact: its document is JSON', () => {
    expect(formatYaml([{ deep: [{ value: 2n ** 60n }] }, { value: 1 }])).toBe(
      `---\n${formatData({ deep: [{ value: 2n ** 60n }] })}---\nvalue: 1\n`,
    );
  });

  test('is read from the YAML as Kubernetes reads it, and the YAML has no terminal escapes', () => {
    fc.assert(
      fc.property(fc.array(documents, { maxLength: 3 }), (all) => {
        const text = formatYaml(all);
        expect(text).not.toMatch(UNPRINTABLE);
        expect(parseYaml(text).map(({ value }) => value)).toEqual(all);
      }),
    );
  });
});
