/** How often an adoption asks about a step that another program has to take. */
import { expect, test } from 'vitest';
import { Patience } from './patience.ts';

const at = (seconds: number): Date => new Date(seconds * 1000);

test.each([
  { because: 'OLM and the collector take moments', elapsed: 0, seconds: 2 },
  { because: 'OLM and the collector take moments', elapsed: 59, seconds: 2 },
  { because: 'one of them is slow', elapsed: 60, seconds: 6 },
  { because: 'one of them is slow', elapsed: 200, seconds: 20 },
  { because: 'one of them stands still', elapsed: 3600, seconds: 30 },
])('after $elapsed s of waiting it asks again in $seconds s, because $because', ({ elapsed, seconds }) => {
  const patience = new Patience();
  patience.secondsUntilNext('one', 'AwaitOlm', at(1000));
  expect(patience.secondsUntilNext('one', 'AwaitOlm', at(1000 + elapsed))).toBe(seconds);
});

test('each step, and each Subscription, begins a wait of its own, and so does one that has gone on in between', () => {
  const patience = new Patience();
  patience.secondsUntilNext('one', 'AwaitOlm', at(0));
  expect(patience.secondsUntilNext('two', 'AwaitOlm', at(600))).toBe(2);
  expect(patience.secondsUntilNext('one', 'AwaitOlm', at(600))).toBe(30);
  expect(patience.secondsUntilNext('one', 'AwaitPause', at(600))).toBe(2);
  patience.secondsUntilNext('one', 'AwaitPause', at(900));
  patience.forget('one', 'AwaitPause');
  expect(patience.secondsUntilNext('one', 'AwaitPause', at(1200))).toBe(30);
  patience.forget('one', 'Hold');
  expect(patience.secondsUntilNext('one', 'AwaitPause', at(1200))).toBe(2);
});

test('Subscriptions that were deleted while they waited take no memory for ever', () => {
  const patience = new Patience();
  patience.secondsUntilNext('first', 'AwaitOlm', at(0));
  for (let count = 0; count < 2000; count++) patience.secondsUntilNext(`${count}`, 'AwaitOlm', at(1));
  expect(patience.secondsUntilNext('first', 'AwaitOlm', at(600))).toBe(2);
});
