import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';

test.each([
  { value: undefined, watch: [''], because: 'it is absent: all namespaces' },
  { value: '', watch: [''], because: 'the annotation has this value for all namespaces' },
  { value: 'coast', watch: ['coast'], because: 'it names one' },
  { value: 'coast, inland', watch: ['coast', 'inland'], because: 'it names several' },
])('WATCH_NAMESPACE $value means $watch: $because', ({ value, watch }) => {
  expect(parseOptions(['--release=1.0.0'], { WATCH_NAMESPACE: value }).watch).toEqual(watch);
});

test.each([['--release=one'], [], ['--release=1.0.0', '--fault=rust'], ['--release=1.0.0', '--unknown=1']])(
  'invalid options end the program: %s %s',
  (...args) => {
    expect(() => parseOptions(args, {})).toThrow(/./);
  },
);
