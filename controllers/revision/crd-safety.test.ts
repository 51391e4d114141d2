import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleCrd, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import { refOf } from '../../api/object.ts';
import { ANNOTATION } from '../../api/names.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const account = sample('v1', 'ServiceAccount', 'widget-manager', { namespace: NAMESPACE });
const first = [sampleCrd('Widget', { field: 'size' }), account];
/** The field `size` is removed, and a Deployment is added. */
const second = [sampleCrd('Widget', { field: 'weight' }), account, sampleDeployment('widget-manager')];
const widget = (name: string, spec: object): Parameters<Harness['cluster']['put']>[0] =>
  sample('example.com/v1', 'Widget', name, { namespace: NAMESPACE, spec });
const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'widgets.example.com' };

let harness: Harness;

/** The first Revision runs, and the second one takes over. */
async function upgrade(spec: object = {}): Promise<void> {
  harness.setSubscription(spec);
  harness.setState(1, 'Archived');
  await harness.addRevision(2, second, { previous: 'widgets-1' });
}

const writes = (): number =>
  harness.cluster.requests.filter(({ verb, dryRun, ref: { kind } }) => verb === 'apply' && !dryRun && kind !== 'Event')
    .length;
const fieldsOfCrd = async (): Promise<string> => JSON.stringify((await harness.cluster.get(ref))?.['spec']);

beforeEach(async () => {
  harness = createHarness();
  await harness.addRevision(1, first);
  expect(findCondition((await harness.settle(1)).status?.conditions, 'Ready')?.status).toBe('True');
});

describe('an upgrade whose CRD would lose data of an object', () => {
  test('an upgrade with an unsafe CRD writes nothing, and names the rule, the object and the waiver', async () => {
    harness.cluster.put(widget('a', { size: 1 }));
    await upgrade();
    const before = writes();
    const { status } = await harness.settle(2);
    expect(writes()).toBe(before);
    expect(findCondition(status?.conditions, 'Stalled')).toMatchObject({ reason: 'CRDUnsafe' });
    expect(findCondition(status?.conditions, 'Ready')?.message).toMatch(
      /widgets\.example\.com: v1: \^\.spec\.size: existingFieldRemoval: the field is gone \(ops\/a\).*waivers, crd widgets\.example\.com, rule existingFieldRemoval/,
    );
  });

  test('an upgrade of a tenant with an unsafe CRD names no object of other namespaces', async () => {
    harness.cluster.put(widget('a', { size: 1 }));
    harness.cluster.put({ ...widget('precious', { size: 1 }), metadata: { name: 'precious', namespace: 'platform' } });
    await upgrade({ serviceAccountName: 'installer' });
    const { status } = await harness.settle(2);
    expect(findCondition(status?.conditions, 'Ready')?.message).toContain('(ops/a and 1 in other namespaces)');
    expect(JSON.stringify(status)).not.toContain('precious');
  });

  test('an upgrade with an unsafe CRD is decided once: until an input changes, nothing is sent', async () => {
    harness.cluster.put(widget('a', { size: 1 }));
    await upgrade();
    await harness.settle(2);
    const before = harness.cluster.requests.length;
    for (let round = 0; round < 5; round += 1) expect(await harness.reconcile(2)).toBeUndefined();
    expect(harness.cluster.requests.length).toBe(before);
    harness.setSubscription({}, { [ANNOTATION.reconcileRequestedAt]: 'now' });
    await harness.reconcile(2);
    expect(harness.cluster.requests.length).toBeGreaterThan(before);
  });

  test('an unsafe CRD is checked again when a person requests it, and the status confirms the request', async () => {
    harness.cluster.put(widget('a', { size: 1 }));
    await upgrade();
    await harness.settle(2);
    const before = harness.cluster.requests.length;
    harness.cluster.change(refOf(harness.revision(2)), (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { [ANNOTATION.reconcileRequestedAt]: 'now' } },
    }));
    await harness.reconcile(2);
    expect(harness.cluster.requests.length).toBeGreaterThan(before);
    expect(harness.revision(2).status?.lastHandledReconcileAt).toBe('now');
  });

  test('an upgrade with an unsafe CRD goes on when the object is deleted and a reconcile requested', async () => {
    harness.cluster.put(widget('a', { size: 1 }));
    await upgrade();
    await harness.settle(2);
    await harness.cluster.delete({ apiVersion: 'example.com/v1', kind: 'Widget', namespace: NAMESPACE, name: 'a' });
    harness.setSubscription({}, { [ANNOTATION.reconcileRequestedAt]: 'now' });
    expect(findCondition((await harness.settle(2)).status?.conditions, 'Ready')?.status).toBe('True');
  });

  test.each([
    { spec: { crdUpgradeSafety: { enforcement: 'None' } }, because: 'nothing is enforced' },
    {
      spec: {
        crdUpgradeSafety: { waivers: [{ crd: 'widgets.example.com', rule: 'existingFieldRemoval', reason: 'unused' }] },
      },
      because: 'the rule is waived on this CRD',
    },
  ])('an upgrade with an unsafe CRD goes on if $because', async ({ spec }) => {
    harness.cluster.put(widget('a', { size: 1 }));
    await upgrade(spec);
    expect(findCondition((await harness.settle(2)).status?.conditions, 'Ready')?.status).toBe('True');
    expect(await fieldsOfCrd()).toContain('weight');
  });

  test('an upgrade with an unsafe CRD is rejected if the waiver is for another rule', async () => {
    harness.cluster.put(widget('a', { size: 1 }));
    await upgrade({ crdUpgradeSafety: { waivers: [{ crd: 'widgets.example.com', rule: 'enum' }] } });
    expect(findCondition((await harness.settle(2)).status?.conditions, 'Ready')?.reason).toBe('CRDUnsafe');
  });
});

test('an upgrade goes on if no object has the field that its CRD removes', async () => {
  harness.cluster.put(widget('a', { other: 1 }));
  await upgrade();
  expect(findCondition((await harness.settle(2)).status?.conditions, 'Ready')?.status).toBe('True');
});

describe('a rollback to a Revision that worked', () => {
  test('in a rollback a CRD that objects need stays, with an event, and all other objects are applied', async () => {
    await upgrade();
    await harness.settle(2);
    harness.cluster.put(widget('a', { weight: 1 }));
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    const { status } = await harness.settle(1);
    expect(findCondition(status?.conditions, 'Ready')?.status).toBe('True');
    expect(await fieldsOfCrd()).toContain('weight');
    const told = harness.events.filter(({ reason }) => reason === 'CRDUnsafe');
    expect(told).toEqual([
      expect.objectContaining({ type: 'Warning', note: expect.stringContaining('widgets.example.com stays as it is') }),
    ]);
  });

  test('in a rollback a CRD is changed back if no object would be hurt', async () => {
    await upgrade();
    await harness.settle(2);
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    await harness.settle(1);
    expect(await fieldsOfCrd()).toContain('size');
  });
});
