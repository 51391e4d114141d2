import { describe, expect, test } from 'vitest';
import { condition, INSTALLED, READY, subscription, type SubscriptionParts } from '../../../report/testing/objects.ts';
import { verdictOf, type Verdict } from './wait.ts';

const NOT_READY = condition('Ready', 'False', 'Quarantined', 'the upgrade failed');
const STALLED = condition('Stalled', 'True', 'Quarantined', 'the upgrade failed');
const WORKING = condition('Reconciling', 'True', 'Upgrading', 'gadget.v2.0.0 is being applied');
const FAILED = condition('UpgradeFailed', 'True', 'Unsigned', 'gadget.v2.0.0 cannot be installed: no signature');
const REFUSED = [FAILED, condition('UpgradeAvailable', 'True', 'Unsigned', 'gadget.v2.0.0 cannot be installed')];
const FOLLOWS = condition('UpgradeAvailable', 'True', 'UpgradeAvailable', 'gadget.v2.0.0 follows gadget.v1.0.0');
const NEXT = { bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'Progressing' };
const quarantined = [{ bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'X', message: 'it crashes', since: 'x' }];
const requested = { annotations: { 'slipway.dev/reconcile-requested-at': 'now' } };

interface Case {
  readonly because: string;
  readonly parts?: SubscriptionParts;
  readonly wanted?: Partial<Parameters<typeof verdictOf>[1]>;
  readonly outcome: Verdict['outcome'];
}

const CASES: readonly Case[] = [
  { because: 'it is ready', parts: { status: { installed: INSTALLED, conditions: [READY] } }, outcome: 'reached' },
  {
    because: 'it was ready with an older spec',
    parts: { metadata: { generation: 2 }, status: { installed: INSTALLED, conditions: [READY] } },
    outcome: 'open',
  },
  { because: 'no manager has seen it', parts: {}, outcome: 'open' },
  { because: 'work is under way', parts: { status: { conditions: [NOT_READY, WORKING] } }, outcome: 'open' },
  { because: 'it is stalled', parts: { status: { conditions: [NOT_READY, STALLED] } }, outcome: 'failed' },
  {
    because: 'another version is installed than the awaited one',
    parts: { status: { installed: INSTALLED, conditions: [READY] } },
    wanted: { version: '2.0.0' },
    outcome: 'open',
  },
  {
    because: 'the awaited version is installed',
    parts: { status: { installed: INSTALLED, conditions: [READY] } },
    wanted: { version: '1.0.0' },
    outcome: 'reached',
  },
  {
    because: 'the awaited bundle is installed',
    parts: { status: { installed: INSTALLED, conditions: [READY] } },
    wanted: { version: 'gadget.v1.0.0' },
    outcome: 'reached',
  },
  {
    because: 'the awaited version failed, and the one before is ready again',
    parts: { status: { installed: INSTALLED, quarantined, conditions: [READY] } },
    wanted: { version: '2.0.0' },
    outcome: 'failed',
  },
  {
    because: 'the awaited version cannot be installed, and the one before works',
    parts: { status: { installed: INSTALLED, pending: NEXT, conditions: [READY, ...REFUSED] } },
    wanted: { version: '2.0.0' },
    outcome: 'failed',
  },
  {
    because: 'an earlier upgrade failed, and the awaited version is being tried',
    parts: { status: { installed: INSTALLED, pending: NEXT, conditions: [READY, FAILED, FOLLOWS] } },
    wanted: { version: '2.0.0' },
    outcome: 'open',
  },
  {
    because: 'another version failed than the awaited one',
    parts: { status: { installed: INSTALLED, quarantined, conditions: [READY] } },
    wanted: { version: '3.0.0' },
    outcome: 'open',
  },
  {
    because: 'a person has to approve it',
    parts: {
      status: {
        pending: { bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'ApprovalRequired' },
        conditions: [NOT_READY],
      },
    },
    outcome: 'open',
  },
  {
    because: 'it is suspended, however ready it was',
    parts: { spec: { suspend: true }, status: { installed: INSTALLED, conditions: [READY] } },
    outcome: 'open',
  },
  {
    because: 'the manager has not acted on a requested reconcile',
    parts: { metadata: requested, status: { installed: INSTALLED, conditions: [READY] } },
    outcome: 'open',
  },
  {
    because: 'the manager has acted on it',
    parts: {
      metadata: requested,
      status: { installed: INSTALLED, lastHandledReconcileAt: 'now', conditions: [READY] },
    },
    outcome: 'reached',
  },
  { because: 'it is being removed', parts: { metadata: { deletionTimestamp: 'x' } }, outcome: 'failed' },
  { because: 'it is gone', outcome: 'failed' },
  { because: 'it is gone, as awaited', wanted: { for: 'deleted' }, outcome: 'reached' },
  {
    because: 'it is being removed, and its end is awaited',
    parts: { metadata: { deletionTimestamp: 'x' }, status: { conditions: [STALLED] } },
    wanted: { for: 'deleted' },
    outcome: 'open',
  },
  { because: 'its end is awaited before its deletion', parts: {}, wanted: { for: 'deleted' }, outcome: 'open' },
];

describe('the outcome of a Subscription', () => {
  test.each(CASES)('is $outcome: $because', ({ parts, wanted, outcome }) => {
    const verdict = verdictOf(parts && subscription(parts), { for: 'ready', ...wanted });
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.message).not.toBe('');
  });

  test.each([
    { objects: 'Delete' as const, says: 'its operator is uninstalled' },
    { objects: 'Orphan' as const, says: 'the objects of its operator stay' },
  ])('that is gone reports the fate of the operator: $objects', ({ objects, says }) => {
    const last = subscription({
      spec: { uninstall: { objects, customResources: 'Retain', dependencies: 'Retain' } },
    });
    expect(verdictOf(undefined, { for: 'deleted' }, last).message).toContain(says);
  });
});
