/** The writes of a roll-out, and the objects that it leaves alone; the parts are tested on their own. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeOptions } from '../../kube/testing/fake-cluster.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { sample, sampleCrd, sampleDeployment, sampleOperator } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import { refOf } from '../../api/object.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const objects = sampleOperator();
const deployment = sampleDeployment('widget-manager');
let harness: Harness;
/** Makes requests fail. */
let failing: FakeOptions['before'] | undefined;

const ready = (number: number): string | undefined =>
  findCondition(harness.revision(number).status?.conditions, 'Ready')?.status;
const kinds = (): Set<string> =>
  new Set(harness.cluster.objects().map(({ kind, metadata }) => `${kind} ${metadata.name}`));

beforeEach(async () => {
  failing = undefined;
  harness = createHarness({ before: (request) => failing?.(request, harness.cluster) });
  harness.setSubscription({ onFailure: { bakeTime: '10s' } });
  await harness.addRevision(1, objects);
  await harness.settle(1);
});

test('a Revision is Ready once all its objects are, and its inventory has the uid of each', () => {
  expect(ready(1)).toBe('True');
  const { inventory = [] } = harness.revision(1).status ?? {};
  expect(inventory).toHaveLength(objects.length);
  expect(inventory.every(({ uid, hash }) => uid !== '' && hash !== '')).toBe(true);
});

test('an object that is in place and unchanged costs no request', async () => {
  const before = harness.cluster.requests.length;
  expect(await harness.reconcile(1)).toBeUndefined();
  expect(harness.cluster.requests.length).toBe(before);
});

describe('drift', () => {
  test('a deleted object is made again, and nothing else is sent', async () => {
    await harness.cluster.delete({ ...refOf(deployment), namespace: NAMESPACE });
    const before = harness.cluster.requests.length;
    await harness.settle(1);
    const sent = harness.cluster.requests.slice(before).filter(({ verb, dryRun }) => verb === 'apply' && !dryRun);
    expect(sent.map(({ ref }) => ref.kind)).toEqual(['Deployment']);
    expect(ready(1)).toBe('True');
  });

  test('a changed object is repaired', async () => {
    harness.cluster.change(refOf(deployment), (object) => ({
      ...object,
      metadata: { ...object.metadata, generation: 9 },
      spec: { ...(object['spec'] as object), replicas: 7 },
    }));
    await harness.settle(1);
    expect((await harness.cluster.get(refOf(deployment)))?.['spec']).toMatchObject({ replicas: 1 });
  });

  test('the entries of a ConfigMap of the bundle are set back, and those that a person has added stay', async () => {
    const settings = objects.find(({ kind }) => kind === 'ConfigMap')!;
    harness.cluster.change(refOf(settings), (object) => ({
      ...object,
      metadata: { ...object.metadata, generation: 9 },
      data: { level: 'debug', format: 'json', own: '1' },
    }));
    await harness.settle(1);
    const live = await harness.cluster.get(refOf(settings));
    expect(live?.['data']).toEqual({ level: 'info', format: 'json', own: '1' });
  });
});

test('a kind that is no longer served is named, and the roll-out does not wait for it', async () => {
  const crd = sampleCrd('ServiceMonitor', { group: 'monitoring.coreos.com' });
  harness.cluster.put(crd);
  const monitor = sample('monitoring.coreos.com/v1', 'ServiceMonitor', 'widget-monitor', { namespace: NAMESPACE });
  await harness.addRevision(1, [...objects, monitor]);
  await harness.settle(1);
  expect(ready(1)).toBe('True');
  await harness.cluster.delete(refOf(crd));
  await expect(harness.reconcile(1)).rejects.toMatchObject({ reason: 'DependencyNotReady' });
  const told = findCondition(harness.revision(1).status?.conditions, 'Ready');
  expect(told).toMatchObject({ status: 'False', reason: 'DependencyNotReady' });
  expect(told?.message).toContain('ServiceMonitor.monitoring.coreos.com');
});

describe('an upgrade', () => {
  const next = [
    ...sampleOperator({ image: 'registry.example/operator:2' }).filter(({ kind }) => kind !== 'ConfigMap'),
    sample('v1', 'ConfigMap', 'widget-settings', { namespace: NAMESPACE, data: {} }),
  ];

  beforeEach(async () => {
    harness.setState(1, 'Archived');
    await harness.addRevision(2, next, { previous: 'widgets-1' });
  });

  test('a Revision that was just made, to be activated, gets no status before', async () => {
    await harness.addRevision(3, next, { state: 'Archived' });
    const before = harness.cluster.requests.length;
    await harness.reconcile(3);
    expect(harness.cluster.requests.length).toBe(before);
  });

  test('an upgrade sends only the objects that differ', async () => {
    const before = harness.cluster.requests.length;
    await harness.settle(2);
    const sent = harness.cluster.requests.slice(before).filter(({ verb, dryRun }) => verb === 'apply' && !dryRun);
    expect(sent.map(({ ref }) => `${ref.kind} ${ref.name}`).sort()).toEqual([
      'ConfigMap widget-settings',
      'Deployment widget-manager',
    ]);
  });

  test('an upgrade keeps leftovers until the Revision has been healthy for the bake time', async () => {
    await harness.settle(2);
    expect(kinds()).toContain('ConfigMap widget-config');
    expect(await harness.reconcile(2)).toMatchObject({ requeueAfterSeconds: expect.closeTo(10, 1) as number });
    harness.pass(11);
    await harness.settle(2);
    expect(kinds()).not.toContain('ConfigMap widget-config');
    expect(harness.revision(2).status?.inventory?.map(({ name }) => name)).not.toContain('widget-config');
    expect(findCondition(harness.revision(2).status?.conditions, 'Reconciling')).toBeUndefined();
  });

  test.each([500, 409, 403, 429])(
    'an upgrade is not finished while a deletion is answered %d, and retries it',
    async (code) => {
      await harness.settle(2);
      harness.pass(11);
      failing = ({ verb, ref }) => {
        if (verb === 'delete' && ref.name === 'widget-config') throw refusal(code, '', 'no');
      };
      await expect(harness.reconcile(2)).rejects.toMatchObject({ retry: 'backoff' });
      const told = findCondition(harness.revision(2).status?.conditions, 'Reconciling');
      expect(told?.message).toContain('ConfigMap ops/widget-config');
      harness.pass(61);
      const refused = await harness.reconcile(2).catch((error: unknown) => error);
      expect(refused).toMatchObject({ retry: 'backoff' });
      expect(findCondition(harness.revision(2).status?.conditions, 'Reconciling')?.reason).toBe(
        (refused as { readonly reason: string }).reason,
      );
      failing = undefined;
      await harness.settle(2);
      expect(kinds()).not.toContain('ConfigMap widget-config');
      expect(findCondition(harness.revision(2).status?.conditions, 'Reconciling')).toBeUndefined();
    },
  );

  test('an upgrade names a leftover that a finalizer holds, and is finished once it is gone', async () => {
    const config = refOf(objects.find(({ metadata }) => metadata.name === 'widget-config') ?? deployment);
    const held = { ...config, namespace: NAMESPACE };
    harness.cluster.change(held, (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['example.com/hold'] },
    }));
    await harness.settle(2);
    harness.pass(11);
    await harness.settle(2);
    const told = findCondition(harness.revision(2).status?.conditions, 'Reconciling');
    expect(told).toMatchObject({
      reason: 'Progressing',
      message: expect.stringContaining('example.com/hold') as string,
    });
    harness.pass(61);
    expect(await harness.reconcile(2)).toEqual({ requeueAfterSeconds: 30 });
    expect(findCondition(harness.revision(2).status?.conditions, 'Reconciling')?.reason).toBe('DeleteBlocked');
    harness.pass(11);
    expect(await harness.reconcile(2)).toEqual({ requeueAfterSeconds: 30 });
    await harness.cluster.patch(held, { metadata: { finalizers: null } });
    await harness.settle(2);
    expect(findCondition(harness.revision(2).status?.conditions, 'Reconciling')).toBeUndefined();
    expect(harness.revision(2).status?.inventory?.map(({ name }) => name)).not.toContain('widget-config');
  });

  test('a CRD that is kept for its custom resources costs no request once it was found, also if it is changed', async () => {
    const crd = refOf(sampleCrd('Widget'));
    harness.cluster.put(sample('example.com/v1', 'Widget', 'one', { metadata: { name: 'one', namespace: NAMESPACE } }));
    harness.setState(2, 'Archived');
    await harness.addRevision(
      3,
      next.filter(({ kind }) => kind !== crd.kind),
      { previous: 'widgets-1' },
    );
    await harness.settle(3);
    harness.pass(11);
    await harness.settle(3);
    harness.cluster.change(crd, (object) => ({ ...object, metadata: { ...object.metadata, generation: 9 } }));
    const before = harness.cluster.requests.length;
    expect(await harness.reconcile(3)).toBeUndefined();
    expect(harness.cluster.requests.slice(before)).toEqual([]);
    expect(harness.revision(3).status?.inventory?.map(({ name }) => name)).toContain(crd.name);
  });

  test('an upgrade that is rejected keeps the leftovers for as long as that lasts', async () => {
    harness.cluster.put(
      sample('v1', 'ConfigMap', 'widget-settings', { namespace: NAMESPACE, data: { by: 'somebody' } }),
    );
    for (const seconds of [0, 60]) {
      harness.pass(seconds);
      await expect(harness.reconcile(2)).rejects.toMatchObject({ reason: 'Collision', retry: 'backoff' });
    }
    expect(ready(2)).toBe('False');
    expect(kinds()).toContain('ConfigMap widget-config');
  });
});

describe('an upgrade that a person takes back before it is rolled out', () => {
  const added = sample('v1', 'ConfigMap', 'widget-added', { namespace: NAMESPACE, data: {} });

  test('its new objects are pruned, although all objects of the unhealthy version before are in place', async () => {
    harness.cluster.change(refOf(deployment), (object) => ({
      ...object,
      status: { ...(object['status'] as object), availableReplicas: 0, readyReplicas: 0, conditions: [] },
    }));
    await harness.settle(1);
    expect(findCondition(harness.revision(1).status?.conditions, 'Ready')?.reason).toBe('WorkloadUnhealthy');
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [...objects, added], { previous: 'widgets-1' });
    await harness.reconcile(2);
    expect(kinds()).toContain('ConfigMap widget-added');
    // The reconcile of the archived Revision waits for that of the active one, and comes too late.
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    await harness.settle(1);
    harness.cluster.change(refOf(deployment), (object) => ({
      ...object,
      status: { ...(object['status'] as object), availableReplicas: 1, readyReplicas: 1 },
    }));
    await harness.settle(1);
    await harness.settle(2);
    expect(harness.revision(2).status?.inventory).toEqual([]);
    expect(harness.revision(1).status?.inventory?.map(({ name }) => name)).toContain('widget-added');
    harness.pass(11);
    await harness.settle(1);
    expect(kinds()).not.toContain('ConfigMap widget-added');
  });
});

describe('a CRD that waits for its custom resources to be finalized, after a person deleted it', () => {
  const crd = refOf(sampleCrd('Widget'));
  const custom = sample('example.com/v1', 'Widget', 'one', {
    metadata: { name: 'one', namespace: NAMESPACE, finalizers: ['example.com/hold'] },
  });
  const told = (): string => findCondition(harness.revision(1).status?.conditions, 'Ready')?.message ?? '';

  beforeEach(async () => {
    harness.cluster.put(custom);
    harness.cluster.change(crd, (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
    }));
    await harness.cluster.delete(crd);
    await harness.cluster.delete({ ...refOf(deployment), namespace: NAMESPACE });
  });

  test('the operator that has to finalize them is repaired, and the Revision is not Ready before the CRD is back', async () => {
    await harness.reconcile(1).catch(() => undefined);
    expect(kinds()).toContain('Deployment widget-manager');
    expect([ready(1), told()]).toEqual(['False', expect.stringContaining('is being deleted')]);
    await harness.cluster.patch(refOf(custom), { metadata: { finalizers: null } });
    await harness.cluster.patch(crd, { metadata: { finalizers: null } });
    await harness.settle(1);
    expect([ready(1), kinds().has('CustomResourceDefinition widgets.example.com')]).toEqual(['True', true]);
  });

  test('an upgrade that changes the CRD writes nothing until the CRD is gone', async () => {
    const next = objects.map((one) => (one.kind === crd.kind ? sampleCrd('Widget', { field: 'count' }) : one));
    harness.setState(1, 'Archived');
    await harness.addRevision(2, next, { previous: 'widgets-1' });
    await expect(harness.reconcile(2)).rejects.toMatchObject({ reason: 'Conflict' });
    expect(kinds()).not.toContain('Deployment widget-manager');
  });
});
