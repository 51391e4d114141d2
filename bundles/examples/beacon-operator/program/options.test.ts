import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';

test.each([
  { value: undefined, watch: [''], because: 'nothing is said: all namespaces' },
  { value: '', watch: [''], because: 'that is what all namespaces look like in the annotation' },
  { value: 'coast', watch: ['coast'], because: 'one is named' },
  { value: 'coast, inland', watch: ['coast', 'inland'], because: 'several are named' },
])('WATCH_NAMESPACE $value means $watch: $because', ({ value, watch }) => {
  expect(parseOptions(['--release=1.0.0'], { WATCH_NAMESPACE: value }).watch).toEqual(watch);
});

test.each([['--release=one'], [], ['--release=1.0.0', '--fault=rust'], ['--release=1.0.0', '--unknown=1']])(
  'what makes no sense ends the program: %s %s',
  (...args) => {
    expect(() => parseOptions(args, {})).toThrow(/./);
  },
);
