import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { INITIAL_STATE, step, type ReflectorEvent, type ReflectorState } from './reflector-state.ts';

const event: fc.Arbitrary<ReflectorEvent> = fc.oneof(
  fc.record({ kind: fc.constant('listed' as const), resourceVersion: fc.constantFrom('1', '2', '3') }),
  fc.record({ kind: fc.constant('advanced' as const), resourceVersion: fc.constantFrom('4', '5', '') }),
  fc.record({
    kind: fc.constant('ended' as const),
    short: fc.boolean(),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('failed' as const),
    expired: fc.boolean(),
    forbidden: fc.constant(false),
    retryAfterSeconds: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  }),
  fc.constantFrom({ kind: 'waited' as const }, { kind: 'woken' as const }),
);

const run = (events: readonly ReflectorEvent[], from: ReflectorState = INITIAL_STATE): ReflectorState =>
  events.reduce(step, from);

const failed = (expired: boolean, forbidden = false): ReflectorEvent => ({
  kind: 'failed',
  expired,
  forbidden,
  retryAfterSeconds: undefined,
  random: 0,
});
const listed: ReflectorEvent = { kind: 'listed', resourceVersion: '7' };

test('an abort is final, whatever happened before and comes after', () => {
  fc.assert(
    fc.property(fc.array(event), fc.array(event), (before, after) => {
      expect(run([...before, { kind: 'aborted' }, ...after])).toEqual({ at: 'stopped' });
    }),
  );
});

test('a wait is never longer than the server requested or half a minute, and never zero', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const state = run(events);
      if (state.at === 'wait') {
        expect(state.seconds).toBeGreaterThanOrEqual(0.4);
        expect(state.seconds).toBeLessThanOrEqual(60);
      }
    }),
  );
});

test('the server is never called again without a wait, except for one list after a first expiry', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 20 }), (expiries) => {
      let state = run([listed]);
      let unpaused = 0;
      for (const expired of expiries) {
        state = step(state, failed(expired));
        if (state.at === 'wait') state = step(state, { kind: 'waited' });
        else unpaused += 1;
        if (state.at === 'list') state = step(state, listed);
      }
      expect(unpaused).toBeLessThanOrEqual(1);
    }),
  );
});

test('a watch resumes at the last version that it saw, bookmarks included', () => {
  const after = run([listed, { kind: 'advanced', resourceVersion: '9' }, { kind: 'ended', short: false, random: 0 }]);
  expect(after).toMatchObject({ at: 'watch', resourceVersion: '9' });
  expect(run([failed(false), { kind: 'waited' }], after)).toMatchObject({ at: 'watch', resourceVersion: '9' });
});

test.each([
  { from: 'a list', before: [], because: 'a missing right is granted by a person, if ever' },
  { from: 'a watch', before: [listed], because: 'the list may be allowed, and the watch not' },
])('after a refusal of $from for missing rights, the next try comes after minutes: $because', ({ before }) => {
  let state = run(before);
  const waits: number[] = [];
  for (let i = 0; i < 12; i++) {
    state = step(state, failed(false, true));
    if (state.at === 'wait') waits.push(state.seconds);
    state = step(state, { kind: 'waited' });
  }
  expect(waits).toHaveLength(12);
  expect(waits[0]).toBeLessThan(1);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(120);
  expect(Math.max(...waits)).toBeLessThanOrEqual(300);
});

test('after an announcement a long wait ends at once, and the following waits are short', () => {
  let state = INITIAL_STATE;
  for (let i = 0; i < 10; i++) state = step(step(state, failed(false)), { kind: 'waited' });
  const long = step(state, failed(false));
  state = step(step(long, { kind: 'woken' }), failed(false));
  expect([long, state]).toMatchObject([{ at: 'wait' }, { at: 'wait' }]);
  const [before, after] = [long, state].map((each) => (each.at === 'wait' ? each.seconds : 0));
  expect(before).toBeGreaterThan(10 * (after ?? 0));
});

test('a version that has expired on the server is never watched again', () => {
  expect(run([listed, failed(true)])).toMatchObject({ at: 'list' });
  expect(run([listed, failed(false), { kind: 'waited' }, failed(true), { kind: 'waited' }])).toMatchObject({
    at: 'list',
  });
});

test('if every version expires at once, lists become less and less frequent', () => {
  let state = run([listed]);
  const waits: number[] = [];
  for (let i = 0; i < 5; i++) {
    state = step(state, failed(true));
    if (state.at === 'wait') {
      waits.push(state.seconds);
      state = step(state, { kind: 'waited' });
    }
    state = step(state, listed);
  }
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
  expect(waits.length).toBe(4);
});

test('a watch that ends at once without events counts as a failure; one that lasted does not', () => {
  expect(run([listed, { kind: 'ended', short: true, random: 0 }]).at).toBe('wait');
  expect(run([listed, { kind: 'ended', short: false, random: 0 }]).at).toBe('watch');
});
