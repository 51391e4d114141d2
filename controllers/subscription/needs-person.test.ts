/** A Subscription that waits for a dependency is Stalled if that one makes no progress before a person acts. */
import { describe, expect, test } from 'vitest';
import { findCondition, type Condition } from '../../api/conditions.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { Property } from '../../catalog/model.ts';
import { decideSubscription } from './decide.ts';
import { describeSurroundings, type Neighbour } from './neighbours.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription, type SubscriptionParts } from './testing/facts.ts';
import { isNewsFor } from './wake.ts';

const NEEDS_WIDGET: Property = {
  type: 'olm.package.required',
  value: { packageName: 'widget', versionRange: '>=1.0.0' },
};
const CATALOGS = [
  catalog({ versions: ['1.0.0', '1.1.0'], properties: [NEEDS_WIDGET] }),
  catalog({ package: 'widget', versions: ['1.0.0'], catalog: 'other' }),
];

/** The Subscription of the dependency, which is not installed. */
function widget({ spec = {}, ...parts }: SubscriptionParts = {}): Neighbour {
  const one = subscription({ name: parts.name ?? 'widget', ...parts, spec: { package: 'widget', ...spec } });
  return { subscription: one, revisions: [] };
}

function saying(...conditions: readonly (readonly [Condition['type'], Reason])[]): SubscriptionStatus {
  const base = { status: 'True', message: 'm', lastTransitionTime: '2026-05-01T11:00:00Z' } as const;
  return { conditions: conditions.map(([type, reason]) => ({ ...base, type, reason })) };
}

const pending = (reason: Reason): SubscriptionStatus => ({
  pending: { bundle: 'widget.v1.0.0', version: '1.0.0', reason },
});
const refused: SubscriptionStatus = {
  ...pending('Progressing'),
  ...saying(['UpgradeFailed', 'Unsigned'], ['UpgradeAvailable', 'Unsigned']),
};

/** The status of a Subscription whose Revision waits for widget. */
function waitingFor(neighbours: readonly Neighbour[], revisions: readonly Revision[]): SubscriptionStatus {
  const one = { subscription: subscription(), revisions };
  const cluster = { providedKinds: [], ...describeSurroundings(one, neighbours) };
  const plan = decideSubscription(facts({ ...one, neighbours, catalogs: CATALOGS, cluster, nextNumber: 3 }));
  if (plan.kind !== 'resolved' || plan.action.do !== 'await') throw new Error('nothing waits');
  return summarizePlan(one.subscription, plan, { now: NOW });
}

/** The states of Ready, Reconciling and Stalled, each with its reason. */
function inWords({ conditions }: SubscriptionStatus): readonly string[] {
  return (['Ready', 'Reconciling', 'Stalled'] as const).flatMap((type) => {
    const one = findCondition(conditions, type);
    return one === undefined ? [] : [`${type}=${one.status} ${one.reason}`];
  });
}

const FIRST = revision({ number: 2, version: '1.1.0', state: 'Archived' });
const STALLED = ['Ready=False DependencyNotReady', 'Stalled=True DependencyNotReady'];
const AT_WORK = ['Ready=False DependencyNotReady', 'Reconciling=True DependencyNotReady'];

describe('a first installation that waits for a dependency', () => {
  test.each<{ because: string; others: readonly Neighbour[]; expected: readonly string[] }>([
    { because: 'no Subscription requests it yet', others: [], expected: AT_WORK },
    { because: 'it was just requested', others: [widget()], expected: AT_WORK },
    { because: 'it is being installed', others: [widget({ status: pending('Progressing') })], expected: AT_WORK },
    { because: 'it waits for a window', others: [widget({ status: pending('OutsideWindow') })], expected: AT_WORK },
    {
      because: 'its registry does not answer',
      others: [widget({ status: saying(['Reconciling', 'RegistryUnavailable']) })],
      expected: AT_WORK,
    },
    {
      because: 'one Subscription for it is stalled, and another one is not',
      others: [widget({ status: saying(['Stalled', 'Unsigned']) }), widget({ name: 'second' })],
      expected: AT_WORK,
    },
    {
      because: 'an earlier upgrade of it was refused, and another version is being installed',
      others: [widget({ status: { ...refused, ...saying(['UpgradeFailed', 'Unsigned'], ['UpgradeAvailable', 'Unsigned'], ['Reconciling', 'Upgrading']) } })], // prettier-ignore
      expected: AT_WORK,
    },
    { because: 'it is stalled', others: [widget({ status: saying(['Stalled', 'Unsigned']) })], expected: STALLED },
    {
      because: 'it waits for one that is stalled',
      others: [widget({ status: { ...pending('DependencyNotReady'), ...saying(['Stalled', 'DependencyNotReady']) } })],
      expected: STALLED,
    },
    {
      because: 'its next version waits for one that is stalled, and the version before works',
      others: [
        widget({
          status: {
            ...pending('DependencyNotReady'),
            ...saying(['Ready', 'Succeeded']),
            installed: {
              bundle: 'widget.v0.9.0',
              version: '0.9.0',
              image: 'r.example/w@sha256:0',
              catalog: 'other',
              revision: 'widget-1',
            },
          },
        }),
      ],
      expected: STALLED,
    },
    { because: 'it is suspended', others: [widget({ spec: { suspend: true } })], expected: STALLED },
    {
      because: 'a person has to approve it',
      others: [widget({ status: pending('ApprovalRequired') })],
      expected: STALLED,
    },
    { because: 'its version may not be used', others: [widget({ status: refused })], expected: STALLED },
  ])('is as $expected: $because', ({ others, expected }) => {
    expect(inWords(waitingFor(others, [FIRST]))).toEqual(expected);
  });

  test('names the Subscription of the dependency, and its reason', () => {
    const { conditions } = waitingFor([widget({ spec: { suspend: true } })], [FIRST]);
    expect(findCondition(conditions, 'Stalled')?.message).toBe(
      'gadget.v1.1.0 waits for its dependencies: widget.v1.0.0 is to be installed by Subscription ops/widget (Suspended)',
    );
  });
});

describe('an upgrade that waits for a dependency which needs a person', () => {
  const stuck = [widget({ status: saying(['Stalled', 'Unsigned']) })];
  const installed = (parts: object): readonly Revision[] => [revision({ ready: true, ...parts }), FIRST];

  test('takes nothing from the installed version, and is no progress', () => {
    const status = waitingFor(stuck, installed({}));
    expect(inWords(status)).toEqual(['Ready=True Succeeded']);
    expect(findCondition(status.conditions, 'UpgradeAvailable')).toMatchObject({
      reason: 'DependencyNotReady',
      message: expect.stringContaining('Subscription ops/widget (Unsigned)') as string,
    });
  });

  test.each([
    { because: 'it needs a person', others: stuck, expected: ['Ready=False WorkloadUnhealthy', 'Stalled=True WorkloadUnhealthy'] }, // prettier-ignore
    { because: 'it goes on', others: [widget()], expected: ['Ready=False WorkloadUnhealthy', 'Reconciling=True DependencyNotReady'] }, // prettier-ignore
  ])('replaces no installed version that does not work as long as the dependency does not: $because', (given) => {
    const broken = { ready: false, reason: 'WorkloadUnhealthy', stalled: true, firstReadyTime: '2026-04-01T00:00:00Z' };
    expect(inWords(waitingFor(given.others, installed(broken)))).toEqual(given.expected);
  });
});

test('a Subscription that waits is decided about again when the dependency stalls', () => {
  const [before, after] = [widget(), widget({ status: saying(['Stalled', 'Unsigned']) })].map(
    (one) => one.subscription,
  );
  expect(isNewsFor(subscription(), before, after)).toBe(true);
});
