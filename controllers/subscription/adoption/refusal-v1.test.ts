/** An operator of OLM v1 that is not adopted as it is: nothing but the status is written, except for dry runs. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Changes } from '../../../adoption/olm-v1/testing/extension.ts';
import { findCondition } from '../../../api/conditions.ts';
import { ReasonedError } from '../../../api/errors.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { createFakeCluster, type FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import { adopted, crdOf, DEPLOYMENT, find, object, own, OWN, writesOf, type Adopter } from './testing/scene.ts';
import { adopterOfV1, BACKUP_V1, clusterOfV1, EXTENSION_REF, SPEC_V1, versionOfExtension } from './testing/scene-v1.ts';

let manager: Adopter;
beforeEach(() => (manager = adopterOfV1()));

const STATUS = 'patch Subscription.slipway.dev ops/gadget';
const TRIAL = 'apply Deployment.apps ops/gadget';

/** OLM has it issue a certificate. */
async function certify(cluster: FakeCluster): Promise<void> {
  const certificate = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' };
  cluster.put(crdOf(certificate));
  const { labels, ownerReferences } = (await find(cluster, DEPLOYMENT))?.metadata ?? {};
  cluster.put(object({ ...certificate, namespace: 'ops', name: 'gadget' }, {}, { labels, ownerReferences }));
}

async function expectUntouched(cluster: FakeCluster): Promise<void> {
  expect(await find(cluster, BACKUP_V1)).toBeUndefined();
  const extension = await find(cluster, EXTENSION_REF);
  expect(extension?.metadata.finalizers).toHaveLength(1);
  expect(versionOfExtension(extension)).toBe('');
}

describe('an operator of OLM v1 is not adopted, and nothing but the status is written', () => {
  test.each<{
    because: string;
    spec?: object;
    extension?: Changes;
    change?: (cluster: FakeCluster) => Promise<void>;
    bundle?: string;
    render?: Adopter['render'];
    reason?: string;
    says: string;
    writes?: readonly string[];
  }>([
    {
      because: 'it is installed in another namespace, whose tenant has not asked for it',
      extension: { spec: { namespace: 'elsewhere' } },
      says: 'installs in namespace elsewhere. Create the Subscription in that namespace',
    },
    {
      because: 'it is being installed in another namespace, which its state does not change',
      extension: { spec: { namespace: 'elsewhere' }, progressing: { reason: 'Retrying' } },
      says: 'installs in namespace elsewhere',
    },
    { because: 'it is of another package', spec: { package: 'lamp' }, says: 'spec.package is "lamp"' },
    {
      because: 'it would watch other namespaces, with other Pods',
      spec: { watchNamespaces: ['ops'] },
      says: 'spec.watchNamespaces is ["ops"], and OLM has absent',
    },
    {
      because: 'it has a configuration, and would lose it',
      extension: { spec: { config: { inline: { deploymentConfig: { nodeSelector: { disk: 'ssd' } } } } } },
      says: 'spec.config is absent, and OLM has {"nodeSelector"',
    },
    {
      because: 'cert-manager issues its certificates, and Slipway would replace them',
      change: certify,
      says: 'Set it to "CertManager"',
    },
    {
      because: 'it follows several channels',
      extension: { catalog: { channels: ['stable', 'beta'] } },
      says: 'SeveralChannels',
    },
    { because: 'OLM does not go on', extension: { progressing: { status: 'False' } }, says: 'NotSucceeded' },
    {
      because: 'OLM has no such ClusterExtension',
      spec: { adopt: { from: 'OLMv1', clusterExtension: 'lamp' } },
      says: 'ExtensionNotFound: ClusterExtension.olm.operatorframework.io lamp does not exist',
    },
    {
      because: 'the Catalogs have another bundle of the version',
      bundle: 'gadget-operator.v1.0.0-other',
      says: 'OLM has installed bundle gadget-operator.v1.0.0, and Slipway would install gadget-operator.v1.0.0-other',
    },
    {
      because: 'its Pods would be replaced',
      render: async () => [object(DEPLOYMENT, { spec: { template: { spec: { hostNetwork: true } } } })],
      says: 'the Pods of Deployment.apps ops/gadget would be replaced (spec.template',
      writes: [STATUS, TRIAL],
    },
    {
      because: 'no Catalog has its version',
      render: () =>
        Promise.reject(new ReasonedError({ reason: 'VersionNotFound', retry: 'backoff', message: 'no 1.0.0' })),
      reason: 'VersionNotFound',
      says: 'no 1.0.0',
    },
  ])('$because', async ({ spec, extension = {}, change, bundle, render, reason = 'AdoptionRefused', says, writes }) => {
    const cluster = clusterOfV1({ ...SPEC_V1, ...spec }, { extension });
    await change?.(cluster);
    if (bundle !== undefined) manager.bundle = bundle;
    if (render !== undefined) manager.render = render;
    expect(await manager.advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason });
    expect(adopted(cluster)?.message).toContain(says);
    expect(findCondition(own(cluster).status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason });
    await expectUntouched(cluster);
    expect(new Set(writesOf(cluster))).toEqual(new Set(writes ?? [STATUS]));
  });

  test('OLM is at work on it: that passes by itself, and its report is shown', async () => {
    const cluster = clusterOfV1(SPEC_V1, {
      extension: { progressing: { reason: 'Retrying', message: 'no such image' } },
    });
    expect(await manager.advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 2 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Adopting' });
    expect(adopted(cluster)?.message).toContain('no such image');
    await expectUntouched(cluster);
  });

  test.each([
    { because: 'an administrator reads which one', spec: {}, says: 'handed over to Subscription ops/gadget' },
    {
      because: 'a tenant does not learn which one',
      spec: { serviceAccountName: 'installer' },
      says: 'handed over to a Subscription in another namespace',
    },
    {
      because: 'a tenant does not learn which one, though that one has changed its package',
      spec: { serviceAccountName: 'installer' },
      holder: { package: 'lamp' },
      says: 'handed over to a Subscription in another namespace',
    },
  ])(
    'a Subscription of the same name in another namespace has begun to adopt it: $because',
    async ({ spec, holder, says }) => {
      const cluster = clusterOfV1();
      await manager.advance(cluster);
      cluster.change(OWN, (one) => ({ ...one, spec: { ...SPEC_V1, ...holder }, status: {} }));
      const ref = { ...OWN, namespace: 'elsewhere' };
      cluster.put(object({ apiVersion: 'v1', kind: 'Namespace', name: 'elsewhere' }));
      cluster.put(object(ref, { spec: { ...SPEC_V1, ...spec }, status: {} }, { uid: 'other', generation: 1 }));
      await manager.advanceFor((await find(cluster, ref)) as Subscription, cluster);
      const { status } = (await find(cluster, ref)) as Subscription;
      const found = findCondition(status?.conditions, 'Adopted');
      expect(found).toMatchObject({ status: 'False', reason: 'AdoptionRefused' });
      expect(found?.message).toContain(says);
      expect(JSON.stringify(status).includes('ops/gadget')).toBe(!('serviceAccountName' in spec));
    },
  );

  test('it is on the way back to OLM, and its Subscription was created again', async () => {
    const cluster = clusterOfV1();
    const { metadata, ...extension } = (await find(cluster, EXTENSION_REF))!;
    await manager.toTheEnd(cluster);
    cluster.put({
      ...extension,
      metadata: { name: metadata.name, annotations: { 'slipway.dev/adoption-offer': 'Offered' } },
    });
    cluster.put(object(OWN, { spec: SPEC_V1, status: {} }, { uid: 'again', generation: 1 }));
    expect(await manager.advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Collision' });
    expect(adopted(cluster)?.message).toContain('it is being handed back');
  });

  test('the cluster has no OLM v1, as when it is built again from Git: the operator is installed', async () => {
    const cluster = createFakeCluster();
    cluster.put(object({ apiVersion: 'v1', kind: 'Namespace', name: 'ops' }));
    cluster.put(object(OWN, { spec: SPEC_V1, status: {} }, { uid: 'own', generation: 1 }));
    expect(await manager.advance(cluster)).toMatchObject({ state: 'none' });
    expect(adopted(cluster)).toBeUndefined();
  });
});
