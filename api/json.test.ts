import { describe, expect, test, vi } from 'vitest';
import { canonicalJson, formatJson, MAX_JSON_DEPTH, parseJson } from './json.ts';

const nested = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);

describe('the depth limit of JSON', () => {
  test('the deepest JSON that can be parsed can be written again', () => {
    const text = nested(MAX_JSON_DEPTH, '12345678901234567890');
    expect(formatJson(parseJson(text))).toBe(text);
    expect(canonicalJson(parseJson(text))).toBe(text);
  });

  test.each([
    { because: 'it has one level too many', text: nested(MAX_JSON_DEPTH + 1) },
    { because: 'lists', text: nested(100_000) },
    { because: 'objects', text: '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000) },
    { because: 'its brackets are never closed', text: '['.repeat(1_000_000) },
    { because: 'a string before it contains a quote and a backslash', text: `["\\"]",${nested(100_000)}]` },
  ])('JSON that is too deep is a syntax error: $because', ({ text }) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test.each([
    { because: 'brackets in a string', text: JSON.stringify('['.repeat(10_000)) },
    { because: 'quotes and backslashes in strings', text: JSON.stringify([`"\\${'{'.repeat(10_000)}`, '\\']) },
    { because: 'many lists beside each other', text: `[${Array(10_000).fill('[]').join()}]` },
  ])('the depth of JSON counts levels only: $because', ({ text }) => {
    expect(formatJson(parseJson(text))).toBe(text);
  });
});

describe('integers in JSON', () => {
  test('one of 400 digits is kept, and a longer one is a syntax error', () => {
    const most = `[-${'9'.repeat(400)}]`;
    expect(formatJson(parseJson(most))).toBe(most);
    expect(() => parseJson(`{"a":${'9'.repeat(401)}}`)).toThrow(SyntaxError);
    expect(() => parseJson(`"${'9'.repeat(401)}"`)).not.toThrow();
  });

  test.each([
    { because: 'it is the largest that a number holds exactly', text: '9007199254740991' },
    { because: 'it is one more than that', text: '9007199254740993' },
    { because: 'it is negative', text: '-9223372036854775808' },
    { because: 'it is within lists and objects', text: '[{"a":[18446744073709551615]}]' },
    { because: 'it is beside a text of as many digits', text: '["0000000000000000",12345678901234567890]' },
  ])('an integer is written as it was read: $because', ({ text }) => {
    expect(formatJson(parseJson(text))).toBe(text);
    expect(canonicalJson(parseJson(text))).toBe(text);
  });

  test.each([
    { because: 'it has no number', text: '{"a":"b"}', isSlow: false },
    { because: 'a number holds all its integers exactly', text: '[1,999999999999999,-1.5e3]', isSlow: false },
    { because: 'it has an integer of 16 digits', text: '[1234567890123456]', isSlow: true },
  ])('JSON is parsed value by value only if a number may not hold an integer: $because', ({ text, isSlow }) => {
    const parse = vi.spyOn(JSON, 'parse');
    const value = parseJson(text);
    const isByValue = parse.mock.calls.some((given) => given.length > 1);
    parse.mockRestore();
    expect(isByValue).toBe(isSlow);
    expect(formatJson(value)).toBe(formatJson(JSON.parse(text)));
  });
});

describe('JSON that is nested deeper than the stack reaches', () => {
  const levels = 60_000;
  const deepened = (inside: unknown): unknown => {
    let value = inside;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };

  test.each([
    { because: 'keys are sorted', value: { b: 1, a: [true, null] }, json: '{"a":[true,null],"b":1}' },
    { because: 'integers come first, as in any object', value: { a: 1, 10: 2, 9: 3 }, json: '{"9":3,"10":2,"a":1}' },
    { because: 'long integers are exact', value: [12345678901234567890n], json: '[12345678901234567890]' },
    { because: 'absent values are left out of objects only', value: [undefined, { a: undefined }], json: '[null,{}]' },
    { because: 'texts are quoted', value: { 'a"': 'b\n' }, json: String.raw`{"a\"":"b\n"}` },
    { because: 'no prototype is set', value: JSON.parse('{"__proto__":1}') as unknown, json: '{"__proto__":1}' },
  ])('is written as any other: $because', ({ value, json }) => {
    expect(canonicalJson(value)).toBe(json);
    expect(canonicalJson(deepened(value))).toBe(`${'['.repeat(levels)}${json}${']'.repeat(levels)}`);
  });
});
