/** A Revision whose bundle brings custom resources of its own CRD, from its installation to its removal. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleCrd, sampleOperator } from '../../../apply/testing/sample-objects.ts';
import { type FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import { refusal } from '../../../api/testing/refusal.ts';
import { findCondition } from '../../../api/conditions.ts';
import { groupOf, refOf, type KubeObject } from '../../../api/object.ts';
import { createHarness, NAMESPACE, type Harness, type HarnessOptions } from '../testing/harness.ts';

type May = NonNullable<HarnessOptions['managerMay']>;

const own = sample('example.com/v1', 'Widget', 'bundled', { namespace: NAMESPACE, spec: { size: 1 } });
const users = sample('example.com/v1', 'Widget', 'of-a-user', { namespace: NAMESPACE, spec: {} });
const objects = [...sampleOperator(), own];
const NAMED = { serviceAccountName: 'installer' };
const ROLE = 'slipway-own-kinds.ops.widgets';
const find = (harness: Harness, kind: string, name: string): KubeObject | undefined =>
  harness.cluster.objects().find((object) => object.kind === kind && object.metadata.name === name);
const readyOf = (harness: Harness, number = 1): ReturnType<typeof findCondition> =>
  findCondition(harness.revision(number)?.status?.conditions, 'Ready');

/** The rights of deploy/rbac, and those that the manager has given itself; it may list and delete all kinds. */
function rightsOf(cluster: () => FakeCluster): May {
  return ({ verb, ref }) => {
    if (groupOf(ref.apiVersion) !== 'example.com' || verb === 'list' || verb === 'delete') return true;
    const there = cluster().objects();
    const has = (kind: string): boolean =>
      there.some((object) => object.kind === kind && object.metadata.name === ROLE);
    return has('ClusterRole') && has('ClusterRoleBinding');
  };
}

function createScene(options: HarnessOptions = {}): Harness {
  const harness: Harness = createHarness({ managerMay: rightsOf(() => harness.cluster), ...options });
  harness.cluster.put(sample('v1', 'ServiceAccount', 'installer', { namespace: NAMESPACE }));
  return harness;
}

/** Deletes the Subscription, and its Revision as its controller does. */
async function uninstall(harness: Harness, spec: object = {}, number = 1): Promise<void> {
  harness.setSubscription(spec);
  const subscription = {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    namespace: NAMESPACE,
    name: 'widgets',
  };
  harness.cluster.change(subscription, (object) => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] },
  }));
  await harness.cluster.delete(refOf(harness.revision(number)));
  for (let round = 0; round < 3 && harness.revision(number) !== undefined; round += 1) await harness.reconcile(number);
}

/** Rolls out as far as possible; a rejection is in the status. */
async function rollOut(harness: Harness): Promise<string | undefined> {
  for (let round = 0; round < 4; round += 1) await harness.reconcile(1).catch(() => undefined);
  return readyOf(harness)?.reason;
}

describe('a bundle with custom resources, with the rights of the manager', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = createScene();
    harness.setSubscription({ onFailure: { bakeTime: '0s' } });
    await harness.addRevision(1, objects);
    await harness.settle(1);
  });

  test('the manager gives itself exactly the rights that custom resources need, as objects of the Revision', () => {
    expect(readyOf(harness)?.status).toBe('True');
    expect(find(harness, 'Widget', 'bundled')).toBeDefined();
    expect(find(harness, 'ClusterRole', ROLE)?.['rules']).toEqual([
      { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'watch', 'create', 'patch'] },
    ]);
    expect(find(harness, 'ClusterRoleBinding', ROLE)?.['subjects']).toEqual([
      { kind: 'ServiceAccount', namespace: 'slipway-system', name: 'slipway-manager' },
    ]);
    const listed = harness.revision(1).status?.inventory?.filter(({ name }) => name === ROLE);
    expect(listed?.every(({ uid }) => uid !== '')).toBe(true);
    expect(listed).toHaveLength(2);
  });

  test('the manager gives itself rights on a kind only after the CRD belongs to the Revision', async () => {
    const other = createScene();
    const { [0]: crd } = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    other.cluster.put({
      ...(crd as KubeObject),
      metadata: { name: 'widgets.example.com', annotations: { 'slipway.dev/owner': 'other/one' } },
    });
    await other.addRevision(1, objects);
    expect(await rollOut(other)).toBe('Collision');
    expect(find(other, 'ClusterRole', ROLE)).toBeUndefined();
    const applied = harness.cluster.requests.filter(({ verb, dryRun }) => verb === 'apply' && !dryRun);
    const at = (kind: string, name: string): number =>
      applied.findIndex(({ ref }) => ref.kind === kind && ref.name === name);
    expect(at('CustomResourceDefinition', 'widgets.example.com')).toBeLessThan(at('ClusterRole', ROLE));
  });

  test('the manager gives itself no rights for a bundle without custom resources', async () => {
    const other = createScene();
    await other.addRevision(1, sampleOperator());
    await other.settle(1);
    expect(find(other, 'ClusterRole', ROLE)).toBeUndefined();
  });

  test('the rights of the manager are deleted also if the objects of the operator stay', async () => {
    await uninstall(harness, { uninstall: { objects: 'Orphan' } });
    expect(harness.revision(1)).toBeUndefined();
    expect(find(harness, 'ClusterRole', ROLE)).toBeUndefined();
    expect(find(harness, 'ClusterRoleBinding', ROLE)).toBeUndefined();
    for (const object of objects) expect(find(harness, object.kind, object.metadata.name)).toBeDefined();
    expect(harness.events).toEqual([
      expect.objectContaining({
        reason: 'Orphaned',
        note: expect.stringContaining(`The ${objects.length} objects`) as string,
      }),
    ]);
  });

  test('a custom resource that is in place and unchanged costs no request', async () => {
    const before = harness.cluster.requests.length;
    expect(await harness.reconcile(1)).toBeUndefined();
    expect(harness.cluster.requests.length).toBe(before);
  });

  test.each([
    { kind: 'Widget', name: 'bundled' },
    { kind: 'ClusterRole', name: ROLE },
    { kind: 'ClusterRoleBinding', name: ROLE },
  ])('a deleted $kind is made again', async ({ kind, name }) => {
    await harness.cluster.delete(refOf(find(harness, kind, name) as KubeObject));
    await harness.settle(1);
    expect(find(harness, kind, name)).toBeDefined();
    expect(readyOf(harness)?.status).toBe('True');
  });

  test('a changed custom resource is repaired', async () => {
    harness.cluster.change(refOf(own), (object) => ({
      ...object,
      metadata: { ...object.metadata, generation: 9 },
      spec: { size: 7 },
    }));
    await harness.settle(1);
    expect(find(harness, 'Widget', 'bundled')).toMatchObject({ spec: { size: 1 } });
  });

  test('an upgrade prunes custom resources that it no longer brings, and the rights on them', async () => {
    harness.setState(1, 'Archived');
    await harness.addRevision(2, sampleOperator({ image: 'registry.example/operator:2' }), { previous: 'widgets-1' });
    await harness.settle(2);
    expect(readyOf(harness, 2)?.status).toBe('True');
    for (const [kind, name] of [
      ['Widget', 'bundled'],
      ['ClusterRole', ROLE],
      ['ClusterRoleBinding', ROLE],
    ] as const)
      expect(find(harness, kind, name)).toBeUndefined();
    expect(find(harness, 'CustomResourceDefinition', 'widgets.example.com')).toBeDefined();
  });

  test('the custom resource of an earlier version does not block the CRD of the one that replaces it', async () => {
    const spec = {
      type: 'object',
      required: ['mode'],
      properties: { size: { type: 'integer' }, mode: { type: 'string' } },
    };
    const crd = sampleCrd('Widget');
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const next = {
      ...crd,
      spec: { ...(crd['spec'] as object), versions: [{ name: 'v1', served: true, storage: true, schema }] },
    };
    const others = sampleOperator().filter(({ kind }) => kind !== 'CustomResourceDefinition');
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [...others, next, { ...own, spec: { size: 1, mode: 'a' } }], {
      previous: 'widgets-1',
    });
    await harness.settle(2);
    expect(readyOf(harness, 2)?.status).toBe('True');
  });

  test('a removal deletes all objects, the rights included', async () => {
    await uninstall(harness);
    expect(harness.revision(1)).toBeUndefined();
    expect(
      harness.cluster
        .objects()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['Namespace', 'Namespace', 'ServiceAccount', 'Subscription']);
  });

  test.each(['Retain', 'Delete'])(
    'a removal under %s keeps or deletes users’ objects, and never keeps the bundle’s',
    async (policy) => {
      harness.cluster.put(users);
      await uninstall(harness, { uninstall: { customResources: policy } });
      expect(harness.revision(1)).toBeUndefined();
      expect(find(harness, 'Widget', 'bundled')).toBeUndefined();
      expect(find(harness, 'Widget', 'of-a-user') === undefined).toBe(policy === 'Delete');
    },
  );
});

describe('a bundle with custom resources, with the rights of an account', () => {
  /** All rights, except for these verbs on Widgets: as SelfSubjectAccessReviews and requests name them. */
  const without =
    (...verbs: readonly string[]): May =>
    ({ verb, ref }) =>
      !verbs.includes(verb) || groupOf(ref.apiVersion) !== 'example.com';

  async function install(accountMay: May): Promise<Harness> {
    const harness = createScene({ accountMay });
    harness.setSubscription(NAMED);
    await harness.addRevision(1, objects, NAMED);
    return harness;
  }

  test('with an account, the manager gives itself no rights, and reads the custom resource now and then', async () => {
    const harness = await install(() => true);
    await harness.settle(1);
    expect(readyOf(harness)?.status).toBe('True');
    expect(find(harness, 'ClusterRole', ROLE)).toBeUndefined();
    expect(await harness.reconcile(1)).toEqual({ requeueAfterSeconds: 60 });
    await harness.cluster.delete(refOf(own));
    await harness.settle(1);
    expect(find(harness, 'Widget', 'bundled')).toBeDefined();
  });

  test.each([
    { verbs: ['create'], told: 'lacks the verb create on widgets.example.com' },
    { verbs: ['patch', 'apply'], told: 'lacks the verb patch on widgets.example.com' },
    { verbs: ['create', 'patch', 'apply'], told: 'lacks the verbs create and patch on widgets.example.com' },
    { verbs: ['get'], told: 'cannot get resource "widgets"' },
  ])(
    'the missing right to $verbs is named before anything is applied, and the roll-out goes on once it is granted',
    async ({ verbs, told }) => {
      let may = without(...verbs);
      const harness = await install((request) => may(request));
      expect(await rollOut(harness)).toBe('Forbidden');
      expect(readyOf(harness)?.message).toContain(told);
      expect(readyOf(harness)?.message).toMatch(/Grant .*installer the verb/);
      expect(find(harness, 'Deployment', 'widget-manager')).toBeUndefined();
      may = () => true;
      expect(await rollOut(harness)).toBe('Succeeded');
    },
  );

  test('a custom resource that cannot be read for a moment changes nothing', async () => {
    let isDown = false;
    const harness = createScene({
      accountMay: () => true,
      before: ({ ref }) => {
        if (isDown && ref.kind === 'Widget') throw refusal(503, '', 'no');
      },
    });
    harness.setSubscription(NAMED);
    await harness.addRevision(1, objects, NAMED);
    await harness.settle(1);
    isDown = true;
    expect(await harness.reconcile(1)).toEqual({ requeueAfterSeconds: 60 });
    expect(readyOf(harness)?.status).toBe('True');
  });

  test('a removal needs no right of the account for the custom resources of the bundle', async () => {
    let may: May = () => true;
    const harness = await install((request) => may(request));
    await harness.settle(1);
    may = () => false;
    await uninstall(harness, { ...NAMED, uninstall: { customResources: 'Delete' } });
    expect(harness.revision(1)).toBeUndefined();
    expect(find(harness, 'Widget', 'bundled')).toBeUndefined();
    expect(find(harness, 'CustomResourceDefinition', 'widgets.example.com')).toBeUndefined();
  });
});
