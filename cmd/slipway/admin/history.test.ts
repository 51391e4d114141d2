import { expect, test } from 'vitest';
import { entriesOf } from '../../../report/history.ts';
import { INSTALLED, NOW, READY, revision, subscription, type RevisionParts } from '../../../report/testing/objects.ts';
import { printEntries } from './history.ts';

const SUBSCRIPTION = subscription({
  status: { installed: { ...INSTALLED, revision: 'gadget-3' }, conditions: [READY] },
});
const archived = (parts: RevisionParts = {}): RevisionParts => ({
  ...parts,
  spec: { state: 'Archived', ...parts.spec },
});

test('the table has durations, and the Revision in use counts until now', () => {
  const first = revision(1, '1.0.0', archived({ status: { firstReadyTime: '2026-01-01T00:01:00Z', lastActiveTime: '2026-01-01T02:01:00Z' } })); // prettier-ignore
  const second = revision(3, '3.0.0', {
    spec: { previous: 'gadget-1' },
    status: { firstReadyTime: '2026-01-01T12:00:00Z' },
  });
  expect(
    printEntries(entriesOf(SUBSCRIPTION, [first, second]), NOW)
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, '  ')),
  ).toEqual([
    // prettier-ignore
    'REVISION  VERSION  STATE  CREATED  APPROVED BY  ROLL-OUT  IN USE  OUTCOME',
    'gadget-1  1.0.0  Archived  24h ago  automatic  60s  120m  was replaced by gadget.v3.0.0',
    'gadget-3  3.0.0  Active  24h ago  automatic  12h  12h  is installed',
    '',
  ]);
});
