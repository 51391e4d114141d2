import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleCrd } from '../../apply/testing/sample-objects.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { judgeRemoval } from './remove.ts';
import type { RevisionDeps } from './run.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const account = sample('v1', 'ServiceAccount', 'widget-manager', { namespace: NAMESPACE });
const widget = sample('example.com/v1', 'Widget', 'a', { namespace: NAMESPACE, spec: { size: 1 } });
const subscription = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  namespace: NAMESPACE,
  name: 'widgets',
};

let harness: Harness;
const kinds = (): string[] => harness.cluster.objects().map(({ kind }) => kind);

/** Deletes the Subscription, and its Revision as its controller does. */
async function uninstall(number = 1): Promise<void> {
  harness.cluster.change(subscription, (object) => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] },
  }));
  await harness.cluster.delete(refOf(harness.revision(number)));
}

beforeEach(async () => {
  harness = createHarness();
  await harness.addRevision(1, [sampleCrd('Widget'), account]);
  await harness.settle(1);
});

test('nothing is deleted with a Revision that a person has deleted, although the cache lacks the Subscription', async () => {
  harness.hideSubscription();
  await harness.cluster.delete(refOf(harness.revision(1)));
  await expect(harness.reconcile(1)).rejects.toMatchObject({ reason: 'Conflict', retry: 'backoff' });
  expect(kinds()).toEqual(expect.arrayContaining(['CustomResourceDefinition', 'ServiceAccount', 'Revision']));
});

describe('a CRD that still has objects', () => {
  test('a CRD that still has objects stays, with one event, even if the cache lags', async () => {
    harness.cluster.put(widget);
    await uninstall();
    const stale: Revision = structuredClone(harness.revision(1));
    await harness.reconcile(1);
    harness.freeze(stale);
    await harness.reconcile(1);
    expect(harness.events).toEqual([
      expect.objectContaining({
        type: 'Warning',
        reason: 'CustomResourcesExist',
        note: expect.stringContaining('ops/a'),
      }),
    ]);
    expect(kinds()).toContain('CustomResourceDefinition');
    expect(kinds()).not.toContain('ServiceAccount');
  });

  test('a CRD that stays is reported after the removal: a removal that does not end reports nothing', async () => {
    harness.cluster.put(widget);
    const held = refOf(account);
    harness.cluster.change(held, (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['example.com/hold'] },
    }));
    harness.setSubscription({ uninstall: { customResources: 'Block' } });
    await uninstall();
    await harness.reconcile(1);
    await harness.reconcile(1);
    expect(harness.events).toEqual([]);
    expect(harness.revision(1).status?.conditions?.find(({ type }) => type === 'Stalled')?.reason).toBe(
      'DeleteBlocked',
    );
  });
});

describe('spec.uninstall.objects: Orphan', () => {
  beforeEach(() => harness.setSubscription({ uninstall: { objects: 'Orphan' } }));

  test('leaves every object as it is, with one event', async () => {
    harness.cluster.put(widget);
    const before = harness.cluster.objects().filter(({ kind }) => ['ServiceAccount', 'Widget'].includes(kind));
    await uninstall();
    const from = harness.cluster.requests.length;
    await harness.reconcile(1);
    expect(harness.cluster.objects()).toEqual(expect.arrayContaining(before));
    expect(kinds()).toContain('CustomResourceDefinition');
    expect(kinds()).not.toContain('Revision');
    const written = harness.cluster.requests.slice(from).filter(({ verb }) => !['get', 'list'].includes(verb));
    expect(written.map(({ ref }) => ref.kind).filter((kind) => !['Revision', 'Secret'].includes(kind))).toEqual([]);
    expect(harness.events).toEqual([
      expect.objectContaining({
        type: 'Normal',
        reason: 'Orphaned',
        note: expect.stringContaining('The 2 objects of Revision widgets-1 stay') as string,
      }),
    ]);
  });
});

describe('a removal that no Subscription has asked for in the middle of the way back to OLM', () => {
  const wayBack = {
    backup: { apiVersion: 'v1', kind: 'Secret', namespace: 'slipway-system', name: 'slipway-adoption.ops.gadget' },
    olm: { from: 'olm-v0', namespace: 'ops', subscription: 'gadget' },
    goOn: 'slipway adopt undo ops/gadget',
  } as const;
  const asked: string[] = [];
  let isHandedBack: boolean;

  beforeEach(async () => {
    asked.length = 0;
    isHandedBack = true;
    const wayBackOf: NonNullable<RevisionDeps['wayBackOf']> = async ({ namespace, name, package: packageName }) => {
      asked.push(`${namespace}/${name} ${packageName}`);
      return isHandedBack ? wayBack : undefined;
    };
    harness = createHarness({ wayBackOf });
    await harness.addRevision(1, [sampleCrd('Widget'), account]);
    await harness.settle(1);
  });

  /** The collector deletes the Revision with its Subscription, and does not wait for the controller. */
  async function collect(finalizers: readonly string[]): Promise<void> {
    harness.cluster.change(subscription, (object) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup', ...finalizers] },
    })); // prettier-ignore
    await harness.cluster.delete(refOf(harness.revision(1)));
  }

  /** A person takes the finalizer off the Subscription while no manager runs. */
  async function takeAway(): Promise<void> {
    await collect([]);
    await harness.cluster.patch(subscription, { metadata: { finalizers: null } });
    expect(kinds()).not.toContain('Subscription');
  }

  test('deletes nothing if a person has deleted the Subscription in the foreground, and says why', async () => {
    await collect(['foregroundDeletion']);
    const again = await harness.reconcile(1);
    expect(kinds()).toEqual(expect.arrayContaining(['CustomResourceDefinition', 'ServiceAccount', 'Revision']));
    expect(again?.requeueAfterSeconds).toBeGreaterThan(0);
    expect(harness.revision(1).status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Stalled',
        reason: 'DeleteBlocked',
        message: expect.stringContaining('way back'),
      }),
    );
  });

  test('leaves every object if the Subscription was taken away, with one event', async () => {
    await takeAway();
    await harness.reconcile(1);
    expect(kinds()).toEqual(expect.arrayContaining(['CustomResourceDefinition', 'ServiceAccount']));
    expect(kinds()).not.toContain('Revision');
    expect(asked).toEqual(['ops/widgets widget-operator']);
    expect(harness.events).toEqual([
      expect.objectContaining({ reason: 'Orphaned', note: expect.stringContaining('slipway adopt undo') as string }),
    ]);
  });

  test.each([
    { because: 'deleted in the foreground', away: () => collect(['foregroundDeletion']) },
    { because: 'taken away', away: takeAway },
  ])('is carried out if no way back has begun, and the Subscription was $because', async ({ away }) => {
    isHandedBack = false;
    await away();
    await harness.reconcile(1);
    expect(kinds()).not.toContain('ServiceAccount');
  });

  test('deletes nothing if the Revision was deleted before its Subscription, as with a namespace', async () => {
    await uninstall();
    const again = await harness.reconcile(1);
    expect(kinds()).toContain('ServiceAccount');
    expect(again?.requeueAfterSeconds).toBeGreaterThan(0);
  });

  test('is carried out in an uninstall if no way back has begun', async () => {
    isHandedBack = false;
    await uninstall();
    await harness.reconcile(1);
    expect(asked).toHaveLength(1);
    expect(kinds()).not.toContain('ServiceAccount');
  });
});

describe('the event about objects that stay', () => {
  const secrets = (count: number): readonly KubeObject[] =>
    Array.from({ length: count }, (_, index) =>
      sample('v1', 'Secret', `slipway-pull-widgets-${index}`, { namespace: NAMESPACE }),
    );

  test.each([
    { copies: 0, says: /from now on$/, because: 'no copy of a pull secret stays' },
    { copies: 1, says: /: Secret ops\/slipway-pull-widgets-0$/, because: 'the Pods need the copy' },
    {
      copies: 5,
      says: /-widgets-0, .*-widgets-1, .*-widgets-2 and 2 more$/,
      because: 'the length of a note is limited',
    },
  ])('the event with $copies copies of pull secrets names them: $because', async ({ copies, says }) => {
    const other = createHarness();
    harness = other;
    harness.setSubscription({ uninstall: { objects: 'Orphan' } });
    await harness.addRevision(1, [account, ...secrets(copies)]);
    await harness.settle(1);
    await uninstall();
    await harness.reconcile(1);
    expect(harness.events).toEqual([
      expect.objectContaining({ reason: 'Orphaned', note: expect.stringMatching(says) as string }),
    ]);
    const left = harness.cluster.objects().filter(({ metadata }) => metadata.name.startsWith('slipway-pull-'));
    expect(left).toHaveLength(copies);
  });
});

test('an archived Revision that waits for the active one says so, and holds up no other until then', async () => {
  await harness.addRevision(2, [sampleCrd('Widget'), account]);
  harness.setState(1, 'Archived');
  await harness.settle(2);
  const held = refOf(account);
  await harness.cluster.patch(held, { metadata: { finalizers: ['example.com/hold'] } });
  await uninstall(2);
  await harness.cluster.delete(refOf(harness.revision(1)));
  const removal = harness.reconcile(2);
  await harness.reconcile(1);
  expect(kinds()).toContain('ServiceAccount');
  expect(harness.revision(1).status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Ready',
      message: 'Waits until the active Revision widgets-2 has deleted the objects of the operator',
    }),
  );
  await harness.cluster.patch(held, { metadata: { finalizers: null } });
  await removal;
  expect(kinds()).not.toContain('ServiceAccount');
  expect(harness.revision(2)).toBeUndefined();
});

test('the history is released while the active Revision is being removed, also if its deletion is seen later', async () => {
  await harness.addRevision(2, [sampleCrd('Widget'), account]);
  harness.setState(1, 'Archived');
  await harness.settle(2);
  await harness.settle(1);
  const held = refOf(account);
  await harness.cluster.patch(held, { metadata: { finalizers: ['example.com/hold'] } });
  await uninstall(2);
  const removal = harness.reconcile(2);
  await harness.reconcile(1);
  await harness.cluster.delete(refOf(harness.revision(1)));
  await harness.reconcile(1);
  expect(harness.revision(1)).toBeUndefined();
  expect(kinds()).toContain('ServiceAccount');
  await harness.cluster.patch(held, { metadata: { finalizers: null } });
  await removal;
  expect(harness.revision(2)).toBeUndefined();
});

describe('the Secrets of a Revision that is being removed', () => {
  const hold = (finalizers: readonly string[] | null): Promise<unknown> =>
    harness.cluster.patch(refOf(account), { metadata: { finalizers } });

  test('go while its objects go, since no step needs the manifests', async () => {
    await hold(['example.com/hold']);
    await uninstall();
    const removal = harness.reconcile(1);
    await expect.poll(kinds).not.toContain('Secret');
    expect(kinds()).toContain('ServiceAccount');
    await hold(null);
    await removal;
    expect(harness.revision(1)).toBeUndefined();
  });

  test('stay while custom resources block the removal', async () => {
    harness.setSubscription({ uninstall: { customResources: 'Block' } });
    harness.cluster.put(widget);
    await uninstall();
    await harness.reconcile(1);
    expect(kinds()).toContain('Secret');
  });

  test('are deleted before the Revision is released, if their deletion has failed before', async () => {
    let refused = false;
    const failing = createHarness({
      before: ({ verb, ref }) => {
        if (verb !== 'delete' || ref.kind !== 'Secret' || refused) return;
        refused = true;
        throw refusal(503, 'ServiceUnavailable', 'not now');
      },
    });
    harness = failing;
    await harness.addRevision(1, [account]);
    await harness.settle(1);
    await uninstall();
    await expect(harness.reconcile(1)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    expect(harness.revision(1)).toBeDefined();
    await harness.reconcile(1);
    expect(refused).toBe(true);
    expect(kinds()).not.toContain('Secret');
    expect(harness.revision(1)).toBeUndefined();
  });
});

test('an object that is removed completely causes no warning', async () => {
  await uninstall();
  await harness.reconcile(1);
  expect(harness.events).toEqual([]);
  expect(harness.revision(1)).toBeUndefined();
  expect(kinds().filter((kind) => ['CustomResourceDefinition', 'ServiceAccount', 'Secret'].includes(kind))).toEqual([]);
});

describe('why a removal is not complete', () => {
  const ref = refOf(account);
  const nothing = { removals: [], waiting: [], stays: [], failures: [] } as const;
  const failure = { reason: 'Forbidden', retry: 'backoff', message: 'no' } as const;
  const stay = { ref, reason: 'CustomResourcesExist', message: 'has objects' } as const;
  const cases = [
    {
      result: { ...nothing, state: 'Failed', step: 'rbac', failures: [failure] },
      says: { state: 'Working', reason: 'Forbidden', message: 'no' },
      because: 'a rejection comes first',
    },
    {
      result: { ...nothing, state: 'Waiting', stays: [stay] },
      says: { state: 'Failed', reason: 'DeleteBlocked', message: 'has objects' },
      because: 'without a step nothing was begun, by the policy',
    },
    {
      result: { ...nothing, state: 'Waiting', step: 'rbac', waiting: [{ ref, message: 'it is held by x' }] },
      says: {
        state: 'Working',
        reason: 'Uninstalling',
        message: 'ServiceAccount ops/widget-manager is being deleted: it is held by x',
      },
      because: 'a stuck object is named with its finalizer',
    },
    {
      result: { ...nothing, state: 'Waiting', step: 'rbac' },
      says: { state: 'Working', reason: 'Uninstalling', message: 'The objects are being deleted' },
      because: 'no object can be named',
    },
  ] as const;

  test.each(cases)('the reason of an incomplete removal is $says.reason, because $because', ({ result, says }) => {
    expect(judgeRemoval(result)).toEqual(says);
  });
});
