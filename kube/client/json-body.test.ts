import { expect, test } from 'vitest';
import { parseBody } from './json-body.ts';

test.each([
  { because: 'no number has many digits', text: '{"a":1}', expected: { a: 1 } },
  { because: 'a number has many digits', text: '{"a":12345678901234567890}', expected: { a: 12345678901234567890n } },
])('JSON is read exactly: $because', ({ text, expected }) => {
  expect(parseBody(text)).toEqual(expected);
});

test('one deeply nested object does not make the rest of a list unreadable', () => {
  const deep = '['.repeat(9000) + ']'.repeat(9000);
  const body = `{"items":[{"name":"deep","long":12345678901234567890,"value":${deep}},{"name":"other"}]}`;
  const { items } = parseBody(body) as { items: readonly { name: string }[] };
  expect(items.map(({ name }) => name)).toEqual(['deep', 'other']);
});

test('text that is no JSON is refused', () => {
  expect(() => parseBody('{"a":12345678901234567890')).toThrow(SyntaxError);
});
