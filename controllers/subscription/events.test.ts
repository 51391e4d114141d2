import { describe, expect, test } from 'vitest';
import type { Condition } from '../../api/conditions.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { eventsOf } from './events.ts';

const old = { bundle: 'gadget.v1', version: '1', image: 'i', catalog: 'c', revision: 'gadget-1' };
const next = { bundle: 'gadget.v2', version: '2', image: 'i', catalog: 'c', revision: 'gadget-2' };
const pending = { bundle: 'gadget.v2', version: '2', reason: 'Progressing' };
const gone = { bundle: 'gadget.v2', version: '2', reason: 'WorkloadUnhealthy', message: 'it crashes', since: 't' };

function condition(type: Condition['type'], reason: string, message = 'm'): Condition {
  return { type, status: 'True', reason, message, observedGeneration: 1, lastTransitionTime: 't' };
}

interface Case {
  readonly because: string;
  readonly before?: SubscriptionStatus;
  readonly after: SubscriptionStatus;
  readonly told: readonly string[];
}

describe('events', () => {
  test.each<Case>([
    { because: 'the first installation begins', after: { pending }, told: ['Normal Installing'] },
    {
      because: 'an upgrade begins',
      before: { installed: old },
      after: { installed: old, pending },
      told: ['Normal Upgrading'],
    },
    {
      because: 'the upgrade goes on',
      before: { installed: old, pending },
      after: { installed: old, pending },
      told: [],
    },
    {
      because: 'a new version works',
      before: { installed: old, pending },
      after: { installed: next },
      told: ['Normal Succeeded'],
    },
    {
      because: 'a new configuration of the installed version works',
      before: { installed: old },
      after: { installed: { ...old, revision: 'gadget-2' } },
      told: ['Normal Succeeded'],
    },
    {
      because: 'a version has failed',
      before: { installed: old, pending },
      after: { installed: old, quarantined: [gone] },
      told: ['Warning RollingBack'],
    },
    {
      because: 'the version before works again',
      before: { installed: old, quarantined: [gone] },
      after: { installed: old, quarantined: [{ ...gone, rolledBackTime: 't' }] },
      told: ['Normal RolledBack'],
    },
    {
      because: 'a release that did not note the time of recovery wrote the entry, long ago',
      before: { installed: old, quarantined: [gone], conditions: [condition('Ready', 'Succeeded')] },
      after: { installed: old, quarantined: [{ ...gone, rolledBackTime: 't' }] },
      told: [],
    },
    ...(['ApprovalRequired', 'OutsideWindow', 'DependencyNotReady'] as const).map((reason) => ({
      because: `an upgrade waits: ${reason}`,
      before: { installed: old, pending },
      after: { installed: old, pending: { ...pending, revision: 'gadget-2', reason } },
      told: [`Normal ${reason}`],
    })),
    {
      because: 'the plan of an upgrade cannot be made, which a person has to see',
      before: { installed: old, pending: { ...pending, revision: 'gadget-2', reason: 'Planning' } },
      after: {
        installed: old,
        pending: { ...pending, revision: 'gadget-2', reason: 'PlanFailed' },
        conditions: [condition('Reconciling', 'PlanFailed')],
      },
      told: ['Warning PlanFailed'],
    },
    {
      because: 'the plan of an upgrade is being made',
      before: { installed: old, pending },
      after: {
        installed: old,
        pending: { ...pending, revision: 'gadget-2', reason: 'Planning' },
        conditions: [condition('Reconciling', 'Planning')],
      },
      told: [],
    },
    {
      because: 'a person suspends it',
      before: { installed: old, conditions: [condition('Ready', 'Succeeded')] },
      after: { installed: old, conditions: [condition('Ready', 'Suspended')] },
      told: ['Normal Suspended'],
    },
    {
      because: 'it stays suspended',
      before: { installed: old, conditions: [condition('Ready', 'Suspended')] },
      after: { installed: old, conditions: [condition('Ready', 'Suspended')] },
      told: [],
    },
    {
      because: 'a person lets the manager work again',
      before: { installed: old, conditions: [condition('Ready', 'Suspended')] },
      after: { installed: old, conditions: [condition('Ready', 'Succeeded')] },
      told: ['Normal Progressing'],
    },
    {
      because: 'the same wait goes on',
      before: { installed: old, pending: { ...pending, revision: 'gadget-2', reason: 'OutsideWindow' } },
      after: { installed: old, pending: { ...pending, revision: 'gadget-2', reason: 'OutsideWindow' } },
      told: [],
    },
    {
      because: 'the reason of the wait has changed',
      before: { installed: old, pending: { ...pending, revision: 'gadget-2', reason: 'ApprovalRequired' } },
      after: { installed: old, pending: { ...pending, revision: 'gadget-2', reason: 'OutsideWindow' } },
      told: ['Normal OutsideWindow'],
    },
    {
      because: 'a first installation that waits for a dependency is normal',
      before: { pending },
      after: {
        pending: { ...pending, revision: 'gadget-2', reason: 'DependencyNotReady' },
        conditions: [condition('Reconciling', 'DependencyNotReady')],
      },
      told: ['Normal DependencyNotReady'],
    },
    {
      because: 'a kind of the applied objects is not served',
      before: { pending },
      after: { pending, conditions: [condition('Reconciling', 'DependencyNotReady')] },
      told: ['Warning DependencyNotReady'],
    },
    {
      because: 'an error occurs',
      after: { conditions: [condition('Stalled', 'PackageNotFound')] },
      told: ['Warning PackageNotFound'],
    },
    {
      because: 'the same error goes on',
      before: { conditions: [condition('Stalled', 'PackageNotFound')] },
      after: { conditions: [condition('Stalled', 'PackageNotFound')] },
      told: [],
    },
    {
      because: 'another error occurs',
      before: { conditions: [condition('Stalled', 'PackageNotFound')] },
      after: { conditions: [condition('Stalled', 'ChannelNotFound')] },
      told: ['Warning ChannelNotFound'],
    },
    {
      because: 'a retry may help',
      after: { conditions: [condition('Reconciling', 'RegistryUnavailable')] },
      told: ['Warning RegistryUnavailable'],
    },
    {
      because: 'a dependency is installed first, as intended',
      after: {
        pending: { ...pending, reason: 'DependencyNotReady' },
        conditions: [condition('Reconciling', 'DependencyNotReady')],
      },
      told: ['Normal Installing', 'Normal DependencyNotReady'],
    },
    {
      because: 'the dependency is being installed by now',
      before: {
        pending: { ...pending, reason: 'DependencyNotReady' },
        conditions: [condition('Reconciling', 'DependencyNotReady')],
      },
      after: {
        pending: { ...pending, reason: 'DependencyNotReady' },
        conditions: [condition('Reconciling', 'DependencyNotReady', 'by Subscription ops/lib')],
      },
      told: [],
    },
    {
      because: 'the cluster lacks a kind of the applied objects',
      before: { pending },
      after: { pending, conditions: [condition('Reconciling', 'DependencyNotReady')] },
      told: ['Warning DependencyNotReady'],
    },
    {
      because: 'the Catalog of the installed bundle was deleted',
      before: { installed: old, conditions: [condition('UpgradeAvailable', 'UpToDate')] },
      after: { installed: old, conditions: [condition('UpgradeAvailable', 'CatalogNotFound')] },
      told: ['Warning CatalogNotFound'],
    },
    {
      because: 'the Catalog may no longer be used here',
      before: { installed: old, conditions: [condition('UpgradeAvailable', 'UpToDate')] },
      after: { installed: old, conditions: [condition('UpgradeAvailable', 'CatalogNotAllowed')] },
      told: ['Warning CatalogNotAllowed'],
    },
    {
      because: 'the Catalog is still gone',
      before: { installed: old, conditions: [condition('UpgradeAvailable', 'CatalogNotFound')] },
      after: { installed: old, conditions: [condition('UpgradeAvailable', 'CatalogNotFound', 'n')] },
      told: [],
    },
    {
      because: 'the Catalog is read again after a restart',
      before: { installed: old, conditions: [condition('UpgradeAvailable', 'UpToDate')] },
      after: { installed: old, conditions: [condition('UpgradeAvailable', 'CatalogUnavailable')] },
      told: [],
    },
    {
      because: 'nothing is installed, so another event reports it',
      after: {
        conditions: [condition('Stalled', 'CatalogNotFound'), condition('UpgradeAvailable', 'CatalogNotFound')],
      },
      told: ['Warning CatalogNotFound'],
    },
    {
      because: 'work in progress is no trouble',
      after: { conditions: [condition('Reconciling', 'Upgrading')] },
      told: [],
    },
    {
      because: 'a repair is of the installed bundle',
      before: { installed: old },
      after: { installed: old, pending: { ...pending, bundle: 'gadget.v1' } },
      told: [],
    },
  ])('the events are $told: $because', ({ before, after, told }) => {
    expect(eventsOf(before, after).map(({ type, reason }) => `${type} ${reason}`)).toEqual(told);
  });

  test.each(['ApprovalRequired', 'OutsideWindow', 'DependencyNotReady'])(
    'an event of a wait says how to go on: %s',
    (reason) => {
      const waiting = { ...pending, revision: 'gadget-2', reason };
      const conditions = [condition('UpgradeAvailable', reason, 'gadget.v2 waits: approve it by …')];
      const [event] = eventsOf({ installed: old, pending }, { installed: old, pending: waiting, conditions });
      expect(event?.note).toBe('gadget.v2 waits: approve it by …');
    },
  );

  test('a version that was healthy and has failed begins nothing, and the one before it is not healthy for that', () => {
    const failed = { installed: old, quarantined: [gone] };
    const events = eventsOf({ installed: next }, failed, { isFailure: true });
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(['Warning RollingBack']);
    const back = { installed: old, quarantined: [{ ...gone, rolledBackTime: 't' }] };
    expect(eventsOf(failed, back).map(({ reason }) => reason)).toEqual(['RolledBack']);
  });

  test('an event names the step of a path with several steps', () => {
    const [event] = eventsOf({ installed: old }, { installed: old, pending: { ...pending, step: 2, steps: 6 } });
    expect(event?.note).toBe('gadget.v2 is to follow gadget.v1, step 2 of 6');
  });

  test.each([
    { entry: { bundle: 'gadget.v2', version: '2' }, says: 'gadget.v1 works again 7 s after gadget.v2 failed' },
    { entry: { bundle: 'gadget.v1', version: '1' }, says: 'gadget.v1 works again 7 s after its configuration failed' },
    {
      entry: { bundle: 'gadget.v1', version: '1', image: `r/gadget@sha256:${'b'.repeat(64)}` },
      says: 'gadget.v1 works again 7 s after gadget.v1 failed, which was published again',
    },
  ])('an event reports the end of the rollback: $says', ({ entry, says }) => {
    const failed = { ...gone, ...entry, since: '2026-05-01T12:00:00Z' };
    const ended = { ...failed, rolledBackTime: '2026-05-01T12:00:07Z' };
    const [event] = eventsOf({ installed: old, quarantined: [failed] }, { installed: old, quarantined: [ended] });
    expect(event?.note).toBe(says);
  });

  test.each([
    {
      ended: '2026-05-01T12:00:07Z',
      says: 'gadget.v2 is installed and healthy, after 7 s',
      because: 'both times are known',
    },
    { ended: '2026-05-01T11:00:00Z', says: 'gadget.v2 is installed and healthy', because: 'the clock was set back' },
  ])('an event says how long the work took, if $because', ({ ended, says }) => {
    const began = { ...condition('Reconciling', 'Upgrading'), lastTransitionTime: '2026-05-01T12:00:00Z' };
    // A further step follows: nothing is Ready yet.
    const busy = { ...condition('Ready', 'Upgrading'), status: 'False' as const, lastTransitionTime: ended };
    const [step] = eventsOf({ installed: old, conditions: [began] }, { installed: next, conditions: [busy] });
    expect(step?.note).toBe('gadget.v2 is installed and healthy');
    const ready = { ...condition('Ready', 'Succeeded'), lastTransitionTime: ended };
    const [event] = eventsOf({ installed: old, conditions: [began] }, { installed: next, conditions: [ready] });
    expect(event?.note).toBe(says);
  });

  test('a bundle that was published again under its name begins and arrives with an event', () => {
    const move = { unusual: ', published again with another content', isAgain: true };
    const again = { ...pending, bundle: 'gadget.v1' };
    const [begins] = eventsOf({ installed: old }, { installed: old, pending: again }, move);
    expect(begins).toMatchObject({
      reason: 'Upgrading',
      note: 'gadget.v1 is to follow gadget.v1, published again with another content',
    });
    expect(eventsOf({ installed: old, pending: again }, { installed: old, pending: again }, move)).toEqual([]);
    const [arrives] = eventsOf(
      { installed: old, pending: again },
      { installed: { ...old, image: `r/gadget@sha256:${'b'.repeat(64)}` } },
    );
    expect(arrives?.reason).toBe('Succeeded');
  });

  test('a new configuration of the installed bundle begins without an event of an upgrade', () => {
    const configured = { ...pending, bundle: 'gadget.v1' };
    expect(eventsOf({ installed: old }, { installed: old, pending: configured })).toEqual([]);
  });

  test('a new configuration that works is reported once, with both Revisions and its duration', () => {
    const began = { ...condition('Reconciling', 'Progressing'), lastTransitionTime: '2026-01-01T00:00:00Z' };
    const ready = { ...condition('Ready', 'Succeeded'), lastTransitionTime: '2026-01-01T00:00:07Z' };
    const after = { installed: { ...old, revision: 'gadget-2' }, conditions: [ready] };
    expect(eventsOf({ installed: old, conditions: [began] }, after)).toEqual([
      {
        type: 'Normal',
        reason: 'Succeeded',
        action: 'Configure',
        note: 'Revision gadget-2 of gadget.v1 replaces gadget-1, and is healthy, after 7 s',
      },
    ]);
    expect(eventsOf(after, after)).toEqual([]);
  });

  test('a Revision that is installed again since another one failed works no better than before: no event', () => {
    const after = { installed: { ...old, revision: 'gadget-2' } };
    expect(eventsOf({ installed: old }, after, { isFailure: true })).toEqual([]);
  });

  test('the event of an upgrade says that it is to another catalog or a lower version', () => {
    const [event] = eventsOf({ installed: old }, { installed: old, pending }, { unusual: ', although it is lower' });
    expect(event?.note).toBe('gadget.v2 is to follow gadget.v1, although it is lower');
  });
});
