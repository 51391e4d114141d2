/** Texts of two runs that come to the same are the same, and texts of different ends are not. */
import { describe, expect, test } from 'vitest';
import { normalizeText } from './state.ts';

const CASES = [
  {
    because: 'each run has its own times',
    one: 'since 2026-11-22T10:00:00Z',
    other: 'since 2026-11-23T11:12:13.014Z',
    same: true,
  },
  {
    because: 'Pods have random names',
    one: 'Pod ops/lamp-7d9c5bd5f5-abcde is not ready',
    other: 'Pod ops/lamp-7d9c5bd5f5-fghij is not ready',
    same: true,
  },
  {
    because: 'a deadline meets a rollout at one of its obstacles',
    one: 'Not healthy within 3 s: Deployment lamp: 1 replicas of the old revision are still there',
    other: 'Not healthy within 3 s: Deployment lamp: container "lamp" is not ready',
    same: true,
  },
  {
    because: 'another deadline is another end',
    one: 'Not healthy within 3 s: Deployment lamp: x',
    other: 'Not healthy within 30 s: Deployment lamp: x',
    same: false,
  },
  {
    because: 'a failure before the deadline is another end',
    one: 'Not healthy within 3 s: Deployment lamp: x',
    other: 'Deployment lamp: x',
    same: false,
  },
  {
    because: 'the Pod of another Deployment is another one',
    one: 'Pod ops/lamp-7d9c5bd5f5-abcde is not ready',
    other: 'Pod ops/torch-7d9c5bd5f5-abcde is not ready',
    same: false,
  },
];

describe('the text of a state', () => {
  test.each(CASES)('same: $same, since $because', ({ one, other, same }) => {
    expect(normalizeText(one) === normalizeText(other)).toBe(same);
  });
});
