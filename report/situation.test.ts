import { describe, expect, test } from 'vitest';
import type { SubscriptionStatus } from '../api/subscription-status.ts';
import { factsOf } from './situation-facts.ts';
import { situationOf } from './situation.ts';
import { condition, INSTALLED, READY, revision, subscription, type SubscriptionParts } from './testing/objects.ts';

const REASON = 'gadget.v2.0.0 waits for approval';
const PENDING = { revision: 'gadget-2', bundle: 'gadget.v2.0.0', version: '2.0.0' };
const AWAITING: SubscriptionStatus = {
  installed: INSTALLED,
  available: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
  pending: { ...PENDING, reason: 'ApprovalRequired' },
  conditions: [READY, condition('UpgradeAvailable', 'True', 'ApprovalRequired', REASON)],
};
const FAILED: SubscriptionStatus = {
  installed: INSTALLED,
  quarantined: [
    { bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'WorkloadUnhealthy', message: 'it crashes', since: 'x' },
  ],
  conditions: [
    condition('Ready', 'False', 'Quarantined', 'The upgrade failed: it crashes'),
    condition('Stalled', 'True', 'Quarantined', 'The upgrade failed: it crashes'),
    condition('UpgradeFailed', 'True', 'WorkloadUnhealthy', 'The upgrade failed: it crashes'),
  ],
};
const WORKING: SubscriptionStatus = {
  conditions: [
    condition('Ready', 'False', 'Installing', 'gadget.v1.0.0 is being applied'),
    condition('Reconciling', 'True', 'Installing', 'gadget.v1.0.0 is being applied'),
  ],
};

const CASES: readonly {
  readonly because: string;
  readonly parts: SubscriptionParts;
  readonly state: string;
  readonly next: readonly string[];
}[] = [
  { because: 'no manager has seen it', parts: {}, state: 'Unknown', next: ['slipway doctor'] },
  {
    because: 'the status is about an older spec',
    parts: { metadata: { generation: 2 }, status: { installed: INSTALLED, conditions: [READY] } },
    state: 'Unknown',
    next: ['slipway doctor'],
  },
  { because: 'all is as the spec asks', parts: { status: { installed: INSTALLED, conditions: [READY] } }, state: 'Ready', next: [] }, // prettier-ignore
  { because: 'work is under way', parts: { status: WORKING }, state: 'Working', next: ['slipway wait ops/gadget'] },
  {
    because: 'a Pod of it does not work, whose log says why',
    parts: { status: { conditions: [condition('Ready', 'False', 'WorkloadUnhealthy', 'it crashes'), condition('Reconciling', 'True', 'WorkloadUnhealthy', 'x')] } }, // prettier-ignore
    state: 'Working',
    next: ['slipway logs ops/gadget', 'slipway wait ops/gadget'],
  },
  {
    because: 'a Revision waits for a person',
    parts: { status: AWAITING },
    state: 'Waiting',
    next: ['slipway plan ops/gadget', 'slipway approve ops/gadget'],
  },
  {
    because: 'its plan is outside of the upgrade policy',
    parts: { status: { ...AWAITING, pending: { ...PENDING, reason: 'AwaitingApproval' } } },
    state: 'Waiting',
    next: ['slipway plan ops/gadget', 'slipway approve ops/gadget'],
  },
  {
    because: 'a Revision waits for a window, which no command opens',
    parts: { status: { ...AWAITING, pending: { ...PENDING, reason: 'OutsideWindow' } } },
    state: 'Waiting',
    next: [],
  },
  {
    because: 'an upgrade waits for a dependency that needs a person, and the installed version works',
    parts: { status: { ...AWAITING, conditions: [READY], pending: { ...PENDING, reason: 'DependencyNotReady' } } },
    state: 'Waiting',
    next: [],
  },
  {
    because: 'an upgrade failed for good',
    parts: { status: FAILED },
    state: 'Failed',
    next: ['slipway reconcile ops/gadget', 'slipway events ops/gadget'],
  },
  {
    because: 'it is suspended',
    parts: { spec: { suspend: true }, status: { conditions: [condition('Ready', 'True', 'Suspended', 'Suspended')] } },
    state: 'Suspended',
    next: ['slipway resume ops/gadget'],
  },
  {
    because: 'it is being deleted, which precedes all else',
    parts: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { suspend: true }, status: FAILED },
    state: 'Removing',
    next: ['slipway wait ops/gadget --for deleted'],
  },
];

describe('a Subscription has one state, and commands that help', () => {
  test.each(CASES)('$state: $because', ({ parts, state, next }) => {
    const found = situationOf(subscription(parts), []);
    expect(found.state).toBe(state);
    expect(found.next.map(({ command }) => command)).toEqual(next);
  });
});

describe('the situation', () => {
  const WINDOW = '2026-01-03T02:00:00Z';

  test.each([
    { because: 'it waits', parts: {}, pending: 'gadget.v2.0.0', window: WINDOW },
    { because: 'it is suspended, which ends at no window', parts: { spec: { suspend: true } }, pending: 'gadget.v2.0.0', window: undefined }, // prettier-ignore
    {
      because: 'it is being deleted',
      parts: { metadata: { deletionTimestamp: WINDOW } },
      pending: undefined,
      window: undefined,
    },
  ])('has the next bundle $pending and the window $window if $because', ({ parts, pending, window }) => {
    const status = { ...AWAITING, nextEligibleTime: WINDOW };
    const found = situationOf(subscription({ ...parts, status }), []);
    expect({ pending: found.pending?.bundle, window: found.nextEligibleTime }).toEqual({ pending, window });
  });

  test('of a suspended Subscription has nothing in progress, and approves for later', () => {
    const found = situationOf(subscription({ spec: { suspend: true }, status: AWAITING }), []);
    const names = factsOf(found, new Date(0)).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    expect(names).toContain('Next');
    expect(names).not.toContain('In progress');
    expect(found.next.find(({ command }) => command.startsWith('slipway approve'))?.effect).toContain('resumed');
  });

  test('names each problem once: not again the sentence of Ready, nor one of two equal conditions', () => {
    expect(situationOf(subscription({ status: FAILED }), []).problems).toEqual([]);
    const [ready, ...bad] = FAILED.conditions ?? [];
    const conditions = [{ ...ready!, message: 'another sentence' }, ...bad];
    expect(situationOf(subscription({ status: { ...FAILED, conditions } }), []).problems).toEqual([
      { condition: 'Stalled', reason: 'Quarantined', message: 'The upgrade failed: it crashes' },
    ]);
  });

  test.each([
    { because: 'Ready does not say it', ready: READY, problems: ['Reconciling RegistryDenied'] },
    {
      because: 'Ready says it',
      ready: condition('Ready', 'False', 'RegistryDenied', 'gadget.v1.0.0: it is refused'),
      problems: [],
    },
  ])('has the trouble of work in progress as a problem if $because', ({ ready, problems }) => {
    const conditions = [ready, condition('Reconciling', 'True', 'RegistryDenied', 'it is refused')];
    const found = situationOf(subscription({ status: { installed: INSTALLED, conditions } }), []).problems;
    expect(found.map((one) => `${one.condition} ${one.reason}`)).toEqual(problems);
  });

  test.each(['Upgrading', 'Planning', 'DependencyNotReady'])('has no problem if work goes on: %s', (reason) => {
    const conditions = [READY, condition('Reconciling', 'True', reason, 'gadget.v2.0.0 …')];
    const status = { installed: INSTALLED, pending: { ...PENDING, reason }, conditions };
    expect(situationOf(subscription({ status }), []).problems).toEqual([]);
  });

  test('has a deprecation only if there is one', () => {
    const problemsWith = (status: 'True' | 'False'): number =>
      situationOf(
        subscription({ status: { conditions: [READY, condition('Deprecated', status, 'BundleDeprecated', 'old')] } }),
        [],
      ).problems.length;
    expect([problemsWith('True'), problemsWith('False')]).toEqual([1, 0]);
  });

  test('has the phases of the active Revision while one is not finished', () => {
    const phases = (state: 'Ready' | 'Waiting'): number => {
      const status = { phases: [{ name: 'crds', state, objects: 2, ready: 1 }] };
      const archived = revision(1, '0.9.0', { spec: { state: 'Archived' }, status: { phases: [] } });
      return situationOf(subscription({ status: WORKING }), [archived, revision(2, '1.0.0', { status })]).phases.length;
    };
    expect([phases('Waiting'), phases('Ready')]).toEqual([1, 0]);
  });
});
