import { expect, test } from 'vitest';
import type { EventFacts } from '../../controllers/events.ts';
import { silentLog, type Log } from '../../kube/log.ts';
import { logEvents } from './log-events.ts';

test.each([
  { type: 'Normal', reason: 'Upgrading', level: 'info' },
  { type: 'Warning', reason: 'Upgrading', level: 'warn' },
  { type: 'Warning', reason: 'CustomResourcesLost', level: 'error' },
] as const)('an event $type $reason is recorded, and a line of level $level', ({ type, reason, level }) => {
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, [level]: (fields: object, message: string) => lines.push([fields, message]) };
  const recorded: EventFacts[] = [];
  const event: EventFacts = { type, reason, action: 'Upgrade', note: 'b.v2 is to follow b.v1' };
  const regarding = {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'b', namespace: 'a' },
  };
  logEvents(log, (_, one) => void recorded.push(one))(regarding, event);
  expect(recorded).toEqual([event]);
  const fields = { kind: 'Subscription', namespace: 'a', name: 'b', reason, action: 'Upgrade' };
  expect(lines).toEqual([[fields, 'b.v2 is to follow b.v1']]);
});
