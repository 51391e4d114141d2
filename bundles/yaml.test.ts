import { describe, expect, it } from 'vitest';
import { parseFirstYaml, parseYaml, YamlError } from './yaml.ts';
import { checkDensity, DEFAULT_YAML_LIMITS } from './yaml/limits.ts';

/** The Go library's value for each scalar, by `sigs.k8s.io/yaml` 1.6. */
const SCALARS: readonly { readonly text: string; readonly value: unknown; readonly because: string }[] = [
  { text: 'yes', value: true, because: 'YAML 1.1 has these words for booleans' },
  { text: 'No', value: false, because: 'Norway' },
  { text: 'y', value: true, because: 'one letter is enough' },
  { text: 'OFF', value: false, because: 'in capitals too' },
  { text: 'tRUE', value: 'tRUE', because: 'mixed case is no boolean' },
  { text: '"yes"', value: 'yes', because: 'quotes make strings' },
  { text: '~', value: null, because: 'null has four names' },
  { text: '017', value: 15, because: 'a leading zero is octal' },
  { text: '0o17', value: 15, because: 'Go knows this form of octal' },
  { text: '0b101', value: 5, because: 'and binary' },
  { text: '-0x1F', value: -31, because: 'and hexadecimal' },
  { text: '1_000', value: 1000, because: 'underscores separate digits' },
  { text: '08', value: 8, because: 'no octal, so a float' },
  { text: '1:30', value: '1:30', because: 'no sexagesimals' },
  { text: '2001-01-01', value: '2001-01-01', because: 'timestamps stay as they are written' },
  { text: '2001-12-14t21:59:43.10-05:00', value: '2001-12-14t21:59:43.10-05:00', because: 'with a time too' },
  { text: '9007199254740993', value: 9007199254740993n, because: 'beyond 2^53 a number would not be exact' },
  { text: '18446744073709551615', value: 18446744073709551615n, because: 'unsigned 64 bits are integers' },
  { text: '18446744073709551616', value: 18446744073709552000, because: 'more bits are a float' },
  { text: '-9223372036854775809', value: -9223372036854775808, because: 'less than 64 bits hold, so a float' },
  { text: '.5', value: 0.5, because: 'a float may start with its point' },
  { text: '._5', value: '._5', because: 'but not with an underscore after it' },
  { text: '1e400', value: '1e400', because: 'no float holds it' },
  { text: '1e3', value: 1000, because: 'exponents need no point' },
  { text: '!!str 1', value: '1', because: 'a tag decides' },
  { text: '!!float 1', value: 1, because: 'an integer is a float too' },
  { text: '!!binary aGk=', value: 'hi', because: 'bytes become the string that they spell' },
  { text: '!!js/function "x"', value: 'x', because: 'unknown tags are ignored' },
  { text: '! 12', value: '12', because: 'the non-specific tag makes a string' },
  { text: '"\\u00e9\\x41"', value: 'éA', because: 'escapes' },
  { text: '<<', value: '<<', because: 'a merge key only as a key' },
];

describe('scalars', () => {
  it.each(SCALARS)('the scalar $text is read as in Go, because: $because', ({ text, value }) => {
    expect(one(`a: ${text}\n`)).toEqual(value === null ? { a: null } : { a: value });
  });

  it.each(['.inf', '-.INF', '.nan'])('the scalar %s is refused, because JSON cannot express it', (text) => {
    expect(() => parseYaml(`a: ${text}`)).toThrow(YamlError);
  });

  it.each(['!!int a', '!!bool 1', '!!null x', '!!binary "§"'])(
    'the scalar %s is refused: the tag does not fit',
    (text) => {
      expect(() => parseYaml(`a: ${text}`)).toThrow(YamlError);
    },
  );
});

const DOCUMENTS: readonly { readonly text: string; readonly values: readonly unknown[]; readonly because: string }[] = [
  { text: '', values: [], because: 'an empty file has no document' },
  { text: '# only a comment\n', values: [], because: 'a file of comments has no document' },
  { text: '# first\n---\na: 1\n', values: [{ a: 1 }], because: 'a comment-only first document is none' },
  { text: 'a: 1\n---\nb: 2\n', values: [{ a: 1 }, { b: 2 }], because: 'dashes separate documents' },
  { text: 'a: 1\n--- # note\nb: 2\n', values: [{ a: 1 }, { b: 2 }], because: 'a comment may follow the dashes' },
  { text: '---\n---\na: 1\n---\n', values: [{ a: 1 }], because: 'empty documents do not count' },
  { text: 'a: 1\r\nb: 2\r\n', values: [{ a: 1, b: 2 }], because: 'lines may end as on Windows' },
  { text: '\uFEFFa: 1\n', values: [{ a: 1 }], because: 'a byte order mark is skipped' },
  { text: 'a: 1\na: 2\n', values: [{ a: 2 }], because: 'the last of duplicate keys counts' },
  { text: 'a: "x\n  y\n"\n', values: [{ a: 'x y ' }], because: 'a closing quote may be indented less' },
  { text: 'k:\n  a: {b: 1\n}\n', values: [{ k: { a: { b: 1 } } }], because: 'and so may a closing bracket' },
  { text: 'a: 1 # c\nb:\t2\n', values: [{ a: 1, b: 2 }], because: 'a tab may follow the colon' },
  { text: '? a\n: b\n', values: [{ a: 'b' }], because: 'complex keys, where they are simple' },
  { text: '1: a\ntrue: b\n0x10: c\n', values: [{ '1': 'a', true: 'b', '16': 'c' }], because: 'keys become strings' },
  { text: 'a: |2\n   x\n', values: [{ a: ' x\n' }], because: 'the indentation may be given' },
  { text: 'x: &a {b: 1}\nz: *a\n', values: [{ x: { b: 1 }, z: { b: 1 } }], because: 'aliases' },
  { text: 'x: &a {b: 1}\n<<: *a\nb: 2\n', values: [{ x: { b: 1 }, b: 2 }], because: 'later keys win over merged ones' },
  { text: 'x: &a {b: 1}\nb: 2\n<<: *a\n', values: [{ x: { b: 1 }, b: 1 }], because: 'merged ones over earlier keys' },
  { text: '!!merge <<: {a: 1}\n', values: [{ a: 1 }], because: 'a merge key may say that it is one' },
  { text: '"<<": {a: 1}\n', values: [{ '<<': { a: 1 } }], because: 'a quoted key is no merge key' },
  { text: '<<: [{a: 1}, {a: 2}]\n', values: [{ a: 1 }], because: 'of several merged maps the first counts' },
  { text: '{"a": 1, "b": [true]}', values: [{ a: 1, b: [true] }], because: 'JSON is YAML' },
  {
    text: '{"a": 12345678901234567890}',
    values: [{ a: 12345678901234567890n }],
    because: 'large integers in JSON too',
  },
  {
    text: `{"a": ${'9'.repeat(401)}}`,
    values: [{ a: '9'.repeat(401) }],
    because: 'one of hundreds of digits is a text',
  },
  { text: '{a: 1}\n', values: [{ a: 1 }], because: 'what starts like JSON need not be' },
  { text: '\t{"a":\t1}\n', values: [{ a: 1 }], because: 'JSON may have tabs where YAML may not' },
];

describe('documents', () => {
  it.each(DOCUMENTS)('the YAML text $text: $because', ({ text, values }) => {
    expect(parseYaml(text).map(({ value }) => value)).toEqual(values);
  });

  it('errors of YAML name their place', () => {
    const found = parseYaml('# none\n---\na: 1\n---\n---\nb: 2\n');
    expect(found.map(({ index, line }) => ({ index, line }))).toEqual([
      { index: 2, line: 3 },
      { index: 3, line: 6 },
    ]);
  });

  it.each([
    { text: 'a: 1\n---\nb: [\n', document: 2, line: 4, because: 'a bracket stays open' },
    { text: 'a: b: c\n', document: 1, line: 1, because: 'a map is not allowed there' },
    { text: 'a: 1\n--- b\n', document: 1, line: 2, because: 'nothing but a comment may follow the dashes' },
    { text: 'a: *x\n', document: 1, line: 1, because: 'the anchor does not exist' },
    { text: 'a: &x [*x]\n', document: 1, line: 1, because: 'the anchor contains itself' },
    { text: '<<: 1\n', document: 1, line: 1, because: 'only maps can be merged' },
    { text: '[a]: 1\n', document: 1, line: 1, because: 'a list cannot be a key' },
    { text: '~: 1\n', document: 1, line: 1, because: 'null cannot be a key' },
  ])('the YAML text $text is refused with its place, because $because', ({ text, document, line }) => {
    const error = thrown(() => parseYaml(text));
    expect(error).toBeInstanceOf(YamlError);
    expect(error).toMatchObject({ kind: 'syntax', document, line });
  });

  it('the first document is read without those behind it', () => {
    expect(parseFirstYaml('# none\n---\na: 1\n---\nb: [\n')).toEqual({ index: 2, line: 3, value: { a: 1 } });
    expect(parseFirstYaml('# none\n')).toBeUndefined();
    expect(thrown(() => parseFirstYaml('a: [\n---\nb: 1\n'))).toMatchObject({ kind: 'syntax', document: 1 });
  });

  it('bytes that are not UTF-8 are refused', () => {
    expect(thrown(() => parseYaml(Uint8Array.of(0x61, 0x3a, 0x20, 0xff)))).toMatchObject({ kind: 'syntax' });
  });

  it('keys with a meaning in JavaScript are kept', () => {
    const value = one('__proto__: {polluted: true}\nconstructor: 1\ntoString: 2\n') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('JSON objects one after another are documents', () => {
  it.each([
    {
      text: '{"a": "}"}\n{"a": "\\"{"}\n',
      values: [{ a: '}' }, { a: '"{' }],
      lines: [1, 2],
      because: 'a line for each',
    },
    { text: ' {"a":\n {}}{\n}\n{}', values: [{ a: {} }, {}, {}], lines: [1, 2, 4], because: 'no space between' },
    {
      text: '{"a": "\\\\"}{"a": 12345678901234567890}',
      values: [{ a: '\\' }, { a: 12345678901234567890n }],
      lines: [1, 1],
      because: 'a backslash ends a text',
    },
    { text: '{"a": "x\ty"}{}', values: undefined, lines: [], because: 'one is no JSON' },
    { text: '{} []', values: undefined, lines: [], because: 'a list is no object' },
    { text: '{}{', values: undefined, lines: [], because: 'the last one has no end' },
  ])('$because', ({ text, values, lines }) => {
    if (values === undefined) {
      expect(thrown(() => parseYaml(text))).toMatchObject({ kind: 'syntax' });
      return;
    }
    expect(parseYaml(text).map(({ value }) => value)).toEqual(values);
    expect(parseYaml(text).map(({ index, line }) => [index, line])).toEqual(lines.map((line, at) => [at + 1, line]));
  });

  it('more of them than documents are allowed are refused', () => {
    expect(parseYaml('{}'.repeat(1000))).toHaveLength(1000);
    expect(thrown(() => parseYaml('{}'.repeat(1001)))).toMatchObject({ kind: 'limit' });
  });
});

/** Values by `sigs.k8s.io/yaml` 1.6, which accepts an escaped single quote in double quotes. */
describe('a single quote may be escaped in double quotes', () => {
  it.each([
    { text: String.raw`a: "don\'t"`, value: { a: "don't" }, because: 'a value' },
    { text: String.raw`"don\'t": 1`, value: { "don't": 1 }, because: 'a key' },
    {
      text: String.raw`a: {b: ["\'x\'", '\'], c: "\\'"}`,
      value: { a: { b: ["'x'", '\\'], c: "\\'" } },
      because: 'in brackets',
    },
    {
      text: 'a:\n  b: "x\n  don\\\'t\n y\\\'"\n  c: 1\n',
      value: { a: { b: "x don't y'", c: 1 } },
      because: 'in lines that are not indented either',
    },
    {
      text: 'a: |\n  "don\\\'t"\nb: don"\\\'t" # "\\\'"\nc: "\\\'"\n',
      value: { a: '"don\\\'t"\n', b: 'don"\\\'t"', c: "'" },
      because: 'blocks, plain texts and comments keep their backslashes',
    },
  ])('$because', ({ text, value }) => {
    expect(one(text)).toEqual(value);
  });

  it('an escape that Go refuses too is an error', () => {
    for (const text of [String.raw`a: "\'\q"`, String.raw`a: "\q" # "\'"`, String.raw`a: "\'`]) {
      expect(thrown(() => parseYaml(text))).toMatchObject({ kind: 'syntax', line: 1 });
    }
  });
});

/** Values by `sigs.k8s.io/yaml` 1.6, which accepts any indentation for continuation lines of quotes and brackets. */
const UNINDENTED: readonly { readonly text: string; readonly value: unknown; readonly because: string }[] = [
  { text: "a:\n  b: 'x\n  y'\n  c: 1\n", value: { a: { b: 'x y', c: 1 } }, because: 'a line is indented as its key' },
  { text: "a:\n  b: 'x\ny'\n", value: { a: { b: 'x y' } }, because: 'a line is not indented at all' },
  { text: "a:\n  b: 'it''s\n\n y'\n", value: { a: { b: "it's\ny" } }, because: 'an empty line is a line break' },
  { text: 'a:\n  b: "x\\\n  y\\" z\n w"\n', value: { a: { b: 'xy" z w' } }, because: 'an escaped line break is none' },
  { text: "a:\n  - 'x\n  y'\n  - 1\n", value: { a: ['x y', 1] }, because: 'the text is an item of a list' },
  { text: "a:\n  - b: 'x\n  y'\n", value: { a: [{ b: 'x y' }] }, because: 'a map starts behind the dash' },
  { text: "a:\n  - - b: 'x\n y'\n", value: { a: [[{ b: 'x y' }]] }, because: 'two lists start in one line' },
  {
    text: "k:\n  a: {b: 'it''s',\n c: [1,\n2]\n}\n",
    value: { k: { a: { b: "it's", c: [1, 2] } } },
    because: 'brackets',
  },
  {
    text: 'k:\n  a: {b: it\'s, # don\'t\n c: "#"\n}\n',
    value: { k: { a: { b: "it's", c: '#' } } },
    because: 'an apostrophe in a plain text or comment quotes nothing',
  },
  {
    text: "a:\n  l: |\n    it's\n  }\n  m: 'x\n  y'\n".replace('  }\n', '    }\n'),
    value: { a: { l: "it's\n}\n", m: 'x y' } },
    because: 'an apostrophe in a block is text, and the block keeps its indentation',
  },
  {
    text: "a:\n  l: >2-\n      it's\n\n    b\n  m: 'x\n  y'\n",
    value: { a: { l: "  it's\n\nb", m: 'x y' } },
    because: 'a block says its own indentation',
  },
  {
    text: "a:\n  - |\n   'b\n  - 'x\n  y'\n",
    value: { a: ["'b\n", 'x y'] },
    because: 'a block is an item of a list',
  },
  {
    text: "a:\n  p: plain\n    'tis\n  m: 'x\n  y'\n",
    value: { a: { p: "plain 'tis", m: 'x y' } },
    because: 'a plain text goes on in a line that starts with an apostrophe',
  },
  {
    text: "a:\n  p:\n    plain\n    'tis\n  m: 'x\n  y'\n",
    value: { a: { p: "plain 'tis", m: 'x y' } },
    because: 'a plain text starts in a line of its own',
  },
  {
    text: "a:\n  p: don't # isn't\n  # can't\n  m: 'x\n  y'\n",
    value: { a: { p: "don't", m: 'x y' } },
    because: 'apostrophes stand in plain texts and comments',
  },
  {
    text: "a:\n  'k': &x !!str 'x\n  y'\n  m: *x\n",
    value: { a: { k: 'x y', m: 'x y' } },
    because: 'key, anchor and tag come before the text',
  },
  {
    text: "a:\n  ? 'k'\n  : 'x\n  y'\n",
    value: { a: { k: 'x y' } },
    because: 'the key is marked as one',
  },
  { text: "a:\r\n  b: 'x\r\n  y'\r\n", value: { a: { b: 'x y' } }, because: 'lines end as on Windows' },
  { text: "a:\n  b: 'x\n\ty'\n", value: { a: { b: 'x y' } }, because: 'a line is indented by a tab' },
];

describe('lines of quotes and brackets that are not indented', () => {
  it.each(UNINDENTED)('unindented lines of quotes and brackets are read as by Go when $because', ({ text, value }) => {
    expect(one(text)).toEqual(value);
  });

  it('many texts with unindented lines are read', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `- k: 'x${index}\n  y'\n`).join('');
    const value = one(`a:\n${text}`) as { readonly a: readonly unknown[] };
    expect(value.a).toHaveLength(20_000);
    expect(value.a.at(-1)).toEqual({ k: 'x19999 y' });
  });

  it.each([
    { because: 'a document ends inside of the text', text: "a:\n  b: 'x\n...\n  y'\n" },
    { because: 'the text does not end', text: "a:\n  b: 'x\n  y\n" },
    { because: 'the bracket does not end', text: 'a:\n  b: [x,\n  y\n' },
    { because: 'other characters follow the text', text: "a:\n  b: 'x\n  y' z\n" },
  ])('unindented lines are refused as by Go when $because', ({ text }) => {
    expect(thrown(() => parseYaml(text))).toMatchObject({ kind: 'syntax' });
  });

  it.each([
    { because: 'it is long', levels: 150, spaces: 1000, lines: 200_000 },
    { because: 'it is one of a thousand short ones', levels: 2, spaces: 2000, lines: 1000 },
  ])('a text is refused if indenting its lines would make it many times as long: $because', (size) => {
    const { levels, spaces, lines } = size;
    const deep = `${Array.from({ length: levels }, (_, depth) => `${' '.repeat(depth * spaces)}a:`).join('\n')} 'x`;
    expect(thrown(() => parseYaml(`${deep}${'\ny'.repeat(lines)}'\n`))).toMatchObject({ kind: 'syntax' });
  });
});

/** Values by `sigs.k8s.io/yaml` 1.6. */
const TABS_AND_COMMENTS: readonly { readonly text: string; readonly value: unknown; readonly because: string }[] = [
  { text: 'a:\t{}\n', value: { a: {} }, because: 'a tab is between a key and empty braces' },
  { text: 'a:\n  "b": \t [1, 2]\n', value: { a: { b: [1, 2] } }, because: 'spaces are beside the tab' },
  { text: 'a: [b,\tc,\t"d"]\n', value: { a: ['b', 'c', 'd'] }, because: 'tabs are before items' },
  { text: "a: {b:\tc, 'd'\t:\t[e]}\n", value: { a: { b: 'c', d: ['e'] } }, because: 'tabs are beside a colon' },
  { text: "a: [b\t'c,\t'\td']\n", value: { a: ["b\t'c", '\td'] }, because: 'tabs in texts are characters' },
  { text: 'a: "b"# c\nd: \'e\'# f\n', value: { a: 'b', d: 'e' }, because: 'comments follow quotes' },
  { text: '- {}# c\n- [b]#\n', value: [{}, ['b']], because: 'comments follow brackets' },
  { text: 'a: "b\n  c"# d\ne: f\n', value: { a: 'b c', e: 'f' }, because: 'a comment follows a text of two lines' },
  {
    text: 'a: [# b\n  "c"# ]\n  , d,# e\n  [f]# g\n  ]\n',
    value: { a: ['c', 'd', ['f']] },
    because: 'comments follow brackets, quotes and commas inside of brackets',
  },
  {
    text: 'a: {b"#c: d#e, "f"# g\n  , h: i#j}# k\n',
    value: { a: { 'b"#c': 'd#e', f: null, h: 'i#j' } },
    because: 'plain texts have the character in them',
  },
  { text: 'a: {}# b\nc: {d:"e"#f: g}\n', value: { a: {}, c: { 'd:"e"#f': 'g' } }, because: 'a colon is in a text' },
];

describe('tabs and comments beside quotes and brackets', () => {
  it.each(TABS_AND_COMMENTS)('tabs and comments are read as by Go when $because', ({ text, value }) => {
    expect(one(text)).toEqual(value);
  });

  it('a long run of tabs is read', () => {
    expect(one(`a:${'\t'.repeat(200_000)}[]`)).toEqual({ a: [] });
  });

  it.each([
    { what: 'tabs', text: `a: [${'\t'.repeat(300_000)}]# b\n` },
    { what: 'escapes', text: `a: "${String.raw`\'`.repeat(300_000)}"\n` },
    { what: 'lines', text: `a: "${'\nb'.repeat(300_000)}"\n` },
    { what: 'texts', text: `${'- ""\n'.repeat(260_000)}- "b\nc"# d\n` },
  ])('too many $what to repair are refused, as each takes memory', ({ text }) => {
    expect(thrown(() => parseYaml(text))).toMatchObject({ kind: 'syntax' });
  });

  it.each([
    { because: 'another value follows the quotes', text: 'a: "b" c# d\n' },
    { because: 'a tab indents a key', text: 'a: {}# b\nc:\n\td: e\n' },
    { because: 'a comma is missing', text: 'a: ["b"# c\n  "d"]\n' },
  ])('they do not hide another fault: $because', ({ text }) => {
    expect(thrown(() => parseYaml(text))).toMatchObject({ kind: 'syntax' });
  });
});

describe('limits', () => {
  it.each([
    { name: 'nested lists', text: deep(100_000) },
    { name: 'nested JSON', text: `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}` },
    { name: 'nested maps', text: `a: ${'{a: '.repeat(5000)}1${'}'.repeat(5000)}` },
    { name: 'nested block lists', text: `${'- '.repeat(5000)}1\n` },
    { name: 'a billion laughs', text: laughs(12) },
    { name: 'merges that multiply', text: merges(300) },
    { name: 'a million and a half keys', text: Array.from({ length: 1_500_000 }, (_, i) => `k${i}: 1`).join('\n') },
    { name: 'a million and a half values in some documents', text: `l: [${'1,'.repeat(250_000)}]\n---\n`.repeat(6) },
    { name: 'a million documents', text: '---\na\n'.repeat(1_000_000) },
    { name: 'a scalar of 20 MB', text: `a: ${'x'.repeat(20 << 20)}` },
    { name: 'too many bytes', text: 'a'.repeat((16 << 20) + 1) },
  ])('$name are refused as too large, not as wrong', ({ text }) => {
    expect(thrown(() => parseYaml(text))).toMatchObject({ kind: 'limit' });
  });

  it.each([
    { because: 'aliases repeat a long text', text: `a: &x ${LONG}\nl:\n${'- *x\n'.repeat(50)}` },
    { because: 'aliases repeat a long key', text: `a: &x {${LONG}: 1}\nl:\n${'- *x\n'.repeat(50)}` },
    { because: 'an alias is a long key', text: `a: &x ${LONG}\nl:\n${'- {? *x : 1}\n'.repeat(50)}` },
    { because: 'maps merge a long text', text: `a: &x {k: ${LONG}}\nl:\n${'- {<<: *x}\n'.repeat(50)}` },
    { because: 'maps merge a list of maps', text: `a: &x {k: ${LONG}}\nl:\n${'- {<<: [*x, *x]}\n'.repeat(50)}` },
    { because: 'one list is repeated', text: `a: &x [${LONG}, ${LONG}]\nl:\n${'- *x\n'.repeat(50)}` },
    {
      because: 'each of many documents repeats a text',
      text: `a: &x ${'x'.repeat(1000)}\nl: [${'*x,'.repeat(200)}]\n---\n`.repeat(50),
    },
    {
      because: 'many short values are repeated',
      text: `${'---\na: &x [1,1,1]\nb: &y [*x,*x,*x]\nc: [*y,*y]\n'.repeat(900)}${laughs(5)}`,
    },
    { because: 'an alias deepens what is deep', text: nestedByAliases(40) },
    { because: 'one map merges another hundreds of times', text: merging(440, 500) },
    { because: 'each of many documents merges a map again and again', text: `${merging(20, 100)}---\n`.repeat(100) },
    {
      because: 'maps merge a list of empty maps',
      text: `a: &x [${'{},'.repeat(500)}]\nb:\n${'  <<: *x\n'.repeat(500)}`,
    },
  ])('a short text is refused if $because', ({ text }) => {
    expect(text.length).toBeLessThan(3 << 20);
    expect(thrown(() => parseYaml(text))).toMatchObject({ kind: 'limit' });
  });

  it('aliases may write a file out to four times its text, and a short file to 32 KiB', () => {
    expect(() => parseYaml(`a: &x ${LONG}\nl: [*x, *x]\n`)).not.toThrow();
    expect(() => parseYaml(`a: &x ${'x'.repeat(1000)}\nl:\n${'- *x\n'.repeat(30)}`)).not.toThrow();
    expect(() => parseYaml(merging(20, 50))).not.toThrow();
  });

  it('values are counted before anything is made of them, also many that begin in one line', () => {
    const lines = `${'- '.repeat(190)}1\n`.repeat(6000);
    expect(thrown(() => checkDensity(lines, DEFAULT_YAML_LIMITS))).toMatchObject({ kind: 'limit' });
    expect(() => checkDensity('a-b '.repeat(1_000_000), DEFAULT_YAML_LIMITS)).not.toThrow();
  });

  it('a text without aliases is never refused for its growth', () => {
    expect(() => parseYaml(`l:\n${'- x\n'.repeat(100_000)}`)).not.toThrow();
  });

  it('the default limits permit all published bundles', () => {
    expect(() => parseYaml(deep(90))).not.toThrow();
    expect(() => parseYaml(`a: ${'x'.repeat(1 << 20)}`)).not.toThrow();
    expect(() => parseYaml('---\na\n'.repeat(900))).not.toThrow();
  });

  it('the limits can be chosen', () => {
    expect(thrown(() => parseYaml('a: [1, 2, 3]', { maxNodes: 4 }))).toMatchObject({ kind: 'limit' });
    expect(thrown(() => parseYaml(deep(5), { maxDepth: 4 }))).toMatchObject({ kind: 'limit' });
  });
});

const LONG = 'x'.repeat(100_000);

/** Each list of some levels holds the one before: few values, and thousands of levels. */
function nestedByAliases(count: number): string {
  const lists = Array.from({ length: count }, (_, index) => {
    const inner = index === 0 ? '1' : `*a${index - 1}`;
    return `a${index}: &a${index} ${'['.repeat(100)}${inner}${']'.repeat(100)}`;
  });
  return lists.join('\n');
}

function one(text: string): unknown {
  return parseYaml(text)[0]?.value;
}

function deep(depth: number): string {
  return `a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
}

function laughs(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < levels; level += 1) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  return lines.join('\n');
}

/** Each map merges the one before and adds keys, so that the work grows quadratically. */
function merges(levels: number): string {
  const lines = [`m0: &m0 {${keys(0)}}`];
  for (let level = 1; level < levels; level += 1) {
    lines.push(`m${level}: &m${level} {<<: *m${level - 1}, ${keys(level)}}`);
  }
  return lines.join('\n');
}

/** A map that merges another one several times. */
function merging(size: number, times: number): string {
  const entries = Array.from({ length: size }, (_, index) => `k${index}: 1`).join(', ');
  return `a: &x {${entries}}\nb: {<<: [${'*x,'.repeat(times)}]}\n`;
}

function keys(level: number): string {
  return Array.from({ length: 100 }, (_, index) => `k${level}_${index}: 1`).join(', ');
}

function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
