import { expect, test } from 'vitest';
import { beginningOf } from './short-text.ts';

test.each([
  { text: 'abc', kept: 'abc', because: 'it is short' },
  { text: 'abcd', kept: 'abc', because: 'it is longer' },
  { text: 'ab\u{1F600}', kept: 'ab', because: 'half of a character would be left' },
  { text: 'ää\u00e9\u00e9', kept: 'ää\u00e9', because: 'it is not of ASCII' },
])('the beginning of a text is kept: $because', ({ text, kept }) => {
  expect(beginningOf(text, 3)).toBe(kept);
});
