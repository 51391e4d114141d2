/** An operator of OLM v0 that is not adopted as it is: nothing but the status is written. */
import { beforeEach, describe, expect, test } from 'vitest';
import { findCondition } from '../../../api/conditions.ts';
import { ReasonedError } from '../../../api/errors.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { createFakeCluster, type FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import {
  Adopter,
  adopted,
  BACKUP,
  clusterWith,
  DEPLOYMENT,
  find,
  object,
  olm,
  own,
  OWN,
  SPEC,
  writesOf,
} from './testing/scene.ts';

const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'settings' };

let manager: Adopter;
beforeEach(() => (manager = new Adopter()));

describe('an operator is not adopted, and nothing but the status is written', () => {
  const failed = (cluster: FakeCluster): void =>
    cluster.change(olm('csv', 'gadget.v1'), (one) => ({ ...one, status: { phase: 'Failed' } }));
  test.each<{ because: string; spec?: object; change?: (cluster: FakeCluster) => void; says: string; reason?: string }>(
    [
      { because: 'it is of another package', spec: { ...SPEC, package: 'lamp' }, says: 'spec.package is "lamp"' },
      {
        because: 'it would watch other namespaces, with other Pods',
        spec: { ...SPEC, watchNamespaces: ['ops'] },
        says: 'spec.watchNamespaces is ["ops"], and OLM has absent',
      },
      {
        because: 'it would have another configuration, with other Pods',
        spec: { ...SPEC, config: { env: [{ name: 'A', value: 'b' }] } },
        says: 'spec.config is',
      },
      {
        because: 'it would lose the proxy that OLM has set',
        change: (cluster) => {
          const spec = (env: readonly object[]): object => ({
            template: { spec: { containers: [{ name: 'main', env }] } },
          });
          const install = { spec: { deployments: [{ name: DEPLOYMENT.name, spec: spec([]) }] } };
          cluster.change(olm('csv', 'gadget.v1'), (one) => ({ ...one, spec: { ...fieldsOf(one['spec']), install } }));
          cluster.change(DEPLOYMENT, (one) => ({ ...one, spec: spec([{ name: 'NO_PROXY', value: '.svc' }]) }));
        },
        says: 'OLM has {"env":[{"name":"NO_PROXY","value":".svc"}]}',
      },
      { because: 'it does not work', change: failed, says: 'NotSucceeded' },
      {
        because: 'OLM has no such Subscription',
        spec: { ...SPEC, adopt: { ...SPEC.adopt, subscription: 'lamp' } },
        says: 'SubscriptionNotFound',
      },
    ],
  )('$because', async ({ spec, change, says, reason = 'AdoptionRefused' }) => {
    const cluster = clusterWith(spec);
    change?.(cluster);
    expect(await manager.advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason });
    expect(adopted(cluster)?.message).toContain(says);
    expect(findCondition(own(cluster).status?.conditions, 'Stalled')?.reason).toBe(reason);
    expect(writesOf(cluster)).toEqual(['patch Subscription.slipway.dev ops/gadget']);
    expect(manager.events.map(({ type }) => type)).toEqual(['Warning']);
    await manager.advance(cluster);
    expect(manager.events).toHaveLength(1);
  });

  const dependent = (cluster: FakeCluster): void => {
    const required = [{ name: 'gadgets.example.com', version: 'v1', kind: 'Gadget' }];
    const [owned, requires] = [{ owned: required }, { required }].map((one) => ({ customresourcedefinitions: one }));
    cluster.change(olm('csv', 'gadget.v1'), (one) => ({ ...one, spec: { ...fieldsOf(one['spec']), ...owned } }));
    cluster.put(object(olm('csv', 'lamp.v1'), { spec: requires, status: { phase: 'Succeeded' } }, { uid: 'lamp' }));
  };

  test.each<{
    because: string;
    change?: (cluster: FakeCluster) => void;
    render?: Adopter['render'];
    reason: string;
    says: string;
  }>([
    {
      because: 'another operator requires it, and OLM would install it again',
      change: dependent,
      reason: 'AdoptionRefused',
      says: 'Required: lamp.v1 of the same namespace requires it',
    },
    {
      because: 'its Pods would be replaced',
      render: async () => [object(DEPLOYMENT, { spec: { template: { spec: { hostNetwork: true } } } })],
      reason: 'AdoptionRefused',
      says: 'the Pods of Deployment.apps ops/gadget would be replaced (spec.template',
    },
    {
      because: 'an edit of its settings would be set back',
      change: (cluster) => cluster.put(object(SETTINGS, { data: { level: 'debug', own: '1' } })),
      render: async () => [object(SETTINGS, { data: { level: 'info' } })],
      reason: 'AdoptionRefused',
      says: 'ConfigMap ops/settings was edited, and would be set back (data.level). Copy',
    },
    {
      because: 'no Catalog has its version',
      render: () =>
        Promise.reject(new ReasonedError({ reason: 'VersionNotFound', retry: 'backoff', message: 'no 1.0.0' })),
      reason: 'VersionNotFound',
      says: 'no 1.0.0',
    },
  ])('$because', async ({ change, render, reason, says }) => {
    const cluster = clusterWith();
    change?.(cluster);
    if (render !== undefined) manager.render = render;
    expect(await manager.advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason });
    expect(adopted(cluster)?.message).toContain(says);
    expect(await find(cluster, BACKUP)).toBeUndefined();
    const tried = says.includes('Deployment') ? ['apply Deployment.apps ops/gadget'] : says.includes('settings') ? ['apply ConfigMap ops/settings'] : []; // prettier-ignore
    expect(new Set(writesOf(cluster))).toEqual(new Set(['patch Subscription.slipway.dev ops/gadget', ...tried]));
  });

  test('OLM is at work on it: that passes by itself', async () => {
    const cluster = clusterWith();
    cluster.change(olm('csv', 'gadget.v1'), (one) => ({ ...one, status: { phase: 'Installing' } }));
    expect(await manager.advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 2 });
    expect(adopted(cluster)?.reason).toBe('Adopting');
    expect(findCondition(own(cluster).status?.conditions, 'Reconciling')?.reason).toBe('Adopting');
  });

  test('another Subscription of Slipway has begun to adopt it', async () => {
    const cluster = clusterWith();
    await manager.advance(cluster);
    cluster.put(object({ ...OWN, name: 'other' }, { spec: SPEC, status: {} }, { uid: 'other', generation: 1 }));
    const other = (await find(cluster, { ...OWN, name: 'other' })) as Subscription;
    await manager.advanceFor(other, cluster);
    const { status } = (await find(cluster, { ...OWN, name: 'other' })) as Subscription;
    expect(findCondition(status?.conditions, 'Adopted')?.message).toContain('handed over to Subscription ops/gadget');
  });

  test('the Subscription has installed an operator by itself, which goes on', async () => {
    const cluster = clusterWith();
    cluster.change(OWN, (one) => ({ ...one, status: { installed: { bundle: 'gadget.v1', version: '1.0.0' } } }));
    expect(await manager.advance(cluster)).toMatchObject({ state: 'none' });
    expect(adopted(cluster)?.reason).toBe('AdoptionRefused');
    expect(findCondition(own(cluster).status?.conditions, 'Ready')).toBeUndefined();
  });

  test('the cluster has no OLM, as when it is built again from Git: the operator is installed', async () => {
    const cluster = createFakeCluster();
    cluster.put(object({ apiVersion: 'v1', kind: 'Namespace', name: 'ops' }));
    cluster.put(object(OWN, { spec: SPEC, status: {} }, { uid: 'own', generation: 1 }));
    expect(await manager.advance(cluster)).toMatchObject({ state: 'none' });
    expect(adopted(cluster)).toBeUndefined();
  });
});
