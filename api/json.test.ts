import { describe, expect, test } from 'vitest';
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
