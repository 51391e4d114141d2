import { describe, expect, test } from 'vitest';
import { canonicalJson, formatJson, MAX_JSON_DEPTH, parseJson } from './json.ts';

const nested = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);

describe('how deep JSON may be nested', () => {
  test('the deepest that is read can be written again', () => {
    const text = nested(MAX_JSON_DEPTH, '12345678901234567890');
    expect(formatJson(parseJson(text))).toBe(text);
    expect(canonicalJson(parseJson(text))).toBe(text);
  });

  test.each([
    { because: 'one level more than may be', text: nested(MAX_JSON_DEPTH + 1) },
    { because: 'lists', text: nested(100_000) },
    { because: 'objects', text: '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000) },
    { because: 'brackets that are never closed', text: '['.repeat(1_000_000) },
    { because: 'a string before it that looks like an end of one', text: `["\\"]",${nested(100_000)}]` },
  ])('is refused as a syntax error: $because', ({ text }) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test.each([
    { because: 'brackets in a string', text: JSON.stringify('['.repeat(10_000)) },
    { because: 'quotes and backslashes in strings', text: JSON.stringify([`"\\${'{'.repeat(10_000)}`, '\\']) },
    { because: 'many lists beside each other', text: `[${Array(10_000).fill('[]').join()}]` },
  ])('counts levels only: $because', ({ text }) => {
    expect(formatJson(parseJson(text))).toBe(text);
  });
});
