import { expect, test } from 'vitest';
import { LogLines, withOrigin } from './log-lines.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

test.each([
  { because: 'a chunk ends within a line', chunks: ['one\ntw', 'o\n'], text: 'p: one\np: two\n' },
  { because: 'the last line has no end', chunks: ['one\ntwo'], text: 'p: one\np: two\n' },
  { because: 'indentation is part of a line', chunks: ['a:\n  b\n\tc\n'], text: 'p: a:\np:   b\np:     c\n' },
  { because: 'an empty line is a line', chunks: ['\n'], text: 'p: \n' },
  { because: 'there is no text', chunks: [], text: '' },
  { because: 'escape sequences are taken out', chunks: ['\u001b[31mred\u001b]0;x\u0007\n'], text: 'p: [31mred]0;x\n' },
])('each line begins with its origin: $because', ({ chunks, text }) => {
  const lines = new LogLines((line) => withOrigin('p:', line));
  expect(chunks.map((chunk) => lines.add(bytes(chunk))).join('') + lines.end()).toBe(text);
});

test('a character that is cut between two chunks is whole', () => {
  const lines = new LogLines((line) => `${line}\n`);
  const [first, second] = [bytes('é\n').subarray(0, 1), bytes('é\n').subarray(1)];
  expect(lines.add(first) + lines.add(second)).toBe('é\n');
});

test('a line without an end is printed in parts, so that memory does not grow', () => {
  const lines = new LogLines((line) => `${line}\n`);
  const printed = Array.from({ length: 3 }, () => lines.add(bytes('x'.repeat(1 << 20)))).join('');
  expect(printed.length).toBeGreaterThan(1 << 20);
});
