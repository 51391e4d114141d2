import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

const WIDE = { minSeconds: 0, maxSeconds: 1e12 };

describe('a duration', () => {
  test.each([
    { text: '90s', seconds: 90 },
    { text: '5m', seconds: 300 },
    { text: '1h30m', seconds: 5400 },
    { text: '500ms', seconds: 0.5 },
    { text: '1.5h', seconds: 5400 },
    { text: '0s', seconds: 0 },
    { text: '1m1m', seconds: 120 },
  ])('$text is $seconds s', ({ text, seconds }) => {
    expect(parseDuration(text, WIDE)).toBe(seconds);
  });

  test.each([
    { text: '', because: 'an empty text is no duration' },
    { text: '5', because: 'a number needs a unit' },
    { text: '0', because: 'zero needs a unit too' },
    { text: '-5m', because: 'a duration is not negative' },
    { text: '+5m', because: 'a plus sign is not allowed' },
    { text: '1e9h', because: 'exponents are not allowed' },
    { text: '5d', because: 'a day is no unit' },
    { text: '5 m', because: 'spaces are not allowed' },
    { text: '٥m', because: 'digits are ASCII' },
    { text: '999999999999999999s', because: 'it is longer than any bound' },
    { text: '1h1m1s1ms1h', because: 'there are at most four parts' },
    { text: `${'9'.repeat(1 << 20)}s`, because: 'even a huge text is refused quickly' },
  ])('$because', ({ text }) => {
    expect(() => parseDuration(text, WIDE)).toThrow(expect.objectContaining({ reason: 'InvalidSpec', retry: 'never' }));
  });

  test('a duration may equal its bounds, and not exceed them', () => {
    const bounds = { minSeconds: 10, maxSeconds: 60 };
    expect([parseDuration('10s', bounds), parseDuration('1m', bounds)]).toEqual([10, 60]);
    for (const text of ['9999ms', '60.001s', '1000h']) {
      expect(() => parseDuration(text, bounds)).toThrow(expect.objectContaining({ reason: 'InvalidSpec' }));
    }
  });

  test('any text is a duration within the bounds, or refused', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^([0-9]{0,7}(\.[0-9]{0,4})?(ms|s|m|h)){0,5}$/));
    fc.assert(
      fc.property(text, (value) => {
        try {
          const seconds = parseDuration(value, { minSeconds: 1, maxSeconds: 100 });
          return seconds >= 1 && seconds <= 100;
        } catch (error) {
          return (error as { reason?: string }).reason === 'InvalidSpec';
        }
      }),
    );
  });
});
