import { expect, test } from 'vitest';
import { passGate, type NextAct, type GateQuestion } from './gate.ts';
import { parseWindows } from './windows.ts';

const now = new Date('2026-05-01T12:00:00Z');
const closed = parseWindows([{ cron: '0 2 * * *', duration: '1h', timeZone: 'UTC' }], now);
const open = parseWindows([{ cron: '0 12 * * *', duration: '1h', timeZone: 'UTC' }], now);
const unapproved: NextAct = { kind: 'wait', reason: 'ApprovalRequired' };
const later: NextAct = { kind: 'wait', reason: 'OutsideWindow', until: new Date('2026-05-02T02:00:00Z') };

const cases: readonly {
  kind: GateQuestion['kind'];
  given: Partial<GateQuestion>;
  expected: NextAct;
  because: string;
}[] = [
  {
    kind: 'upToDate',
    given: { approval: 'Manual', windows: closed },
    expected: { kind: 'nothing' },
    because: 'there is nothing to hold back',
  },
  { kind: 'none', given: {}, expected: { kind: 'nothing' }, because: 'there is nothing to install' },
  { kind: 'install', given: {}, expected: { kind: 'go' }, because: 'no approval or window is required' },
  {
    kind: 'install',
    given: { windows: closed },
    expected: { kind: 'go' },
    because: 'a first installation does not wait for a window',
  },
  {
    kind: 'install',
    given: { approval: 'Manual' },
    expected: unapproved,
    because: 'a person decides about it too',
  },
  { kind: 'upgrade', given: {}, expected: { kind: 'go' }, because: 'no approval or window is required' },
  { kind: 'upgrade', given: { windows: closed }, expected: later, because: 'no window is open' },
  { kind: 'upgrade', given: { windows: open }, expected: { kind: 'go' }, because: 'a window is open' },
  {
    kind: 'upgrade',
    given: { approval: 'Manual', windows: closed },
    expected: unapproved,
    because: 'approval may be given before the window opens',
  },
  {
    kind: 'upgrade',
    given: { approval: 'Manual', approved: true, windows: closed },
    expected: later,
    because: 'approval does not replace a window',
  },
  {
    kind: 'upgrade',
    given: { approval: 'Manual', approved: true, windows: open },
    expected: { kind: 'go' },
    because: 'it is approved and in time',
  },
];

test.each(cases)('the gate answers $kind with $given: $because', ({ kind, given, expected }) => {
  expect(passGate({ kind, approval: 'Automatic', approved: false, windows: [], now, ...given })).toEqual(expected);
});
