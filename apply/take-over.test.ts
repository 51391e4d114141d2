/** Decides about existing objects, by their owner and by the rights of the account. */
import { NEVER } from '../api/testing/never.ts';
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { applyRevision, type ApplyRequest, type ApplyResult } from './apply.ts';
import { actingAs, createFakeCluster, type FakeCluster, type FakeRequest } from '../kube/testing/fake-cluster.ts';
import { refusal } from '../api/testing/refusal.ts';
import { entryOf, intendedEntries } from './inventory.ts';
import { prepared, sample, sampleCrd } from './testing/sample-objects.ts';

type May = (request: Pick<FakeRequest, 'verb' | 'ref'>) => boolean;

const config = sample('v1', 'ConfigMap', 'widget-config', { namespace: 'ops', data: { level: 'info' } });
const ACCOUNT = 'system:serviceaccount:ops:installer';
const all: May = () => true;
const noDelete: May = ({ verb }) => verb !== 'delete';
const OURS = { [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'subscription-uid' };
const LEFT = { [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'earlier' };
const BEFORE = { [ANNOTATION.owner]: 'ops/widgets' };
const ADOPTED = { [ANNOTATION.adoptBy]: 'ops/widgets' };

function existing(object: KubeObject, annotations: Readonly<Record<string, string>>): FakeCluster {
  const cluster = createFakeCluster();
  cluster.put(sample('v1', 'Namespace', 'ops'));
  cluster.put({ ...object, metadata: { ...object.metadata, annotations } });
  return cluster;
}

function apply(
  cluster: FakeCluster,
  object: KubeObject,
  { may = all, ...request }: Partial<ApplyRequest> & { readonly may?: May },
): Promise<ApplyResult> {
  const acting = request.asManager === true ? cluster : actingAs(cluster, ACCOUNT, may);
  return applyRevision(acting, { signal: NEVER, objects: prepared([object]), previousInventory: [], ...request });
}

describe.each([
  { what: 'a ConfigMap', object: config },
  { what: 'a CRD', object: sampleCrd('Widget') },
])('$what that exists', ({ object }) => {
  test.each<{
    annotations: Readonly<Record<string, string>>;
    asManager?: boolean;
    may?: May;
    reason: string | undefined;
    because: string;
  }>([
    { annotations: OURS, reason: undefined, because: 'a killed manager created it before it was in the inventory' },
    {
      annotations: OURS,
      may: noDelete,
      reason: 'Forbidden',
      because: 'anyone who may annotate it could have forged that',
    },
    { annotations: OURS, asManager: true, reason: undefined, because: 'the manager has the right to delete' },
    { annotations: ADOPTED, reason: undefined, because: 'a person annotated it for adoption' },
    {
      annotations: ADOPTED,
      may: noDelete,
      reason: 'Forbidden',
      because: 'the manager would delete it later, with its own rights',
    },
    { annotations: LEFT, reason: 'Collision', because: 'an equal name gives no right to it' },
    { annotations: LEFT, asManager: true, reason: undefined, because: "an administrator's Subscription takes it over" },
    {
      annotations: { ...LEFT, ...ADOPTED },
      reason: undefined,
      because: 'a person hands over the objects of the earlier Subscription',
    },
    { annotations: BEFORE, reason: 'Collision', because: 'a release that wrote no uid applied it' },
    {
      annotations: BEFORE,
      asManager: true,
      reason: undefined,
      because: "an administrator's Subscription takes it over",
    },
    { annotations: {}, asManager: true, reason: 'Collision', because: 'not even an administrator adopts silently' },
  ])(
    'an existing object ends in $reason, because $because',
    async ({ annotations, asManager = false, may = all, reason }) => {
      const cluster = existing(object, annotations);
      const { uid } = (await cluster.get(refOf(object)))?.metadata ?? {};
      const { failures, inventory } = await apply(cluster, object, { asManager, may });
      expect(failures[0]?.reason).toBe(reason);
      const live = await cluster.get(refOf(object));
      expect(live?.metadata).toMatchObject({ uid, annotations: reason === undefined ? OURS : annotations });
      if (reason === undefined) expect(inventory).toMatchObject([{ uid }]);
    },
  );
});

describe('a cluster-scoped object that the garbage collector would delete with a stranger’s', () => {
  const crd = sampleCrd('Widget');
  const reference = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'theirs' };
  const owned = (uid: string, object: KubeObject = crd): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences: [{ ...reference, uid }] },
  });

  test.each([
    { annotations: ADOPTED, because: 'its maker may write the annotation' },
    { annotations: BEFORE, because: 'its maker may write the owner' },
    { annotations: LEFT, because: 'its maker may write any uid' },
    { annotations: OURS, because: 'our uid stands in each of our objects' },
  ])('is a collision that names the owner, because $because', async ({ annotations }) => {
    for (const asManager of [true, false]) {
      const cluster = existing(owned('theirs'), annotations);
      const { failures } = await apply(cluster, crd, { asManager });
      expect(failures[0]?.reason).toBe('Collision');
      if (asManager) expect(failures[0]?.message).toContain('CustomResourceDefinition theirs');
      expect((await cluster.get(refOf(crd)))?.metadata.annotations).toEqual(annotations);
    }
  });

  test('is taken over once the owner is taken off', async () => {
    const cluster = existing(owned('theirs'), ADOPTED);
    await cluster.patch(refOf(crd), { metadata: { ownerReferences: null } });
    expect((await apply(cluster, crd, { asManager: true })).failures).toEqual([]);
  });

  test.each([
    { object: crd, reference: 'subscription-uid', because: 'its owner is the Subscription itself' },
    { object: config, reference: 'theirs', because: 'in a namespace its own people decide' },
  ])('is no collision if $because', async ({ object, reference: uid }) => {
    const { failures } = await apply(existing(owned(uid, object), ADOPTED), object, { asManager: true });
    expect(failures).toEqual([]);
  });

  test('is ours if the inventory has its uid: a user who wrote the owner may change it', async () => {
    const cluster = existing(owned('theirs'), OURS);
    const live = (await cluster.get(refOf(crd))) as KubeObject;
    const known = { ...entryOf(prepared([crd])[0] as KubeObject, live), hash: 'another' };
    expect((await apply(cluster, crd, { previousInventory: [known] })).failures).toEqual([]);
  });
});

describe('a ClusterRole with a label by which Kubernetes adds its rules to another one', () => {
  const LABEL_OF_VIEW = 'rbac.authorization.k8s.io/aggregate-to-view';
  const role = sample('rbac.authorization.k8s.io/v1', 'ClusterRole', 'widget-manager', { rules: [] });
  const labelled: KubeObject = { ...role, metadata: { ...role.metadata, labels: { [LABEL_OF_VIEW]: 'true' } } };

  test.each([
    { annotations: ADOPTED, because: 'its maker may write the annotation' },
    { annotations: OURS, because: 'our uid stands in each of our objects' },
  ])('is a collision that names the label, because $because', async ({ annotations }) => {
    const { failures } = await apply(existing(labelled, annotations), role, { asManager: true });
    expect(failures).toMatchObject([
      { reason: 'Collision', message: expect.stringContaining(LABEL_OF_VIEW) as string },
    ]);
  });

  test('is taken over if the bundle has the label too', async () => {
    const { failures } = await apply(existing(labelled, ADOPTED), labelled, { asManager: true });
    expect(failures).toEqual([]);
  });

  test('is ours if the inventory has its uid: a user who wrote the label may change it', async () => {
    const cluster = existing(labelled, OURS);
    const live = (await cluster.get(refOf(role))) as KubeObject;
    const known = { ...entryOf(prepared([role])[0] as KubeObject, live), hash: 'another' };
    expect((await apply(cluster, role, { asManager: true, previousInventory: [known] })).failures).toEqual([]);
  });
});

describe('an object that a manager made before it was killed, and on which its operator has set two owners', () => {
  const role = sample('rbac.authorization.k8s.io/v1', 'ClusterRole', 'widget-manager', { rules: [] });
  const ownerReferences = ['lights', 'lamps'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', name, uid: name }));
  const made = async (object: KubeObject): Promise<FakeCluster> => {
    const cluster = existing(config, OURS);
    await apply(cluster, object, { asManager: true });
    await cluster.patch(refOf(object), { metadata: { ownerReferences } });
    return cluster;
  };

  test('is applied again', async () => {
    expect((await apply(await made(role), role, { asManager: true })).failures).toEqual([]);
  });

  test('is a collision that names both if it is a CRD, which no operator gives an owner', async () => {
    const crd = sampleCrd('Widget');
    const [failure] = (await apply(await made(crd), crd, { asManager: true })).failures;
    expect(failure?.message).toMatch(/may delete it with its owner Namespace lights, Namespace lamps/);
  });
});

describe('what an apply reports about an object that is not in the inventory', () => {
  const crd = sampleCrd('Widget');
  const made = async (): Promise<FakeCluster> => {
    const cluster = existing(config, OURS);
    await apply(cluster, crd, { asManager: true });
    return cluster;
  };
  const reportOf = async (cluster: FakeCluster): Promise<unknown> => {
    const { phases } = await apply(cluster, crd, { asManager: true });
    return phases.flatMap(({ objects }) => objects)[0]?.takenOver;
  };

  test('nothing is reported about an object that a manager made before it was killed', async () => {
    expect(await reportOf(await made())).toBeUndefined();
  });

  test('the webhook of another maker goes, since it can use the name of our field manager', async () => {
    const cluster = await made();
    const clientConfig = { service: { namespace: 'lights', name: 'stranger' } };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    const converted = { ...crd, spec: { ...(crd['spec'] as object), conversion } };
    await cluster.apply(converted, { fieldManager: 'other', force: true });
    expect((await apply(cluster, crd, { asManager: true })).failures).toEqual([]);
    expect((await cluster.get(refOf(crd)))?.['spec']).toMatchObject({ conversion: { strategy: 'None' } });
  });

  test('a finalizer is reported, since another maker can use the name of our field manager', async () => {
    const cluster = await made();
    await cluster.patch(refOf(crd), { metadata: { finalizers: ['example.com/hold'] } });
    expect(await reportOf(cluster)).toMatchObject({ finalizers: ['example.com/hold'] });
  });
});

test('the refusal names the missing right to delete, and how to grant it', async () => {
  const { failures } = await apply(existing(config, ADOPTED), config, { may: noDelete });
  expect(failures[0]?.message).toContain('exists already and is taken over only if it may be deleted too');
  expect(failures[0]?.hint).toBe(`Grant ${ACCOUNT} the verb delete on configmaps`);
});

test('an object whose uid is in the inventory is ours, whether the account may delete it or not', async () => {
  const cluster = existing(config, BEFORE);
  const [object] = prepared([config]);
  const live = (await cluster.get(refOf(config))) as KubeObject;
  const known = { ...entryOf(object as KubeObject, live), hash: 'another' };
  const { failures } = await apply(cluster, config, { may: noDelete, previousInventory: [known] });
  expect(failures).toEqual([]);
});

test('an object that was intended but created by another writer is judged as unknown', async () => {
  const cluster = existing(config, LEFT);
  const previousInventory = intendedEntries(prepared([config]));
  expect((await apply(cluster, config, { previousInventory })).failures[0]?.reason).toBe('Collision');
});

test('an object that appears between check and write is judged too', async () => {
  let appeared = false;
  const cluster = createFakeCluster({
    before: ({ verb, dryRun }, it) => {
      if (appeared || verb !== 'apply' || dryRun) return;
      appeared = true;
      it.put({ ...config, metadata: { ...config.metadata, annotations: OURS } });
    },
  });
  cluster.put(sample('v1', 'Namespace', 'ops'));
  expect((await apply(cluster, config, { may: noDelete })).failures[0]?.reason).toBe('Forbidden');
  expect(appeared).toBe(true);
});

test('an answer of a webhook without dry run support proves the right to delete', async () => {
  const cluster = createFakeCluster({
    before: ({ verb, dryRun }) => {
      if (verb === 'delete' && dryRun) throw refusal(400, 'BadRequest', 'the webhook does not support dry run');
    },
  });
  cluster.put(sample('v1', 'Namespace', 'ops'));
  cluster.put({ ...config, metadata: { ...config.metadata, annotations: OURS } });
  expect((await apply(cluster, config, {})).failures).toEqual([]);
});
