/** The same question is computed once, and no other question gets its answer. */
import { expect, test } from 'vitest';
import { Remembered } from './remembered.ts';

const [one, other] = [{ name: 'same' }, { name: 'same' }];

test.each([
  { because: 'the same content and equal facts', contents: [one], facts: { a: 1 }, made: 1 },
  { because: 'other content, however equal', contents: [other], facts: { a: 1 }, made: 2 },
  { because: 'other facts', contents: [one], facts: { a: 2 }, made: 2 },
  { because: 'content that is missing', contents: [undefined], facts: { a: 1 }, made: 2 },
  { because: 'more content', contents: [one, other], facts: { a: 1 }, made: 2 },
])('$because: made $made times', ({ contents, facts, made }) => {
  const remembered = new Remembered<string | undefined>();
  let count = 0;
  const make = (): undefined => void (count += 1);
  remembered.get([one], { a: 1 }, make);
  remembered.get(contents, facts, make);
  expect(count).toBe(made);
});

test('answers beyond a number are forgotten, those that are used last', () => {
  const remembered = new Remembered<number>();
  let count = 0;
  const ask = (fact: number): number => remembered.get([], fact, () => (count += 1));
  for (let fact = 0; fact < 1000; fact++) {
    ask(fact);
    ask(0);
  }
  expect(count).toBe(1000);
  ask(1);
  expect(count).toBe(1001);
});
