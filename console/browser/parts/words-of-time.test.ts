import { describe, expect, test } from 'vitest';
import { localTime, relativeTime, spanOf, utcTime } from './words-of-time.ts';

const now = new Date('2026-11-23T12:00:00Z');

describe('the distance of a point in time from now', () => {
  test.each([
    { time: '2026-11-23T11:59:30Z', words: 'just now', because: 'seconds would change while they are read' },
    { time: '2026-11-23T12:00:20Z', words: 'just now', because: 'the clock of the cluster may be ahead' },
    { time: '2026-11-23T11:58:00Z', words: '2 minutes ago', because: 'minutes matter in the first hour' },
    { time: '2026-11-23T11:00:01Z', words: '59 minutes ago', because: 'a unit counts once it is full' },
    { time: '2026-11-23T09:00:00Z', words: '3 hours ago', because: 'hours matter on the first day' },
    { time: '2026-11-22T11:00:00Z', words: 'yesterday', because: 'one day has a word' },
    { time: '2026-09-01T12:00:00Z', words: '2 months ago', because: 'months follow days' },
    { time: '2026-11-23T17:00:00Z', words: 'in 5 hours', because: 'maintenance windows lie ahead' },
  ])('$time is $words: $because', ({ time, words }) => {
    expect(relativeTime(new Date(time), now)).toBe(words);
  });
});

describe('the length of a span', () => {
  test.each([
    { milliseconds: 300, words: 'under a second', because: '0 s would look like a mistake' },
    { milliseconds: 12_400, words: '12 s', because: 'fractions do not matter' },
    { milliseconds: 60_000, words: '1 min', because: 'a unit of nothing is left out' },
    { milliseconds: 3_850_000, words: '1 h 4 min', because: 'two units are precise enough' },
    { milliseconds: 86_460_000, words: '1 d', because: 'hours of nothing are left out, and minutes no longer matter' },
  ])('$milliseconds ms are $words: $because', ({ milliseconds, words }) => {
    expect(spanOf(milliseconds)).toBe(words);
  });
});

test('a point in time is written in UTC as logs have it', () => {
  expect(utcTime(new Date('2026-11-23T07:45:12.345Z'))).toBe('2026-11-23 07:45:12 UTC');
});

test.each([
  { zone: 'Europe/Berlin', words: '23 Nov 2026, 13:00:00' },
  { zone: 'Asia/Kolkata', words: '23 Nov 2026, 17:30:00' },
])('a point in time is written in the zone of the person: $zone', ({ zone, words }) => {
  expect(localTime(now, zone)).toBe(words);
});
