import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { ReasonedError } from '../../api/errors.ts';
import { splitTimesOfDay } from './times-of-day.ts';
import { eligibility, parseWindows, type MaintenanceWindow, type WindowSpec } from './windows.ts';

const REFERENCE = new Date('2026-01-01T00:00:00Z');

function read(...windows: readonly Partial<WindowSpec>[]): readonly MaintenanceWindow[] {
  return parseWindows(
    windows.map((window) => ({ cron: '0 2 * * *', duration: '1h', timeZone: 'UTC', ...window })),
    REFERENCE,
  );
}

/** The first time from now on at which an upgrade may start: now, if a window is open. */
function nextEligibleTime(windows: readonly MaintenanceWindow[], now: Date): Date {
  const state = eligibility(windows, now);
  return state.open ? now : state.next;
}

const berlin = { cron: '30 2 * * *', duration: '1h', timeZone: 'Europe/Berlin' };

test.each([
  { at: '2026-03-28T01:29:59Z', open: false, next: '2026-03-28T01:30:00Z', because: 'it opens at 2:30 of winter time' },
  { at: '2026-03-28T01:30:00Z', open: true, next: '2026-03-28T01:30:00Z', because: 'the first second is inside' },
  { at: '2026-03-28T02:29:59Z', open: true, next: '2026-03-28T02:29:59Z', because: 'the last second is inside' },
  {
    at: '2026-03-28T02:30:00Z',
    open: false,
    next: '2026-03-29T01:00:00Z',
    because: 'the next day has no 2:30: it opens when the clocks have gone forward',
  },
  { at: '2026-03-29T01:59:59Z', open: true, next: '2026-03-29T01:59:59Z', because: 'it stays open for an hour' },
  {
    at: '2026-03-29T02:00:00Z',
    open: false,
    next: '2026-03-30T00:30:00Z',
    because: 'from then on 2:30 is in summer time',
  },
  {
    at: '2026-10-25T00:30:00Z',
    open: true,
    next: '2026-10-25T00:30:00Z',
    because: '2:30 comes twice, and the first one counts',
  },
  { at: '2026-10-25T01:30:00Z', open: false, next: '2026-10-26T01:30:00Z', because: 'the second 2:30 does not count' },
])('a window that opens at 2:30 in Europe/Berlin at $at: $because', ({ at, open, next }) => {
  const windows = read(berlin);
  expect(eligibility(windows, new Date(at)).open).toBe(open);
  expect(nextEligibleTime(windows, new Date(at))).toEqual(new Date(next));
});

test.each([
  { cron: '0,30 2 * * *', at: '2026-03-29T00:59:59Z', next: '2026-03-29T01:00:00Z', because: 'neither time exists' },
  { cron: '*/15 2 * * *', at: '2026-03-29T00:59:59Z', next: '2026-03-29T01:00:00Z', because: 'no quarter exists' },
  { cron: '0 1-2 * * *', at: '2026-03-29T00:40:00Z', next: '2026-03-29T01:00:00Z', because: 'the second hour is gone' },
  { cron: '0,30 2 * * *', at: '2026-10-25T00:50:00Z', next: '2026-10-26T01:00:00Z', because: 'both have come once' },
  { cron: '15 * * * *', at: '2026-10-25T00:30:00Z', next: '2026-10-25T01:15:00Z', because: 'each hour is an hour' },
])('the next opening of $cron in Europe/Berlin after $at: $because', ({ cron, at, next }) => {
  const windows = read({ ...berlin, cron, duration: '10m' });
  expect(nextEligibleTime(windows, new Date(at))).toEqual(new Date(next));
});

test.each([
  { cron: '0 2 * * SAT', times: ['0 2 * * SAT'] },
  { cron: '0,30 2 1 * *', times: ['0 2 1 * *', '30 2 1 * *'] },
  { cron: '*/20 1-2 * * *', times: ['0 1 * * *', '20 1 * * *', '40 1 * * *', '0 2 * * *', '20 2 * * *', '40 2 * * *'] },
  { cron: '5/25 3 * * *', times: ['5 3 * * *', '30 3 * * *', '55 3 * * *'] },
  { cron: '* 1-5 * * *', times: ['* 1-5 * * *'] },
  { cron: '0 */2 * * *', times: ['0 */2 * * *'] },
])('the times of day of $cron', ({ cron, times }) => {
  expect(splitTimesOfDay(cron)).toEqual(times);
});

test('a window that spans a clock change is open for its duration, not until a time of day', () => {
  const windows = read({ ...berlin, cron: '0 0 * * SUN', duration: '4h' });
  expect(eligibility(windows, new Date('2026-03-28T23:00:00Z'))).toEqual({
    open: true,
    until: new Date('2026-03-29T03:00:00Z'),
  });
  expect(eligibility(windows, new Date('2026-10-24T22:00:00Z'))).toEqual({
    open: true,
    until: new Date('2026-10-25T02:00:00Z'),
  });
});

test('without windows an upgrade may start at any time', () => {
  expect(eligibility([], REFERENCE)).toEqual({ open: true, until: undefined });
});

test('an upgrade may start in any of several windows, and waits for the next one to open', () => {
  const windows = read({ cron: '0 2 * * *' }, { cron: '0 14 * * *', duration: '30m' });
  expect(eligibility(windows, new Date('2026-05-01T14:10:00Z')).open).toBe(true);
  expect(nextEligibleTime(windows, new Date('2026-05-01T03:00:00Z'))).toEqual(new Date('2026-05-01T14:00:00Z'));
});

test.each([
  { window: { cron: '0 0 30 2 *' }, because: 'there is no 30 February' },
  { window: { cron: '* * * * * *' }, because: 'six fields would mean seconds' },
  { window: { cron: '61 * * * *' }, because: 'there is no minute 61' },
  { window: { cron: '*/0 * * * *' }, because: 'steps of nothing go nowhere' },
  { window: { cron: '' }, because: 'it is empty' },
  { window: { cron: '2026-01-01T00:00:00' }, because: 'one date is no schedule' },
  { window: { timeZone: 'Mars/Olympus' }, because: 'there is no such time zone' },
  { window: { timeZone: '' }, because: 'there is no such time zone' },
  { window: { duration: '0s' }, because: 'it would never be open' },
  { window: { duration: '1e9h' }, because: 'it is no duration' },
  { window: { duration: '200h' }, because: 'it is longer than a week' },
])('the window $window is refused: $because', ({ window }) => {
  expect(reasonOf(() => read(window))).toBe('InvalidSpec');
});

test('a window is open exactly in the minutes found by a check of every minute of the day', () => {
  const minute = fc.integer({ min: 0, max: 59 });
  const hour = fc.integer({ min: 0, max: 23 });
  const time = fc.integer({ min: Date.UTC(2026, 0, 10), max: Date.UTC(2030, 0, 1) }).map((at) => new Date(at));
  fc.assert(
    fc.property(minute, hour, fc.integer({ min: 1, max: 30 }), time, (minutes, hours, length, now) => {
      const windows = read({ cron: `${minutes} ${hours} * * *`, duration: `${length}h`, timeZone: 'UTC' });
      let open = false;
      for (let back = 0; back < length * 60; back++) {
        const opened = new Date(Math.floor(now.getTime() / 60_000) * 60_000 - back * 60_000);
        open ||=
          opened.getUTCMinutes() === minutes &&
          opened.getUTCHours() === hours &&
          now.getTime() < opened.getTime() + length * 3_600_000;
      }
      if (length >= 24) open = true;
      const state = eligibility(windows, now);
      expect(state.open).toBe(open);
      const next = nextEligibleTime(windows, now);
      expect(next.getTime()).toBeGreaterThanOrEqual(now.getTime());
      expect(eligibility(windows, next).open).toBe(true);
    }),
    { numRuns: runsOf(300) },
  );
});

function reasonOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return error instanceof ReasonedError ? error.reason : String(error);
  }
  return undefined;
}
