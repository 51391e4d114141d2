/** The reports about objects that other programs change or delete, and about losses by that. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sampleCrd, sampleDeployment, sampleOperator, sample } from '../../../apply/testing/sample-objects.ts';
import { findCondition } from '../../../api/conditions.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { createHarness, NAMESPACE, type Harness } from '../testing/harness.ts';
import type { RepairCause } from './drift.ts';

const objects = sampleOperator();
const deployment = refOf(sampleDeployment('widget-manager'));
const named = (kind: string): KubeObject => objects.find((object) => object.kind === kind) as KubeObject;
const crd = refOf(sampleCrd('Widget'));

let harness: Harness;
let counted: RepairCause[];

beforeEach(async () => {
  counted = [];
  harness = createHarness({ countRepair: (cause) => void counted.push(cause) });
  harness.setSubscription({ onFailure: { bakeTime: '0s' } });
  await harness.addRevision(1, objects);
  await harness.settle(1);
});

/** `Normal Repaired: …` of all events so far. */
const told = (): readonly string[] => harness.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);

/** A change by a program whose field manager the API server remembers, or not. */
function scale(replicas: number, manager?: string): void {
  const fieldsV1 = { 'f:spec': { 'f:replicas': {} } };
  harness.cluster.change(deployment, (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      generation: (object.metadata.generation ?? 1) + 1,
      managedFields: [
        { manager: 'slipway', operation: 'Apply' },
        ...(manager === undefined ? [] : [{ manager, fieldsV1 }]),
      ],
    } as KubeObject['metadata'],
    spec: { ...(object['spec'] as object), replicas },
  }));
}

/** The CRD is deleted at once, or waits for its custom resources as with a finalizer. */
async function deleteCrd(): Promise<void> {
  await harness.cluster.delete(crd);
}

const custom = (name: string, finalizers?: readonly string[]): KubeObject =>
  sample('example.com/v1', 'Widget', name, {
    metadata: { name, namespace: NAMESPACE, ...(finalizers && { finalizers }) },
  });

describe('events that are not repairs', () => {
  test('an installation reports no repair', () => {
    expect([told(), counted]).toEqual([[], []]);
    expect(harness.revision(1).status).not.toHaveProperty('lastRepair');
  });

  test('an upgrade reports no repair, and needs no additional request for that', async () => {
    harness.setState(1, 'Archived');
    await harness.addRevision(2, sampleOperator({ image: 'registry.example/operator:2' }), { previous: 'widgets-1' });
    const before = harness.cluster.requests.length;
    await harness.settle(2);
    const untouched = new Set(objects.filter(({ kind }) => kind !== 'Deployment').map(({ kind }) => kind));
    const asked = harness.cluster.requests.slice(before).map(({ ref }) => ref.kind);
    expect(asked.filter((kind) => untouched.has(kind))).toEqual([]);
    expect([told(), counted]).toEqual([[], []]);
  });

  test('a way back from an upgrade that was applied, and of which nothing was noted, reports no repair', async () => {
    const { inventory = [] } = harness.revision(1).status ?? {};
    harness.setState(1, 'Archived');
    await harness.addRevision(2, sampleOperator({ image: 'registry.example/operator:2' }), { previous: 'widgets-1' });
    await harness.settle(2);
    harness.cluster.change(refOf(harness.revision(2)), (object) => ({ ...object, status: { inventory } }));
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    const { status } = await harness.settle(1);
    expect(findCondition(status?.conditions, 'Ready')?.status).toBe('True');
    expect([told(), counted]).toEqual([[], []]);
    expect(status).not.toHaveProperty('lastRepair');
  });

  test('a change of a field that the manifest does not set reports no repair, and stays', async () => {
    harness.cluster.change(deployment, (object) => ({
      ...object,
      metadata: { ...object.metadata, generation: 7, managedFields: [{ manager: 'hpa' }] } as KubeObject['metadata'],
      spec: { ...(object['spec'] as object), paused: false },
    }));
    await harness.settle(1);
    expect(told()).toEqual([]);
  });
});

describe('the event of a repair', () => {
  test.each<{
    readonly because: string;
    readonly act: () => unknown;
    readonly cause: RepairCause;
    readonly note: string;
  }>([
    {
      because: 'a known program scaled it',
      act: () => scale(0, 'kubectl'),
      cause: 'Changed',
      note: 'Deployment.apps ops/widget-manager is as it should be again: spec.replicas was changed by kubectl',
    },
    {
      because: 'an unknown program changed it',
      act: () => scale(0),
      cause: 'Changed',
      note: 'Deployment.apps ops/widget-manager was changed and is as it should be again',
    },
    {
      because: 'it was deleted',
      act: () => harness.cluster.delete(refOf(named('ClusterRole'))),
      cause: 'Deleted',
      note: 'ClusterRole.rbac.authorization.k8s.io widget-manager was deleted, and the manager has created it again',
    },
    {
      because: 'it was replaced by the same object with another uid',
      act: () =>
        harness.cluster.change(refOf(named('ClusterRole')), (object) => ({
          ...object,
          metadata: { ...object.metadata, uid: 'another' },
        })),
      cause: 'Replaced',
      note: 'ClusterRole.rbac.authorization.k8s.io widget-manager was replaced by another object of its name, which the manager keeps from now on',
    },
  ])('a repair reports $cause: $because', async ({ act, cause, note }) => {
    await act();
    await harness.settle(1);
    expect(told()).toEqual([`Normal Repaired: ${note} (widget-operator.v1.0.0)`]);
    expect(counted).toEqual([cause]);
    expect(harness.revision(1).status?.lastRepair).toEqual({ time: '2026-01-01T00:00:00Z', objects: 1, message: note });
  });

  test('one event reports the repair of many objects at once', async () => {
    const gone = objects.filter(({ kind }) => !['CustomResourceDefinition', 'Deployment'].includes(kind));
    for (const object of gone) await harness.cluster.delete(refOf(object));
    await harness.settle(1);
    expect(told()).toHaveLength(1);
    expect(told()[0]).toMatch(/; and 3 more \(widget-operator\.v1\.0\.0\)$/);
    expect(counted).toHaveLength(gone.length);
    expect(harness.revision(1).status?.lastRepair?.objects).toBe(gone.length);
  });

  test('the last repair stays in the status after the next Revision has been settled', async () => {
    scale(0, 'kubectl');
    await harness.settle(1);
    harness.pass(60);
    await harness.settle(1);
    expect(harness.revision(1).status?.lastRepair?.time).toBe('2026-01-01T00:00:00Z');
  });
});

describe('a CRD that was deleted', () => {
  const lost = (one: Revision): readonly string[] =>
    (one.status?.losses ?? []).map(({ crd: name, message }) => `${name}: ${message}`);

  test('the deletion of a CRD is reported by event, condition and log: its custom resources are lost', async () => {
    await deleteCrd();
    const settled = await harness.settle(1);
    expect(told().map((text) => text.split(':')[0])).toEqual(['Normal Repaired', 'Warning CustomResourcesLost']);
    expect(lost(settled)).toEqual(['widgets.example.com: how many there were is not known']);
    const [, shouted = ''] = told();
    expect(shouted).toContain('restore its objects from a backup');
    expect(shouted).toContain(
      'kubectl -n ops annotate subscriptions.slipway.dev widgets --overwrite slipway.dev/losses-acknowledged-at=2026-01-01T00:00:00Z',
    );
  });

  test('the deletion of a CRD is reported with the custom resources that it had when it was noticed', async () => {
    for (const name of ['a', 'b']) harness.cluster.put(custom(name, ['example.com/hold']));
    await deleteCrd();
    await harness.reconcile(1).catch(() => undefined);
    for (const name of ['a', 'b']) await harness.cluster.patch(refOf(custom(name)), { metadata: { finalizers: null } });
    const settled = await harness.settle(1);
    expect(lost(settled)).toEqual(['widgets.example.com: 2 were there when the deletion was noticed (ops/a, ops/b)']);
  });

  test('the deletion of an empty CRD is reported as such', async () => {
    harness.cluster.change(crd, (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['example.com/hold'] },
    }));
    await deleteCrd();
    await harness.reconcile(1).catch(() => undefined);
    await harness.cluster.patch(crd, { metadata: { finalizers: null } });
    expect(lost(await harness.settle(1))).toEqual([
      'widgets.example.com: none was found when the deletion was noticed',
    ]);
  });

  test('a CRD that was only changed has lost nothing', async () => {
    harness.cluster.put(custom('a'));
    harness.cluster.change(crd, (object) => ({
      ...object,
      metadata: { ...object.metadata, generation: (object.metadata.generation ?? 1) + 1 },
      spec: { ...(object['spec'] as object), names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] } },
    }));
    const settled = await harness.settle(1);
    expect(told().map((text) => text.split(':')[0])).toEqual(['Normal Repaired']);
    expect(lost(settled)).toEqual([]);
  });

  test("the deletion of a tenant's CRD does not name objects of other namespaces", async () => {
    harness = createHarness();
    harness.setSubscription({ onFailure: { bakeTime: '0s' }, serviceAccountName: 'tenant' });
    await harness.addRevision(1, objects, { serviceAccountName: 'tenant' });
    await harness.settle(1);
    harness.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    const foreign = sample('example.com/v1', 'Widget', 'secret-plan', {
      metadata: { name: 'secret-plan', namespace: 'other', finalizers: ['x/y'] },
    });
    harness.cluster.put(foreign);
    await deleteCrd();
    await harness.reconcile(1).catch(() => undefined);
    await harness.cluster.patch(refOf(foreign), { metadata: { finalizers: null } });
    const [loss = ''] = lost(await harness.settle(1));
    expect(loss).toContain('1 were there');
    expect(loss).not.toContain('secret-plan');
  });
});

describe('a contest with another program', () => {
  const contest = (): string | undefined => findCondition(harness.revision(1).status?.conditions, 'Contested')?.message;
  const fight = async (times: number, seconds = 10): Promise<void> => {
    for (let round = 0; round < times; round += 1) {
      harness.pass(seconds);
      scale(0, 'autoscaler');
      await harness.settle(1);
    }
  };

  test('a contest is reported as such, with advice, and its single repairs are not', async () => {
    await fight(4);
    expect(contest()).toBeUndefined();
    await fight(1);
    expect(contest()).toMatch(
      /repaired 5 times within 10 minutes, and autoscaler changed spec\.replicas back each time\. Configure autoscaler/,
    );
    await fight(20);
    const reasons = harness.events.map(({ reason }) => reason);
    expect(reasons).toEqual([...Array<string>(4).fill('Repaired'), ...Array<string>(3).fill('Contested')]);
    expect(counted).toHaveLength(25);
  });

  test('is no less one if the next attempt fails for something else', async () => {
    await fight(5);
    harness.pass(10);
    scale(0, 'autoscaler');
    for (const secret of harness.cluster.objects().filter(({ kind }) => kind === 'Secret'))
      await harness.cluster.delete(refOf(secret));
    await expect(harness.reconcile(1)).rejects.toMatchObject({ reason: 'ManifestsMissing' });
    expect(contest()).toContain('repaired 5 times');
  });

  test('goes on at a walk: the next round waits, and sends nothing meanwhile', async () => {
    await fight(5);
    harness.pass(1);
    scale(0, 'autoscaler');
    const before = harness.cluster.requests.length;
    expect(await harness.reconcile(1)).toEqual({ requeueAfterSeconds: 4 });
    expect(harness.cluster.requests.length).toBe(before);
    harness.pass(4);
    await harness.settle(1);
    expect(counted).toHaveLength(6);
  });

  test('holds up no repair of anything else', async () => {
    await fight(5);
    harness.pass(1);
    scale(0, 'autoscaler');
    await harness.cluster.delete(refOf(named('ClusterRole')));
    await harness.settle(1);
    expect(counted.filter((cause) => cause === 'Deleted')).toHaveLength(1);
  });

  test('a contest is over when nothing was repaired for ten minutes, and a reconcile follows', async () => {
    await fight(5);
    expect(await harness.reconcile(1)).toEqual({ requeueAfterSeconds: 600 });
    harness.pass(600);
    await harness.settle(1);
    expect(contest()).toBeUndefined();
    expect(await harness.reconcile(1)).toBeUndefined();
  });

  test('repairs of the same object now and then are no contest', async () => {
    await fight(8, 300);
    expect(contest()).toBeUndefined();
  });
});
