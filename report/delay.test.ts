import { expect, test } from 'vitest';
import { describeDelay, type RequestedObject } from './delay.ts';
import { INSTALLED, NOW, subscription } from './testing/objects.ts';

const CLOSED = [{ cron: '0 2 * * *', duration: '1h', timeZone: 'UTC' }];
const OPEN = [{ cron: '0 0 * * *', duration: '1h', timeZone: 'UTC' }];
const UNREADABLE = [{ cron: '0 2 30 2 *', duration: '1h', timeZone: 'UTC' }];
const status = { installed: INSTALLED };
const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const catalog = (spec: RequestedObject['spec'] = {}): RequestedObject => ({
  kind: 'Catalog',
  metadata: { name: 'team' },
  spec,
});
const until = '. No window is open, so the version changes at 2026-01-02T02:00:00Z at the earliest';
const resumed = '. Subscription ops/gadget is suspended, so nothing of this is done until it is resumed by `slipway resume ops/gadget`'; // prettier-ignore

const CASES: readonly { readonly because: string; readonly object: RequestedObject; readonly says: string | RegExp }[] =
  [
    { because: 'nothing delays the manager', object: subscription({ status }), says: '' },
    { because: 'it is suspended', object: subscription({ spec: { suspend: true } }), says: resumed },
    { because: 'no window is open', object: subscription({ spec: { windows: CLOSED }, status }), says: until },
    { because: 'one window is open', object: subscription({ spec: { windows: [...CLOSED, ...OPEN] }, status }), says: '' }, // prettier-ignore
    { because: 'a first installation waits for no window', object: subscription({ spec: { windows: CLOSED } }), says: '' }, // prettier-ignore
    {
      because: 'it is suspended, and no window is open',
      object: subscription({ spec: { suspend: true, windows: CLOSED }, status }),
      says: `${resumed}${until}`,
    },
    {
      because: 'a window never opens',
      object: subscription({ spec: { windows: UNREADABLE }, status }),
      says: /^\. No version changes until the windows are corrected: .*spec\.windows\[0\]/,
    },
    {
      because: 'it is being deleted, which precedes all else',
      object: subscription({ metadata, spec: { suspend: true, windows: CLOSED }, status }),
      says: '. Subscription ops/gadget is being deleted, so nothing of this is done any more',
    },
    { because: 'a Catalog is at work', object: catalog(), says: '' },
    {
      because: 'a Catalog is suspended, for which there is no command',
      object: catalog({ suspend: true }),
      says: '. Catalog team is suspended, so nothing of this is done until its spec.suspend is false',
    },
  ];

test.each(CASES)('the answer to an act says when the manager acts on it: $because', ({ object, says }) => {
  expect(describeDelay(object, NOW)).toEqual(typeof says === 'string' ? says : expect.stringMatching(says));
});
