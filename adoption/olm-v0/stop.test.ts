/** A way back to OLM v0 that has begun is given up again, as long as Slipway has the operator. */
import { beforeEach, describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { backupRef, beginWayBack, endHandOver, makeBackup, readBackup, writeBackup } from './backup.ts';
import { StopUndo, type StopStep } from './stop.ts';
import { csvOf, ofOlm, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateSubscription } from './translate.ts';

const name = { namespace: 'ops', subscription: 'gadget', kept: 'slipway-system' };
const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const survey = { ...surveyOf(), subscription: subscriptionOf(), csv: csvOf('gadget.v1') };
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });
const backup = writeBackup(makeBackup(survey, operator, { wanted, objects: [] }), name.kept);
const OWN = refOf(wanted);
const CONDITION = ofOlm('operatorCondition', 'gadget.v1');

let cluster: FakeCluster;
beforeEach(() => {
  cluster = createFakeCluster();
  for (const namespace of ['ops', name.kept])
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const [kind, group] of [['OperatorCondition', 'operators.coreos.com']] as const)
    cluster.put({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `operatorconditions.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural: 'operatorconditions' },
        versions: [{ name: 'v2', served: true, storage: true, schema: {} }],
      },
    });
  cluster.put(CONDITION);
  cluster.put(begun());
  cluster.put(ownOf());
});

function begun(before: object = { objects: 'Delete' }): KubeObject {
  const wayBack = { subscription: 'u1', revision: 'gadget-1', managed: [], before };
  return stage(beginWayBack(wayBack));
}

function stage(patch: object): KubeObject {
  const { metadata, data } = fieldsOf(patch);
  return {
    ...backup,
    metadata: { ...backup.metadata, ...fieldsOf(metadata) },
    data: { ...fieldsOf(backup['data']), ...fieldsOf(data) },
  };
}

function ownOf(objects = 'Delete', metadata: object = {}): KubeObject {
  return {
    ...wanted,
    metadata: { ...wanted.metadata, uid: 'u1', finalizers: ['slipway.dev/cleanup'], ...metadata },
    spec: { ...fieldsOf(wanted['spec']), uninstall: { objects } },
  };
}

async function stop(): Promise<readonly StopStep[]> {
  const steps: StopStep[] = [];
  for (let count = 0; count < 10; count += 1) {
    const stopping = new StopUndo({ cluster, name, signal: NEVER });
    const { step, facts } = await stopping.next();
    steps.push(step);
    if (step === 'Done') return steps;
    await stopping.carryOut(step, facts);
  }
  throw new Error(`no end after ${steps.join(', ')}`);
}

const writes = () => cluster.requests.filter(({ verb }) => !['get', 'list'].includes(verb));

describe('Slipway keeps the operator', () => {
  test.each([
    { because: 'only the list is kept', objects: 'Delete' },
    { because: 'the Subscription was to leave its objects', objects: 'Orphan' },
  ])('with the objects of OLM tied to its Subscription again: $because', async ({ objects }) => {
    cluster.put(ownOf(objects));
    expect(await stop()).toEqual(['Withdraw', 'Done']);
    const secret = (await cluster.get(backupRef(name)))!;
    expect(readBackup(secret, name)).toMatchObject({ stage: 'HandedOver' });
    expect(Object.keys(fieldsOf(secret['data']))).toEqual(['backup.json.gz']);
    expect(fieldsOf((await cluster.get(OWN))?.['spec'])['uninstall']).toEqual({ objects: 'Delete' });
    expect((await cluster.get(refOf(CONDITION)))?.metadata.ownerReferences).toMatchObject([{ uid: 'u1' }]);
  });

  test('which has left its objects before, and still would', async () => {
    cluster.put(begun({ objects: 'Orphan' }));
    cluster.put(ownOf('Orphan'));
    await stop();
    expect(fieldsOf((await cluster.get(OWN))?.['spec'])['uninstall']).toEqual({ objects: 'Orphan' });
  });

  test('and nothing is written if no way back has begun', async () => {
    cluster.put(stage(endHandOver()));
    expect(await stop()).toEqual(['Done']);
    expect(writes()).toEqual([]);
  });
});

test.each<{ because: string; change: () => unknown }>([
  { because: 'its Subscription is gone', change: () => cluster.delete(OWN) },
  {
    because: 'its Subscription is being deleted, and leaves its objects',
    change: () => cluster.put(ownOf('Orphan', { deletionTimestamp: '2026-11-23T00:00:00Z' })),
  },
  { because: 'GitOps made its Subscription again', change: () => cluster.put(ownOf('Delete', { uid: 'another' })) },
])('it is too late, and nothing is written: $because', async ({ because, change }) => {
  if (because.includes('gone')) cluster.put(ownOf('Delete', { finalizers: [] }));
  await change();
  const before = writes().length;
  await expect(stop()).rejects.toMatchObject({ reason: 'Collision' });
  expect(writes()).toHaveLength(before);
});

test('an uninstall that is held goes on', async () => {
  cluster.put(ownOf('Delete', { deletionTimestamp: '2026-11-23T00:00:00Z' }));
  expect(await stop()).toEqual(['Withdraw', 'Done']);
});
