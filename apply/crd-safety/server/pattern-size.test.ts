import { expect, test } from 'vitest';
import { sizeOfPattern } from './pattern-size.ts';

test.each([
  { pattern: 'abc', size: 3, because: 'each character counts' },
  { pattern: 'a{3}', size: 3, because: 'a repetition is written out' },
  { pattern: 'a{2,5}', size: 5, because: 'the highest count is' },
  { pattern: 'a{7,}', size: 7, because: 'without a highest count, the lowest is' },
  { pattern: '(ab){10}', size: 30, because: 'a group is repeated as a whole' },
  { pattern: '((ab){10}c){2}', size: 64, because: 'groups are in groups' },
  { pattern: '[a-z0-9]{63}', size: 63, because: 'a class is one part' },
  { pattern: '([)](ab)){9}', size: 45, because: 'a bracket in a class ends no group' },
  { pattern: '([]()](ab)){9}', size: 45, because: 'the first bracket in a class does not end it' },
  { pattern: '([[:alpha:])]ab){9}', size: 36, because: 'a class has named classes' },
  { pattern: '(\\)ab){9}', size: 36, because: 'an escaped bracket ends no group' },
  { pattern: '(\\Q)[\\Eab){9}', size: 81, because: 'a quoted bracket ends no group, and begins no class' },
  { pattern: 'a{9999}', size: 1000, because: 'RE2 refuses a higher count' },
  { pattern: '[a{1000}', size: 1001, because: 'a class without an end is none' },
])('the size of $pattern is $size, because $because', ({ pattern, size }) => {
  expect(sizeOfPattern(pattern)).toBe(size);
});
