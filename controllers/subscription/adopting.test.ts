/** A Subscription while an operator is adopted for it: it installs nothing, then exactly the version that runs. */
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { pinnedTo } from './adoption/pinned.ts';
import type { Advance } from './adoption/advance.ts';
import type { SubscriptionDeps } from './deps.ts';
import { subscription } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, revisionsOf } from './testing/one-image.ts';

const spec = { approval: 'Manual', version: '>=2.0.0', adopt: { from: 'OLMv0', subscription: 'gadget' } };
const backup = { namespace: 'slipway-system', name: 'backup' };
const adoption = { subscription: 'gadget', stage: 'TakingOver', step: 'AwaitReady', version: '1.0.0', backup } as const;

function clusterOf(): FakeCluster {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(subscription({ spec, status: { adoption } }));
  return cluster;
}

const own = (cluster: FakeCluster): Subscription =>
  cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription;

function reconcile(cluster: FakeCluster, state: Advance['state']): Promise<unknown> {
  const adopt = async (one: Subscription): Promise<Advance> => ({ subscription: one, state, againSeconds: 2 });
  const caches = offering(cluster, { versions: ['1.0.0'], image: IMAGE });
  return reconcileOf(cluster, { adopt, caches, catalogOf: () => MAIN })();
}

test('nothing is resolved or written as long as another program has the operator', async () => {
  const cluster = clusterOf();
  expect(await reconcile(cluster, 'holding')).toEqual({ requeueAfterSeconds: 2 });
  expect(cluster.requests).toEqual([]);
});

test('the version that ran is applied without approval, whatever the spec asks for later', async () => {
  const cluster = clusterOf();
  expect(await reconcile(cluster, 'takingOver')).toEqual({ requeueAfterSeconds: 2 });
  expect(revisionsOf(cluster).map((one) => `${one.spec.version} ${one.spec.state}`)).toEqual(['1.0.0 Active']);
  expect(own(cluster).status?.adoption).toEqual(adoption);
  expect(own(cluster).spec).toMatchObject({ approval: 'Manual', version: '>=2.0.0' });
});

test('afterwards the spec decides again', async () => {
  const cluster = clusterOf();
  await reconcile(cluster, 'none');
  expect(revisionsOf(cluster)).toEqual([]);
});

test('a suspended Subscription is not adopted for', async () => {
  const cluster = clusterOf();
  cluster.put(subscription({ spec: { ...spec, suspend: true } }));
  let asked = 0;
  const adopt = async (one: Subscription): Promise<Advance> => {
    asked += 1;
    return { subscription: one, state: 'none' };
  };
  await reconcileOf(cluster, { adopt })();
  expect(asked).toBe(0);
});

describe('the objects of the version that is adopted', () => {
  /** As they are rendered for the Subscription in the middle of a reconcile. */
  async function rendered(version: string): Promise<readonly KubeObject[]> {
    const cluster = clusterOf();
    let objects: readonly KubeObject[] | undefined;
    const adopt: SubscriptionDeps['adopt'] = async (one, _signal, render) => {
      ({ objects } = await render(pinnedTo(one, version)));
      return { subscription: one, state: 'holding' };
    };
    const caches = offering(cluster, { versions: ['1.0.0'], image: IMAGE });
    await reconcileOf(cluster, { adopt, caches, catalogOf: () => MAIN })();
    expect(cluster.requests).toEqual([]);
    return objects ?? [];
  }

  test('are those of the bundle in the Catalog, prepared for the Subscription, whatever its spec asks for', async () => {
    const deployment = (await rendered('1.0.0')).find(({ kind }) => kind === 'Deployment');
    expect(deployment?.metadata).toMatchObject({
      namespace: 'ops',
      annotations: { [ANNOTATION.owner]: 'ops/gadget' },
    });
  });

  test('are not known if no Catalog has the version: the reason is that of an installation', async () => {
    await expect(rendered('3.0.0')).rejects.toMatchObject({ reason: 'VersionNotFound', retry: 'backoff' });
  });
});
