/** An operator of OLM v0 is adopted by the manager, against a cluster in memory that plays OLM and the collector. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Subscription } from '../../../api/subscription.ts';
import type { FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import {
  Adopter,
  adopted,
  BACKUP,
  clusterWith,
  DEPLOYMENT,
  find,
  Killed,
  object,
  olm,
  own,
  OWN,
  SPEC,
} from './testing/scene.ts';

let manager: Adopter;
beforeEach(() => (manager = new Adopter()));

async function expectAdopted(cluster: FakeCluster): Promise<void> {
  expect(adopted(cluster)).toMatchObject({ status: 'True', reason: 'Adopted' });
  expect(own(cluster).status?.adoption).toEqual({
    subscription: 'gadget',
    stage: 'HandedOver',
    step: 'Done',
    version: '1.0.0',
    backup: { namespace: BACKUP.namespace, name: BACKUP.name },
  });
  expect(own(cluster).spec).toEqual(SPEC);
  expect(await find(cluster, olm('subscription', 'gadget'))).toBeUndefined();
  expect(await find(cluster, olm('csv', 'gadget.v1'))).toBeUndefined();
  expect((await find(cluster, BACKUP))?.metadata.annotations).toEqual({ 'slipway.dev/adoption-stage': 'HandedOver' });
  const { labels, annotations, ownerReferences } = (await find(cluster, DEPLOYMENT))?.metadata ?? {};
  expect({ labels, annotations, ownerReferences }).toEqual({
    labels: {},
    annotations: { 'slipway.dev/adopt-by': 'ops/gadget' },
    ownerReferences: [],
  });
}

describe('an operator is adopted', () => {
  test('nothing is installed before OLM has released it, then its version, then upgrades go on', async () => {
    const cluster = clusterWith();
    expect(await manager.toTheEnd(cluster)).toEqual(['takingOver', 'none']);
    await expectAdopted(cluster);
    expect(manager.events.map(({ reason }) => reason)).toEqual(['Adopting', 'Adopting', 'Adopting', 'Adopted']);
    expect(manager.events.every(({ type }) => type === 'Normal')).toBe(true);
  });

  test('the same end is reached wherever the process is killed', async () => {
    let kills = 0;
    for (let at = 1; kills === at - 1; at++) {
      let writes = 0;
      const cluster = clusterWith(SPEC, {
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
  }, 60_000);

  test('although its Pods are replaced, if spec.adopt allows that', async () => {
    const cluster = clusterWith({ ...SPEC, adopt: { ...SPEC.adopt, restarts: 'Allow' } });
    manager.render = async () => [object(DEPLOYMENT, { spec: { template: { spec: { hostNetwork: true } } } })];
    await manager.toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
  });

  test('although edits of its settings are set back, if spec.adopt allows that', async () => {
    const cluster = clusterWith({ ...SPEC, adopt: { ...SPEC.adopt, overwrites: 'Allow' } });
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'settings' };
    cluster.put(object(settings, { data: { level: 'debug' } }));
    manager.render = async () => [object(settings, { data: { level: 'info' } })];
    await manager.toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
  });

  test('its version is rendered as if it were pinned, before anything is changed', async () => {
    const cluster = clusterWith({ ...SPEC, version: '>=2.0.0', approval: 'Manual' });
    const asked: Subscription['spec'][] = [];
    manager.render = async ({ spec }) => {
      asked.push(spec);
      expect(await find(cluster, BACKUP)).toBeUndefined();
      return [];
    };
    await manager.advance(cluster);
    expect(asked).toEqual([
      expect.objectContaining({ version: '1.0.0', approval: 'Automatic', dependencies: 'Ignore' }),
    ]);
  });

  test('it goes on although spec.adopt is taken out once OLM has released it', async () => {
    const cluster = clusterWith();
    await manager.advance(cluster);
    const { adopt: _adopt, ...spec } = SPEC;
    cluster.change(OWN, (one) => ({ ...one, spec }));
    await manager.toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
  });

  test('afterwards no request is sent for it', async () => {
    const cluster = clusterWith();
    await manager.toTheEnd(cluster);
    const before = cluster.requests.length;
    expect(await manager.advance(cluster)).toMatchObject({ state: 'none' });
    expect(cluster.requests).toHaveLength(before);
  });

  test('no request is sent while its version is rolled out', async () => {
    const cluster = clusterWith();
    await manager.advance(cluster);
    const before = cluster.requests.length;
    expect(await manager.advance(cluster)).toMatchObject({ state: 'takingOver', againSeconds: 2 });
    expect(cluster.requests).toHaveLength(before);
  });
});
