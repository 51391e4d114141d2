import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { checkObjectRules } from './api-server-rules.ts';
import { actingAs, createFakeCluster, type FakeCluster, type May } from './fake-cluster.ts';

describe('the client in the process of the fake API server follows the rules of the real one', () => {
  const cluster = createFakeCluster();
  checkObjectRules(() => cluster);
});

const config: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } };
const configRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'x' };

describe('an account', () => {
  const ACCOUNT = 'system:serviceaccount:default:reader';
  const reads: May = ({ verb }) => verb === 'get';

  test.each([
    {
      because: 'it connects with its own credentials',
      as: (cluster: FakeCluster) => actingAs(cluster, ACCOUNT, reads),
    },
    {
      because: 'another client acts as the account',
      as: (cluster: FakeCluster) => {
        cluster.restrict(reads);
        return cluster.as({ user: ACCOUNT });
      },
    },
  ])('an account without a right is refused by name, and nothing happens: $because', async ({ as }) => {
    const cluster = createFakeCluster();
    const account = as(cluster);
    await expect(account.create(config)).rejects.toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining(`User "${ACCOUNT}" cannot create resource "configmaps"`),
    });
    expect(await account.get(configRef)).toBeUndefined();
    expect(cluster.requests.map(({ verb }) => verb)).toEqual(['get']);
    await cluster.create(config);
    expect(await account.get(configRef)).toBeDefined();
  });

  test('a review of rights answers for the account that a client acts as', async () => {
    const cluster = createFakeCluster();
    cluster.restrict(reads);
    const access = { group: '', resource: 'configmaps' };
    const account = cluster.as({ user: ACCOUNT });
    expect([
      await account.allows({ ...access, verb: 'get' }),
      await account.allows({ ...access, verb: 'create' }),
      await cluster.allows({ ...access, verb: 'create' }),
    ]).toEqual([true, false, true]);
  });
});

test.each([
  { fault: 'before', isThere: false },
  { fault: 'after', isThere: true },
] as const)('a request that fails $fault its effect leaves the object there: $isThere', async ({ fault, isThere }) => {
  const cluster = createFakeCluster({
    [fault]: ({ verb }: { readonly verb: string }) => {
      if (verb === 'create') throw refusal(503, 'ServiceUnavailable', 'no');
    },
  });
  await expect(cluster.create(config)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
  expect((await cluster.get(configRef)) !== undefined).toBe(isThere);
});

test('objects of a CRD are served once it is established, and go with it when no finalizer holds them', async () => {
  const crd: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  };
  const metadata = { name: 'g', namespace: 'default', finalizers: ['example.com/hold'] };
  const gadget: KubeObject = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata };
  const cluster = createFakeCluster();
  await expect(cluster.create(gadget)).rejects.toMatchObject({ code: 404 });
  await cluster.create(crd);
  await cluster.create(gadget);
  const crdRef = { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name };
  const gadgetRef = { apiVersion: 'example.com/v1', kind: 'Gadget', namespace: 'default', name: 'g' };
  expect((await cluster.delete(crdRef))?.metadata.deletionTimestamp).toBeDefined();
  expect((await cluster.get(gadgetRef))?.metadata.deletionTimestamp).toBeDefined();
  await cluster.patch(gadgetRef, { metadata: { finalizers: null } });
  expect([await cluster.get(gadgetRef), await cluster.get(crdRef)]).toEqual([undefined, undefined]);
});
