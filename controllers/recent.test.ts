import { expect, it } from 'vitest';
import { createRecent } from './recent.ts';

it('beyond the limit the oldest entries are dropped, and an entry that is set again is new', () => {
  const recent = createRecent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([3, undefined, 4]);
  recent.delete('a');
  expect(recent.get('a')).toBeUndefined();
});

it('keys that are names of JavaScript properties are ordinary keys', () => {
  const recent = createRecent<number>();
  expect(recent.get('__proto__')).toBeUndefined();
  recent.set('__proto__', 1);
  expect([recent.get('__proto__'), recent.get('constructor')]).toEqual([1, undefined]);
});
