import { expect, test } from 'vitest';
import { isShownByLine } from './shell-steps.ts';

test.each([
  { because: 'ages differ from run to run', printed: 'a   3s    x\n', shown: 'a   3d    x\n', same: true },
  { because: 'a column is wider', printed: 'a      x\n', shown: 'a   x\n', same: true },
  { because: 'the document shows the beginning of a line', printed: 'run this\n', shown: 'run …\n', same: true },
  { because: 'another beginning', printed: 'do this\n', shown: 'run …\n', same: false },
  { because: 'another value', printed: 'a   y\n', shown: 'a   x\n', same: false },
  { because: 'a number that is no age', printed: 'a   3   x\n', shown: 'a   4   x\n', same: false },
  { because: 'a line is missing', printed: 'a\n', shown: 'a\nb\n', same: false },
  { because: 'a line is added', printed: 'a\nb\n', shown: 'a\n', same: false },
])('an output is the one that a document shows ($same): $because', ({ printed, shown, same }) => {
  expect(isShownByLine(printed, shown)).toBe(same);
});
