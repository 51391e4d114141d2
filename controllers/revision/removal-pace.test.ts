import { describe, expect, test } from 'vitest';
import { removalPause, removalStepSeconds } from './removal-pace.ts';

const now = new Date('2026-01-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

describe('the pace of a removal', () => {
  test.each([
    { seconds: -3600, step: 10, because: 'the clock was set back' },
    { seconds: 0, step: 10, because: 'it has just begun' },
    { seconds: 119, step: 10, because: 'the operator may need some time' },
    { seconds: 120, step: 2, because: 'it is stuck, and others need the worker' },
    { seconds: 86_400, step: 2, because: 'it is stuck for a day' },
  ])('after $seconds s a step holds its worker for $step s, because $because', ({ seconds, step }) => {
    expect(removalStepSeconds(ago(seconds), now)).toBe(step);
  });

  test.each([
    { seconds: -3600, going: 1, refused: 1 },
    { seconds: 0, going: 1, refused: 1 },
    { seconds: 40, going: 10, refused: 10 },
    { seconds: 200, going: 30, refused: 50 },
    { seconds: 3600, going: 30, refused: 120 },
  ])('after $seconds s it pauses for $going s, or $refused s if a person has to act', ({ seconds, going, refused }) => {
    expect(removalPause('Going', ago(seconds), now)).toBe(going);
    expect(removalPause('Refused', ago(seconds), now)).toBe(refused);
  });
});
