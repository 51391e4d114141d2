/** The rights with which an operator of OLM v1 is adopted: those of the manager, or of an account. */
import { beforeEach, describe, expect, test } from 'vitest';
import { RELEASE_TYPE, releaseSelector } from '../../../adoption/olm-v1/kinds.ts';
import type { ObjectRef } from '../../../api/object.ts';
import type { May } from '../../../kube/testing/fake-cluster.ts';
import { actingForV1 } from './acting.ts';
import { adopted, DEPLOYMENT, find, object, own, writesOf, type Adopter } from './testing/scene.ts';
import { adopterOfV1, BACKUP_V1, clusterOfV1, CRD, EXTENSION_REF, RELEASE, SPEC_V1 } from './testing/scene-v1.ts';

let manager: Adopter;
beforeEach(() => (manager = adopterOfV1()));

const TENANTS = { ...SPEC_V1, serviceAccountName: 'installer' };
const STATUS = 'patch Subscription.slipway.dev ops/gadget';
const isExtension = ({ kind }: ObjectRef): boolean => kind === EXTENSION_REF.kind;

/** All of a namespace, the ClusterExtension and the CRD by their names; no list, and nothing in other namespaces. */
const SUFFICIENT: May = ({ verb, ref }) =>
  verb !== 'list' && (ref.namespace === 'ops' || [EXTENSION_REF.name, CRD.name].includes(ref.name));

describe('the rights for an operator of OLM v1', () => {
  test('without those of the manager nothing is changed, and the condition names the overlay and the command', async () => {
    const cluster = clusterOfV1();
    const limited = cluster.actingAs('manager', ({ verb, ref }) => verb === 'list' || !isExtension(ref));
    expect(await manager.advance(cluster, limited)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('deploy/rights/adoption-olm-v1');
    expect(adopted(cluster)?.message).toContain('slipway adopt run gadget --from olm-v1');
    expect(writesOf(cluster)).toEqual([STATUS]);
  });

  test.each<{ because: string; lacks: (verb: string, ref: ObjectRef) => boolean }>([
    { because: 'it may not read the ClusterExtension', lacks: (verb, ref) => verb === 'get' && isExtension(ref) },
    { because: 'it may not hold the ClusterExtension', lacks: (verb, ref) => verb === 'patch' && isExtension(ref) },
    { because: 'it may not delete the ClusterExtension', lacks: (verb, ref) => verb === 'delete' && isExtension(ref) },
    {
      because: 'it may not take the marks of OLM off',
      lacks: (verb, { kind }) => verb === 'patch' && kind === CRD.kind,
    },
    {
      because: 'it may not delete an object that it takes over',
      lacks: (verb, { kind }) => verb === 'delete' && kind === DEPLOYMENT.kind,
    },
  ])('of an account are found to lack before the first step: $because', async ({ lacks }) => {
    const cluster = clusterOfV1(TENANTS);
    cluster.restrict((request) => SUFFICIENT(request) && !lacks(request.verb, request.ref));
    expect(await manager.advance(cluster)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('ServiceAccount installer');
    expect(await find(cluster, BACKUP_V1)).toBeUndefined();
    const { deletionTimestamp, finalizers } = (await find(cluster, EXTENSION_REF))?.metadata ?? {};
    expect({ deletionTimestamp, finalizers }).toMatchObject({ deletionTimestamp: undefined, finalizers: [expect.any(String)] }); // prettier-ignore
  });

  test('of an account that may not read the ClusterExtension have the manager list nothing for it', async () => {
    const cluster = clusterOfV1(TENANTS);
    cluster.restrict(({ ref }) => !isExtension(ref));
    await manager.advance(cluster);
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Forbidden' });
    expect(cluster.requests.filter(({ verb }) => verb === 'list')).toEqual([]);
  });

  test('of an account suffice on the ClusterExtension and its objects: none on the Secrets of OLM is needed', async () => {
    const cluster = clusterOfV1(TENANTS);
    cluster.restrict(SUFFICIENT);
    await manager.toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
    expect(await find(cluster, RELEASE)).toBeUndefined();
  });

  test('of the manager delete no Secret but those that were listed as the release, by the type that OLM gives', async () => {
    const cluster = clusterOfV1(TENANTS);
    cluster.restrict(SUFFICIENT);
    const others = { ...RELEASE, name: 'of-others' };
    cluster.put(object(others, { type: 'Opaque' }, { labels: (await find(cluster, RELEASE))?.metadata.labels }));
    const acting = actingForV1(cluster, own(cluster), BACKUP_V1);
    await expect(acting.delete(RELEASE)).rejects.toMatchObject({ reason: 'Forbidden' });
    const labelSelector = releaseSelector('gadget');
    await acting.list({ apiVersion: 'v1', kind: 'Secret' }, { labelSelector });
    await expect(acting.delete(RELEASE)).rejects.toMatchObject({ reason: 'Forbidden' });
    await acting.list({ apiVersion: 'v1', kind: 'Secret' }, { labelSelector, fieldSelector: `type=${RELEASE_TYPE}` });
    await expect(acting.delete(others)).rejects.toMatchObject({ reason: 'Forbidden' });
    await acting.delete(RELEASE);
    expect(await find(cluster, RELEASE)).toBeUndefined();
  });

  test.each([
    { because: 'a tenant has made it in its own namespace', namespace: 'ops', metadata: { finalizers: ['theirs'] } },
    {
      because: 'it is being deleted',
      namespace: RELEASE.namespace,
      metadata: { finalizers: ['theirs'], deletionTimestamp: '2026-11-23T00:00:00Z' },
    },
  ])(
    'of the manager are not used on a Secret like those of the release, and it holds nothing up: $because',
    async ({ namespace, metadata }) => {
      const cluster = clusterOfV1();
      const { labels } = (await find(cluster, RELEASE))?.metadata ?? {};
      const other = { ...RELEASE, namespace, name: 'other' } as ObjectRef;
      cluster.put(object(other, { type: RELEASE_TYPE }, { labels, ...metadata }));
      await manager.toTheEnd(cluster);
      expect(await find(cluster, RELEASE)).toBeUndefined();
      expect(await find(cluster, other)).toBeDefined();
      expect(writesOf(cluster).filter((one) => one === `delete Secret ${namespace}/other`)).toEqual([]);
    },
  );
});
