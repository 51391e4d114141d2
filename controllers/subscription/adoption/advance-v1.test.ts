/** An operator of OLM v1 is adopted by the manager, against a cluster in memory that plays OLM and the collector. */
import { beforeEach, describe, expect, test } from 'vitest';
import { findCondition } from '../../../api/conditions.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import type { FakeCluster, FakeOptions } from '../../../kube/testing/fake-cluster.ts';
import { adopted, DEPLOYMENT, find, Killed, object, own, OWN, type Adopter } from './testing/scene.ts';
import {
  adopterOfV1,
  BACKUP_V1,
  clusterOfV1,
  CRD,
  EXTENSION_REF,
  RELEASE,
  SPEC_V1,
  versionOfExtension,
} from './testing/scene-v1.ts';

let manager: Adopter;
beforeEach(() => (manager = adopterOfV1()));

async function expectAdopted(cluster: FakeCluster, version = '1.0.0'): Promise<void> {
  expect(adopted(cluster)).toMatchObject({ status: 'True', reason: 'Adopted' });
  expect(own(cluster).status?.adoption).toEqual({
    clusterExtension: 'gadget',
    stage: 'HandedOver',
    step: 'Done',
    version,
    backup: { namespace: BACKUP_V1.namespace, name: BACKUP_V1.name },
  });
  expect(own(cluster).spec).toEqual(SPEC_V1);
  for (const gone of [EXTENSION_REF, RELEASE]) expect(await find(cluster, gone)).toBeUndefined();
  const backup = await find(cluster, BACKUP_V1);
  expect(backup?.metadata.annotations).toEqual({ 'slipway.dev/adoption-stage': 'HandedOver' });
  for (const ref of [DEPLOYMENT, CRD]) {
    const { labels, annotations, ownerReferences } = (await find(cluster, ref))?.metadata ?? {};
    expect({ labels, annotations, ownerReferences }).toEqual({
      labels: {},
      annotations: { 'slipway.dev/adopt-by': 'ops/gadget' },
      ownerReferences: [],
    });
  }
}

/** Has OLM install a newer version as soon as the manager has written the ClusterExtension for the first time. */
function upgradingAtTheFirstWrite(): FakeOptions {
  let isDone = false;
  return {
    after: ({ verb, ref }, cluster) => {
      if (isDone || verb !== 'patch' || ref.kind !== EXTENSION_REF.kind) return;
      isDone = true;
      cluster.change(EXTENSION_REF, (one) => {
        const install = { bundle: { name: 'gadget-operator.v1.1.0', version: '1.1.0' } };
        return { ...one, status: { ...fieldsOf(one['status']), install } };
      });
    },
  };
}

describe('an operator of OLM v1 is adopted', () => {
  test('nothing is installed before OLM has released it, then its version, then upgrades go on', async () => {
    const cluster = clusterOfV1();
    expect(await manager.toTheEnd(cluster)).toEqual(['holding', 'takingOver', 'none']);
    await expectAdopted(cluster);
    expect(manager.events.map(({ reason }) => reason)).toEqual(['Adopting', 'Adopting', 'Adopting', 'Adopted']);
    expect(manager.events.every(({ type }) => type === 'Normal')).toBe(true);
  });

  test('the same end is reached wherever the process is killed', async () => {
    let kills = 0;
    for (let at = 1; kills === at - 1; at++) {
      let writes = 0;
      const cluster = clusterOfV1(SPEC_V1, {
        after: ({ verb }) => {
          if (verb === 'get' || verb === 'list' || ++writes !== at) return;
          kills += 1;
          throw new Killed(`after write ${at}`);
        },
      });
      await manager.toTheEnd(cluster);
      await expectAdopted(cluster);
    }
    expect(kills).toBeGreaterThan(20);
  });

  test('until its version is taken over, the Subscription is not Ready and reports the step', async () => {
    const cluster = clusterOfV1();
    let holds = 0;
    for (; own(cluster).status?.adoption?.stage !== 'TakingOver'; manager.olm(cluster)) {
      const { state } = await manager.advance(cluster);
      if (state !== 'holding') continue;
      holds += 1;
      const { conditions } = own(cluster).status ?? {};
      expect(findCondition(conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'Adopting' });
      expect(findCondition(conditions, 'Ready')?.message).toMatch(/^Step \d+ of 16: /);
    }
    expect(holds).toBeGreaterThan(1);
  });

  test('although its Pods are replaced, if spec.adopt allows that', async () => {
    const cluster = clusterOfV1({ ...SPEC_V1, adopt: { ...SPEC_V1.adopt, restarts: 'Allow' } });
    manager.render = async () => [object(DEPLOYMENT, { spec: { template: { spec: { hostNetwork: true } } } })];
    await manager.toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
  });

  test('its version is rendered as if it were pinned, before anything is changed', async () => {
    const cluster = clusterOfV1({ ...SPEC_V1, version: '>=2.0.0', approval: 'Manual' });
    const asked: Subscription['spec'][] = [];
    manager.render = async ({ spec }) => {
      asked.push(spec);
      expect(await find(cluster, BACKUP_V1)).toBeUndefined();
      return [];
    };
    await manager.advance(cluster);
    expect(asked).toEqual([expect.objectContaining({ version: '1.0.0', approval: 'Automatic' })]);
  });

  test('it goes on although spec.adopt is taken out once there is a backup', async () => {
    const cluster = clusterOfV1();
    await manager.advance(cluster);
    const { adopt: _adopt, ...spec } = SPEC_V1;
    cluster.change(OWN, (one) => ({ ...one, spec }));
    await manager.toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
  });

  test('if OLM begins an upgrade meanwhile, it gets its versions back, and the newer one is adopted', async () => {
    const cluster = clusterOfV1(SPEC_V1, { extension: { catalog: { version: '1.x' } }, ...upgradingAtTheFirstWrite() });
    await manager.advance(cluster);
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Collision' });
    expect(adopted(cluster)?.message).toContain('OLM has gone on to version 1.1.0');
    expect(versionOfExtension(await find(cluster, EXTENSION_REF))).toBe('1.x');
    expect(await find(cluster, BACKUP_V1)).toBeUndefined();
    manager.bundle = 'gadget-operator.v1.1.0';
    manager.olm(cluster);
    await manager.toTheEnd(cluster);
    await expectAdopted(cluster, '1.1.0');
  });

  test.each([
    { because: 'it has not acted on the version', step: 'AwaitPause' },
    { because: 'it has not taken its finalizers off', step: 'AwaitOlmOut' },
  ])(
    'while OLM is waited for, nothing is listed or written, and it is asked ever less often: $because',
    async ({ step }) => {
      const cluster = clusterOfV1();
      for (; own(cluster).status?.adoption?.step !== step; manager.olm(cluster)) await manager.advance(cluster);
      cluster.change(EXTENSION_REF, (one) => ({ ...one, metadata: { ...one.metadata, generation: 99 } }));
      const asked: unknown[] = [];
      for (const seconds of [0, 30, 100, 3600]) {
        manager.now = new Date(seconds * 1000);
        const before = cluster.requests.length;
        asked.push((await manager.advance(cluster)).againSeconds);
        if (seconds > 0) expect(cluster.requests.slice(before).filter(({ verb }) => verb !== 'get')).toEqual([]);
      }
      expect(asked).toEqual([2, 2, 10, 30]);
    },
  );

  test('objects in foreign namespaces to which tenants gave the marks of OLM hold nothing up, and stay as they are', async () => {
    const cluster = clusterOfV1();
    cluster.put(object({ apiVersion: 'v1', kind: 'Namespace', name: 'tenant' }));
    const { labels, ownerReferences = [] } = (await find(cluster, DEPLOYMENT))?.metadata ?? {};
    const another = { ...ownerReferences[0]!, name: 'lamp', uid: 'another' };
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'tenant', name: 'forged' };
    const forged = cluster.put(object(ref, {}, { labels, ownerReferences: [...ownerReferences, another] }));
    await manager.toTheEnd(cluster);
    await expectAdopted(cluster);
    expect(await find(cluster, ref)).toEqual(forged);
  });

  test('if the ClusterExtension is deleted by others, the adoption can be given up by deleting the backup', async () => {
    const cluster = clusterOfV1();
    await manager.advance(cluster);
    cluster.change(EXTENSION_REF, (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [] } }));
    await cluster.delete(EXTENSION_REF);
    await manager.advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'Collision' });
    await cluster.delete(BACKUP_V1);
    await manager.advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'AdoptionRefused' });
    const { adopt: _adopt, ...spec } = SPEC_V1;
    cluster.change(OWN, (one) => ({ ...one, spec }));
    expect(await manager.advance(cluster)).toMatchObject({ state: 'none' });
  });

  test.each([
    { because: 'its version is rolled out', stage: 'TakingOver', expected: { state: 'takingOver', againSeconds: 2 } },
    { because: 'it is over', stage: 'HandedOver', expected: { state: 'none' } },
  ])('no request is sent for it: $because', async ({ stage, expected }) => {
    const cluster = clusterOfV1();
    if (stage === 'HandedOver') await manager.toTheEnd(cluster);
    for (; own(cluster).status?.adoption?.stage !== stage; manager.olm(cluster)) await manager.advance(cluster);
    const before = cluster.requests.length;
    expect(await manager.advance(cluster)).toMatchObject(expected);
    expect(cluster.requests).toHaveLength(before);
  });
});
