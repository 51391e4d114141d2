import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sample, sampleCrd } from '../../apply/testing/sample-objects.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { judgeRemoval } from './remove.ts';
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

describe('the event about objects that stay', () => {
  const secrets = (count: number): readonly KubeObject[] =>
    Array.from({ length: count }, (_, index) =>
      sample('v1', 'Secret', `slipway-pull-widgets-${index}`, { namespace: NAMESPACE }),
    );

  test.each([
    { copies: 0, says: /from now on$/, because: 'no copy of a pull secret stays' },
    { copies: 1, says: /: Secret ops\/slipway-pull-widgets-0$/, because: 'the Pods need the copy' },
    { copies: 5, says: /-widgets-0, .*-widgets-1, .*-widgets-2, 2 more$/, because: 'the length of a note is limited' },
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
    expect.objectContaining({ type: 'Ready', message: 'Revision widgets-2 is removed first' }),
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
    await vi.waitFor(() => expect(kinds()).not.toContain('Secret'));
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
