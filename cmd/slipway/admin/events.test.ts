import { expect, test } from 'vitest';
import type { ReportedEvent } from '../../../report/events.ts';
import { printEvents } from './events.ts';

const REPEATED: ReportedEvent = {
  namespace: 'ops',
  time: '2026-01-01T03:00:00.000000Z',
  type: 'Normal',
  reason: 'Succeeded',
  object: 'Subscription first',
  message: 'about first',
  count: 7,
};

test('an event that was recorded several times has its count', () => {
  expect(printEvents([REPEATED], {})).toContain('about first (7 times)');
  expect(printEvents([{ ...REPEATED, count: 1 }], {})).toMatch(/about first\n$/);
});

test('without events one line says so, and how long they are kept', () => {
  expect(printEvents([], {})).toMatch(/^There are no events; .* hour/);
});
