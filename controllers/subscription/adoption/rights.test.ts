/** The rights with which an operator of OLM v0 is adopted: those of the manager, or of an account. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ObjectRef } from '../../../api/object.ts';
import { Adopter, adopted, BACKUP, clusterWith, find, object, olm, own, SPEC, writesOf } from './testing/scene.ts';

let manager: Adopter;
beforeEach(() => (manager = new Adopter()));

describe('the rights', () => {
  const isOlms = ({ apiVersion }: ObjectRef): boolean => apiVersion.startsWith('operators.coreos.com/');

  test("without rights on OLM's objects nothing is changed, and the condition names the overlay and the command", async () => {
    const cluster = clusterWith();
    const limited = cluster.actingAs('manager', ({ verb, ref }) => verb === 'list' || !isOlms(ref));
    expect(await manager.advance(cluster, limited)).toMatchObject({ state: 'holding', againSeconds: 30 });
    expect(adopted(cluster)).toMatchObject({ status: 'False', reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('deploy/rights/adoption-olm-v0');
    expect(adopted(cluster)?.message).toContain('slipway adopt run ops/gadget');
    expect(writesOf(cluster)).toEqual(['patch Subscription.slipway.dev ops/gadget']);
  });

  const tenants = { ...SPEC, serviceAccountName: 'installer' };
  const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'of-others' };

  test('of a tenant without any on OLM: nothing is changed, and no backup is kept', async () => {
    const cluster = clusterWith(tenants);
    cluster.restrict(({ ref }) => !isOlms(ref));
    await manager.advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('ServiceAccount installer');
    expect(writesOf(cluster)).toEqual(['patch Subscription.slipway.dev ops/gadget']);
  });

  test.each([
    { because: 'it may not take the marks of OLM off', verbs: 'patch' },
    { because: 'it may not delete what it takes over', verbs: 'delete' },
  ])('of a tenant that lack one in the middle are found before the first step: $because', async ({ verbs }) => {
    const cluster = clusterWith(tenants);
    cluster.restrict(({ verb, ref }) => verb !== verbs || ref.kind !== 'Deployment');
    await manager.advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('grant it this right');
    expect(await find(cluster, BACKUP)).toBeUndefined();
    expect(await find(cluster, olm('subscription', 'gadget'))).toBeDefined();
  });

  test('of a tenant who has an InstallPlan name an object of others: it is not changed, and OLM keeps the operator', async () => {
    const cluster = clusterWith(tenants);
    const labels = { 'olm.managed': 'true' };
    cluster.put(object(ROLE, { rules: [] }, { labels }));
    const resource = { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', name: ROLE.name };
    cluster.put(object(olm('installPlan', 'install-x'), { status: { plan: [{ resolving: 'gadget.v1', resource }] } }));
    const isTheirs = ({ namespace }: ObjectRef): boolean => namespace === 'ops';
    cluster.restrict(({ verb, ref }) => verb === 'get' || verb === 'list' || isTheirs(ref));
    await manager.advance(cluster);
    expect(adopted(cluster)).toMatchObject({ reason: 'Forbidden' });
    expect(adopted(cluster)?.message).toContain('of-others');
    expect((await find(cluster, ROLE))?.metadata).toMatchObject({ labels });
    expect((await find(cluster, ROLE))?.metadata.annotations).toBeUndefined();
    expect(own(cluster).status?.adoption?.stage).toBe('Preparing');
  });

  test('of a tenant suffice for an operator that has objects in the namespace only', async () => {
    const cluster = clusterWith(tenants);
    const isTheirs = ({ namespace }: ObjectRef): boolean => namespace === 'ops';
    cluster.restrict(({ verb, ref }) => verb === 'get' || verb === 'list' || isTheirs(ref));
    await manager.toTheEnd(cluster);
    expect(adopted(cluster)?.reason).toBe('Adopted');
    expect(await find(cluster, BACKUP)).toBeDefined();
  });
});
