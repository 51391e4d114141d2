/** The status of an archived Revision: why it failed, what it waits for, or that it is history. */
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../api/conditions.ts';
import { refOf } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { sampleOperator } from '../../apply/testing/sample-objects.ts';
import { hasWorkedInVain, judgeArchived } from './archived.ts';
import { createHarness } from './testing/harness.ts';

const time = '2026-01-01T00:00:00Z';
const said = (type: string, status: 'True' | 'False', reason: string): Condition => ({
  type,
  status,
  reason,
  message: 'as it says',
  lastTransitionTime: time,
});
const IMAGE = `registry.example/widget@sha256:${'a'.repeat(64)}`;
const gone = {
  bundle: 'widget.v1',
  version: '1',
  image: IMAGE,
  reason: 'WorkloadUnhealthy',
  message: 'x',
  since: time,
};

interface Case {
  readonly because: string;
  readonly conditions?: readonly Condition[];
  readonly more?: Revision['status'];
  readonly approved?: boolean;
  readonly subscription?: SubscriptionStatus;
  readonly handedOver?: boolean;
  readonly suspend?: boolean;
  readonly says: string | undefined;
  readonly failure?: string;
}

function revisionOf({ conditions, more, approved = true }: Case): Revision {
  return {
    metadata: { name: 'widgets-1', namespace: 'ops' },
    spec: { subscription: 'widgets', bundle: 'widget.v1', image: IMAGE, approved, state: 'Archived' },
    status: { ...more, ...(conditions !== undefined && { conditions }) },
  } as unknown as Revision;
}

describe('an archived Revision', () => {
  test.each<Case>([
    { because: 'it was just made, and is activated at once', says: undefined },
    { because: 'a person has not approved it', approved: false, says: 'ApprovalRequired' },
    {
      because: 'it was just made, and the Subscription is about to report its wait',
      approved: false,
      subscription: { pending: { bundle: 'widget.v1', version: '1', reason: 'Progressing' } },
      says: undefined,
    },
    {
      because: 'the Subscription makes a Revision of another bundle meanwhile',
      approved: false,
      subscription: { pending: { bundle: 'widget.v2', version: '2', reason: 'Progressing' } },
      says: 'ApprovalRequired',
    },
    {
      because: 'it worked and another one took over',
      conditions: [said('Ready', 'True', 'Succeeded')],
      says: 'Archived: Kept as history',
    },
    {
      because: 'no other one has taken over its objects yet',
      conditions: [said('Ready', 'True', 'Succeeded')],
      more: { inventory: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u', hash: 'h' }] },
      handedOver: false,
      says: undefined,
    },
    {
      because: 'it failed and was replaced',
      conditions: [said('Ready', 'False', 'ObjectInvalid'), said('Stalled', 'True', 'ObjectInvalid')],
      says: 'Archived: Kept as history; it failed: as it says',
      failure: 'ObjectInvalid: as it says',
    },
    {
      because: 'it became unhealthy within the bake time, which only the Subscription counts as a failure',
      conditions: [said('Ready', 'False', 'WorkloadUnhealthy'), said('Reconciling', 'True', 'Progressing')],
      subscription: { quarantined: [gone] },
      says: 'Archived: Kept as history; it failed: as it says',
      failure: 'WorkloadUnhealthy: as it says',
    },
    {
      because: 'it was replaced during its roll-out, without a failure',
      conditions: [said('Ready', 'False', 'Progressing'), said('Reconciling', 'True', 'Progressing')],
      says: 'Archived: Kept as history',
    },
    {
      because: 'it was unhealthy long after the bake time',
      conditions: [said('Ready', 'False', 'WorkloadUnhealthy'), said('Reconciling', 'True', 'Progressing')],
      says: 'Archived: Kept as history',
    },
    {
      because: 'its failure was recorded long ago, and stays whatever becomes of the quarantine',
      conditions: [said('Ready', 'False', 'Archived')],
      more: { failure: { reason: 'ObjectInvalid', message: 'as it said', since: time } },
      says: 'Archived: Kept as history; it failed: as it said',
      failure: 'ObjectInvalid: as it said',
    },
    {
      because: 'another one of the same bundle failed, with another configuration',
      conditions: [said('Ready', 'False', 'Archived')],
      subscription: { quarantined: [gone] },
      says: 'Archived: Kept as history',
    },
    ...(['OutsideWindow', 'DependencyNotReady'] as const).map((reason) => ({
      because: `it is approved and waits: ${reason}`,
      subscription: {
        pending: { revision: 'widgets-1', bundle: 'widget.v1', version: '1', reason },
        conditions: [{ ...said('UpgradeAvailable', 'True', reason), message: 'widget.v1 waits for something' }],
      },
      says: `${reason}: widget.v1 waits for something`,
    })),
    {
      because: 'it waited and was never applied, and another one of the same bundle failed meanwhile',
      conditions: [said('Ready', 'False', 'OutsideWindow')],
      subscription: { quarantined: [gone] },
      says: 'Archived: Kept as history',
    },
    {
      because: 'it was refused since a kind is not there, which is the word of a wait, too',
      conditions: [said('Ready', 'False', 'DependencyNotReady'), said('Stalled', 'True', 'DependencyNotReady')],
      says: 'Archived: Kept as history; it failed: as it says',
      failure: 'DependencyNotReady: as it says',
    },
    ...(
      [
        {
          because: 'it was approved, and nothing is in the way',
          said: undefined,
          says: 'Progressing: It is to be applied next',
        },
        {
          because: 'it was approved, and its activation is refused',
          said: { ...said('UpgradeAvailable', 'True', 'RegistryUnavailable'), message: 'no answer' },
          says: 'RegistryUnavailable: no answer',
        },
        {
          because: 'it was approved, its activation is refused, and nothing is installed',
          said: { ...said('Stalled', 'True', 'Unsigned'), message: 'no signature' },
          says: 'Unsigned: no signature',
        },
      ] as const
    ).map(({ because, says, said: one }) => ({
      because,
      conditions: [said('Ready', 'False', 'ApprovalRequired')],
      subscription: {
        pending: { revision: 'widgets-1', bundle: 'widget.v1', version: '1', reason: 'Progressing' },
        conditions: one === undefined ? [] : [one],
      },
      says,
    })),
    {
      because: 'it was active and failed, and the status of its Subscription is of before',
      conditions: [said('Ready', 'False', 'ObjectInvalid'), said('Stalled', 'True', 'ObjectInvalid')],
      subscription: {
        pending: { revision: 'widgets-1', bundle: 'widget.v1', version: '1', reason: 'Progressing' },
        conditions: [said('UpgradeAvailable', 'True', 'Quarantined')],
      },
      says: 'Archived: Kept as history; it failed: as it says',
      failure: 'ObjectInvalid: as it says',
    },
    {
      because: 'it was approved while its Subscription is suspended',
      conditions: [said('Ready', 'False', 'ApprovalRequired')],
      subscription: {
        pending: { revision: 'widgets-1', bundle: 'widget.v1', version: '1', reason: 'ApprovalRequired' },
      },
      suspend: true,
      says: 'Suspended: It is approved, and Subscription widgets is suspended',
    },
    {
      because: 'it waits for a window, and its Subscription is suspended',
      conditions: [said('Ready', 'False', 'OutsideWindow')],
      subscription: { pending: { revision: 'widgets-1', bundle: 'widget.v1', version: '1', reason: 'OutsideWindow' } },
      suspend: true,
      says: 'Suspended: It waits (OutsideWindow), and Subscription widgets is suspended',
    },
    {
      because: 'it is not approved, and its Subscription is suspended',
      approved: false,
      conditions: [said('Ready', 'False', 'ApprovalRequired')],
      subscription: {
        pending: { revision: 'widgets-1', bundle: 'widget.v1', version: '1', reason: 'ApprovalRequired' },
      },
      suspend: true,
      says: 'ApprovalRequired: Waits for approval',
    },
    {
      because: 'it worked before its Subscription was suspended',
      conditions: [said('Ready', 'False', 'Archived')],
      more: { firstReadyTime: time },
      suspend: true,
      says: 'Archived: Kept as history',
    },
    {
      because: 'another Revision waits',
      subscription: { pending: { revision: 'widgets-2', bundle: 'widget.v2', version: '2', reason: 'OutsideWindow' } },
      says: undefined,
    },
  ])('$says: $because', (given) => {
    const { subscription, handedOver = true, suspend = false, says, failure } = given;
    const archived = judgeArchived(revisionOf(given), {
      subscription: { spec: { suspend }, status: subscription } as Subscription,
      handedOver,
    });
    const { reason, message } = archived?.judgement ?? {};
    expect(archived === undefined ? undefined : `${reason}: ${message}`).toEqual(
      says === undefined ? undefined : (expect.stringContaining(says) as string),
    );
    const why = archived?.failure;
    expect(why && `${why.reason}: ${why.message}`).toBe(failure);
  });
});

describe('a version that was healthy and failed within its bake time', () => {
  const worked = { firstReadyTime: time };
  test.each([
    { because: 'it is given up', more: worked, quarantined: [gone], expected: true },
    { because: 'an entry of the release before has no image', more: worked, quarantined: [{ ...gone, image: undefined }], expected: true }, // prettier-ignore
    { because: 'another one is given up', more: worked, quarantined: [{ ...gone, bundle: 'widget.v2', image: 'other' }], expected: false }, // prettier-ignore
    { because: 'it is not given up', more: worked, quarantined: [], expected: false },
    { because: 'it is an older one of the bundle, which worked', more: { ...worked, conditions: [said('Ready', 'False', 'Archived')] }, quarantined: [gone], expected: false }, // prettier-ignore
    { because: 'it was never healthy', more: {}, quarantined: [gone], expected: false },
  ])('has to prove itself again: $expected, as $because', ({ more, quarantined, expected }) => {
    const revision = revisionOf({ because: '', says: '', more });
    expect(hasWorkedInVain(revision, { status: { quarantined } } as unknown as Subscription)).toBe(expected);
  });

  test('and loses the time of its health as soon as it is archived, before another one has its objects', async () => {
    const harness = createHarness();
    await harness.addRevision(1, sampleOperator());
    await harness.settle(1);
    const { spec } = harness.revision(1);
    expect(harness.revision(1).status?.firstReadyTime).toBeDefined();
    const failed = { ...gone, bundle: spec.bundle, version: spec.version, image: spec.image };
    const subscription = { ...refOf(harness.revision(1)), kind: 'Subscription', name: spec.subscription };
    await harness.cluster.patch(subscription, { status: { quarantined: [failed] } }, { subresource: 'status' });
    harness.setState(1, 'Archived');
    await harness.reconcile(1);
    expect(harness.revision(1).status?.firstReadyTime).toBeUndefined();
    expect(harness.revision(1).status?.inventory).not.toEqual([]);
  });
});
