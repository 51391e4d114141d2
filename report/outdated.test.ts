import { describe, expect, test } from 'vitest';
import type { SubscriptionStatus } from '../api/subscription-status.ts';
import { outdatedOf } from './outdated.ts';
import { condition, INSTALLED, READY, subscription } from './testing/objects.ts';

const AVAILABLE = { bundle: 'gadget.v2.0.0', version: '2.0.0' };
const UPGRADE = condition('UpgradeAvailable', 'True', 'OutsideWindow', 'gadget.v2.0.0 waits for its window');
const FAILED = condition('UpgradeFailed', 'True', 'WebhookSilent', 'The upgrade to gadget.v2.0.0 failed');
const REFUSED = { version: '3.0.0', reason: 'VersionNotFound', message: 'it is outside of the range' };

const CASES: readonly { readonly because: string; readonly status: SubscriptionStatus; readonly found?: object }[] = [
  { because: 'nothing is installed, so nothing is old', status: { available: AVAILABLE, conditions: [UPGRADE] } },
  { because: 'the newest version is installed', status: { installed: INSTALLED, available: { bundle: 'gadget.v1.0.0', version: '1.0.0' }, conditions: [READY] } }, // prettier-ignore
  {
    because: 'one follows, and the status has no condition about it yet',
    status: { installed: INSTALLED, available: AVAILABLE, conditions: [READY] },
    found: { available: '2.0.0', reason: 'Succeeded', message: READY.message },
  },
  {
    because: 'an upgrade waits',
    status: { installed: INSTALLED, available: AVAILABLE, conditions: [READY, UPGRADE] },
    found: { installed: '1.0.0', available: '2.0.0', reason: 'OutsideWindow', message: UPGRADE.message },
  },
  {
    because: 'an upgrade failed, which precedes that one is available',
    status: { installed: INSTALLED, available: AVAILABLE, conditions: [READY, FAILED, UPGRADE] },
    found: { available: '2.0.0', reason: 'WebhookSilent' },
  },
  {
    because: 'its image cannot be pulled',
    status: { installed: INSTALLED, available: AVAILABLE, conditions: [READY, condition('UpgradeAvailable', 'True', 'RegistryDenied', 'gadget.v2.0.0 cannot be installed: no')] }, // prettier-ignore
    found: { available: '2.0.0', reason: 'RegistryDenied', message: 'gadget.v2.0.0 cannot be installed: no' },
  },
  {
    because: 'the spec excludes a higher version',
    status: { installed: INSTALLED, available: { bundle: 'gadget.v1.0.0', version: '1.0.0' }, refused: [REFUSED], conditions: [READY] }, // prettier-ignore
    found: { installed: '1.0.0', latest: '3.0.0', reason: 'VersionNotFound', message: REFUSED.message },
  },
  {
    because: 'one follows, and a higher one is excluded',
    status: { installed: INSTALLED, available: AVAILABLE, refused: [REFUSED], conditions: [READY, UPGRADE] },
    found: { available: '2.0.0', latest: '3.0.0', reason: 'OutsideWindow' },
  },
];

describe('an operator is outdated if a newer version exists', () => {
  test.each(CASES)('$because', ({ status, found }) => {
    const outdated = outdatedOf(subscription({ status }));
    if (found === undefined) expect(outdated).toBeUndefined();
    else expect(outdated).toMatchObject(found);
    if (found !== undefined && !('available' in found)) expect(outdated).not.toHaveProperty('available');
  });
});
