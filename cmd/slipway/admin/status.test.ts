import { describe, expect, test } from 'vitest';
import type { SubscriptionStatus } from '../../../api/subscription-status.ts';
import { situationOf } from '../../../report/situation.ts';
import {
  condition,
  INSTALLED,
  NOW,
  READY,
  subscription,
  type SubscriptionParts,
} from '../../../report/testing/objects.ts';
import { printSituation } from './status.ts';

const REASON = 'gadget.v2.0.0 waits for approval';
const PENDING = { revision: 'gadget-2', bundle: 'gadget.v2.0.0', version: '2.0.0' };
const AWAITING: SubscriptionStatus = {
  installed: INSTALLED,
  available: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
  pending: { ...PENDING, reason: 'ApprovalRequired' },
  conditions: [READY, condition('UpgradeAvailable', 'True', 'ApprovalRequired', REASON)],
};
describe('the screen of a Subscription', () => {
  const screen = (parts: SubscriptionParts, columns?: number): string =>
    printSituation(situationOf(subscription(parts), []), NOW, columns);

  test('has the answers in a fixed order', () => {
    expect(screen({ status: { ...AWAITING, path: ['1.1.0', '2.0.0'], refused: [{ version: '3.0.0', reason: 'ChannelNotFound', message: 'it is only in channel fast' }] } })).toBe(`Subscription ops/gadget: Waiting
  gadget.v1.0.0 is installed and healthy

Package:     gadget
Installed:   1.0.0 (channel stable, catalog team, Revision gadget-1)
Available:   2.0.0
Path:        1.1.0 → 2.0.0
In progress: gadget.v2.0.0: ApprovalRequired
Not chosen:  3.0.0: it is only in channel fast

Next steps:
  slipway plan ops/gadget  # shows the effect of the upgrade
  slipway approve ops/gadget  # installs gadget.v2.0.0
`); // prettier-ignore
  });

  test('says when the next window opens', () => {
    const pending = { ...PENDING, reason: 'OutsideWindow' };
    const text = screen({ status: { ...AWAITING, pending, nextEligibleTime: '2026-01-02T05:00:00Z' } });
    expect(text).toContain('Next window: 2026-01-02T05:00:00Z (in 5h)\n');
  });

  test.each([40, 80, 160])('fits into %d columns, whatever the messages are', (columns) => {
    const message = 'The upgrade failed: '.repeat(20);
    const conditions = [READY, condition('UpgradeFailed', 'True', 'WorkloadUnhealthy', message)];
    const lines = screen({ status: { ...AWAITING, conditions } }, columns).split('\n');
    const prose = lines.filter((line) => !line.includes('slipway '));
    expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  test('has no character of the cluster on which a terminal acts', () => {
    const evil = '\u001b[2J\u202e\u0007gone';
    const conditions = [condition('Ready', 'False', 'Progressing', evil), condition('Contested', 'True', 'Contested', `x${evil}`)]; // prettier-ignore
    const pending = { ...PENDING, bundle: evil, reason: 'ApprovalRequired' };
    const text = screen({ metadata: { name: evil }, status: { conditions, pending, refused: [{ version: evil, reason: 'X', message: evil }] } }); // prettier-ignore
    expect(text).toContain('gone');
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });
});
