import { expect, test } from 'vitest';
import { classesWithoutSample, sampleOf } from './sample.ts';

const ITEMS = ['a', 'b', 'c', 'd', 'e', 'rare', 'f'];
const isRare = (item: string): boolean => item === 'rare';

test.each([
  { every: 3, also: undefined, all: false, taken: ['a', 'd', 'f'], because: 'one of three is taken' },
  { every: 3, also: isRare, all: false, taken: ['a', 'd', 'rare', 'f'], because: 'a rare class is taken besides' },
  { every: 1, also: undefined, all: false, taken: ITEMS, because: 'each one is taken' },
  { every: 3, also: undefined, all: true, taken: ITEMS, because: 'an exhaustive run has no sample' },
])('of seven items $taken are tested if $because', ({ every, also, all, taken }) => {
  expect(sampleOf(ITEMS, { every, ...(also !== undefined && { also }) }, all)).toEqual(taken);
});

test.each([
  { all: { equal: 9, odd: 1 }, sample: { equal: 1, odd: 1 }, missing: [], because: 'each class has a sample' },
  { all: { equal: 9, odd: 1 }, sample: { equal: 1, odd: 0 }, missing: ['odd'], because: 'one class has none' },
  { all: { equal: 9, odd: 1 }, sample: { equal: 1 }, missing: ['odd'], because: 'one class is not mentioned' },
  { all: { equal: 9, gone: 0 }, sample: { equal: 1, gone: 0 }, missing: [], because: 'no item has that class' },
])('the classes $missing lack a sample if $because', ({ all, sample, missing }) => {
  expect(classesWithoutSample({ all, sample })).toEqual(missing);
});
