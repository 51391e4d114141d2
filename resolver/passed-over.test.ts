import { expect, test } from 'vitest';
import type { Cause, Decision } from './decision.ts';
import { passedOver } from './passed-over.ts';

const OTHER: Cause = { kind: 'otherChannel', channels: ['fast'] };
const refused = ['3.0.0', '2.5.0', '2.0.0', '1.5.0', '1.0.0', 'odd'].map((version) => ({
  bundle: `op.v${version}`,
  version,
  catalog: 'c',
  cause: version === '2.5.0' ? ({ kind: 'lower', than: 'op.v3.0.0' } as const) : OTHER,
}));
const chosen = { kind: 'upgrade', bundle: { name: 'op.v2.0.0', version: '2.0.0' }, refused } as unknown as Decision;
const none = { kind: 'none', refused } as unknown as Decision;

test.each([
  {
    because: 'a version lower than the installed one is history',
    decision: chosen,
    installed: { bundle: 'op.v1.5.0', version: '1.5.0' },
    versions: ['3.0.0', '2.0.0', 'odd'],
  },
  {
    because: 'a first installation begins at the chosen bundle',
    decision: chosen,
    versions: ['3.0.0', '2.0.0', 'odd'],
  },
  {
    because: 'nothing is chosen or installed, so each version is reported',
    decision: none,
    versions: ['3.0.0', '2.0.0', '1.5.0', '1.0.0', 'odd'],
  },
  {
    because: 'nothing is chosen, and a version lower than the installed one is history',
    decision: none,
    installed: { bundle: 'op.v2.0.0', version: '2.0.0' },
    versions: ['3.0.0', 'odd'],
  },
])('lower versions are not reported as passed over: $because', ({ decision, installed, versions }) => {
  expect(passedOver(decision, installed).map(({ version }) => version)).toEqual(versions);
});
