import { expect, test } from 'vitest';
import { cutWords } from './cut-words.ts';

test.each([
  { text: 'a'.repeat(400), cut: 'a'.repeat(400), because: 'a long address is kept' },
  { text: 'a'.repeat(401), cut: `${'a'.repeat(400)}…`, because: 'no language has such a word' },
  { text: `b ${'a'.repeat(1_000_000)} c`, cut: `b ${'a'.repeat(400)}… c`, because: 'the words around it stay' },
])('a word of a description is cut if it is too long to be one: $because', ({ text, cut }) => {
  expect(cutWords(text)).toBe(cut);
});
