import { describe, expect, test } from 'vitest';
import { describeAge, describeDuration } from './age.ts';

const [MINUTE, HOUR, DAY] = [60, 3600, 24 * 3600];

describe('a duration is printed as kubectl prints it', () => {
  test.each([
    { because: 'nothing has passed', seconds: 0, text: '0s' },
    { because: 'a clock ahead of this one gives a time in the future', seconds: -5, text: '0s' },
    { because: 'parts of a second do not count', seconds: 59.9, text: '59s' },
    { because: 'up to two minutes are seconds', seconds: 119, text: '119s' },
    { because: 'a few minutes have seconds', seconds: 2 * MINUTE + 5, text: '2m5s' },
    { because: 'a second unit of zero is left out', seconds: 5 * MINUTE, text: '5m' },
    { because: 'many minutes have no seconds', seconds: 10 * MINUTE + 59, text: '10m' },
    { because: 'up to three hours are minutes', seconds: 3 * HOUR - 1, text: '179m' },
    { because: 'a few hours have minutes', seconds: 3 * HOUR + 7 * MINUTE, text: '3h7m' },
    { because: 'many hours have no minutes', seconds: 8 * HOUR + 7 * MINUTE, text: '8h' },
    { because: 'up to two days are hours', seconds: 2 * DAY - 1, text: '47h' },
    { because: 'a few days have hours', seconds: 2 * DAY + 3 * HOUR, text: '2d3h' },
    { because: 'many days have no hours', seconds: 8 * DAY + 3 * HOUR, text: '8d' },
    { because: 'up to two years are days', seconds: 729 * DAY, text: '729d' },
    { because: 'a few years have days', seconds: 731 * DAY, text: '2y1d' },
    { because: 'many years have no days', seconds: 9 * 365 * DAY + DAY, text: '9y' },
  ])('$text: $because', ({ seconds, text }) => {
    expect(describeDuration(seconds)).toBe(text);
  });
});

test.each([
  { because: 'there is no time', moment: undefined, text: '' },
  { because: 'the time cannot be read', moment: 'yesterday', text: '' },
  { because: 'the time is an hour ago', moment: '2026-01-01T23:00:00Z', text: '60m' },
])('an age is empty or a duration: $because', ({ moment, text }) => {
  expect(describeAge(moment, new Date('2026-01-02T00:00:00Z'))).toBe(text);
});
