import { describe, expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { installedOf } from './history.ts';
import { revision, subscription } from './testing/facts.ts';

const first = revision({ ready: true, state: 'Archived' });

interface InstalledCase {
  readonly because: string;
  readonly revisions: readonly Revision[];
  readonly installed: string | undefined;
  readonly given?: Subscription;
}

function installedAs(number: number): NonNullable<SubscriptionStatus['installed']> {
  return { bundle: 'b', version: '1.0.0', image: 'i', catalog: 'main', revision: `gadget-${number}` };
}

describe('the installed Revision', () => {
  test.each<InstalledCase>([
    { because: 'nothing has worked yet', revisions: [revision()], installed: undefined },
    { because: 'the active one works', revisions: [revision({ ready: true })], installed: 'gadget-1' },
    {
      because: 'the active one has worked, and is unhealthy now',
      revisions: [revision({ ready: false, firstReadyTime: '2026-05-01T10:00:00Z' })],
      installed: 'gadget-1',
    },
    {
      because: 'the next one has not worked yet',
      revisions: [first, revision({ number: 2, previous: 'gadget-1' })],
      installed: 'gadget-1',
    },
    {
      because: 'of several, the one before the active one counts',
      revisions: [
        first,
        revision({ number: 2, ready: true, state: 'Archived' }),
        revision({ number: 3, previous: 'gadget-1' }),
      ],
      installed: 'gadget-1',
    },
    { because: 'none is active just now', revisions: [first], installed: 'gadget-1' },
    {
      because: 'another one was installed since the active one was created',
      given: subscription({ status: { installed: installedAs(2) } }),
      revisions: [
        first,
        revision({ number: 2, ready: true, state: 'Archived' }),
        revision({ number: 3, previous: 'gadget-1' }),
      ],
      installed: 'gadget-2',
    },
    {
      because: 'the status lags behind, and the second was active last',
      revisions: [
        revision({ ready: true, state: 'Archived', lastActiveTime: '2026-05-01T11:00:00Z' }),
        revision({ number: 2, ready: true, state: 'Archived', lastActiveTime: '2026-05-01T11:30:00Z' }),
        revision({ number: 3, previous: 'gadget-1' }),
      ],
      installed: 'gadget-2',
    },
  ])('the installed Revision is $installed: $because', ({ revisions, installed, given = subscription() }) => {
    expect(installedOf(given, revisions, undefined)?.metadata.name).toBe(installed);
  });

  test('a Revision that failed is never the installed one', () => {
    const failed = revision({ ready: false, firstReadyTime: '2026-05-01T11:59:55Z', number: 2 });
    expect(installedOf(subscription(), [first, failed], failed)?.metadata.name).toBe('gadget-1');
  });
});
