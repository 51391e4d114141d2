import { NEVER } from '../api/testing/never.ts';
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { applyWatching } from './testing/apply-watching.ts';
import { countCustomResources, type CustomResourceCounts } from './custom-resources.ts';
import { actingAs, createFakeCluster, type FakeCluster, type FakeOptions } from '../kube/testing/fake-cluster.ts';
import { refusal } from '../api/testing/refusal.ts';
import { identityOf } from './identity.ts';
import { intendedEntries, type InventoryEntry } from './inventory.ts';
import { inWaves, planUninstall, UNINSTALL_STEPS, wavesOf, type CustomResourcePolicy } from './plan-uninstall.ts';
import { OWNER, prepared, sample, sampleOperator } from './testing/sample-objects.ts';
import { runUninstall, type UninstallOptions, type UninstallResult } from './uninstall.ts';

const widget = sample('example.com/v1', 'Widget', 'first', { namespace: 'ops' });
const objects = prepared(sampleOperator());
const counts = (count: number | 'unknown'): CustomResourceCounts =>
  new Map([
    [
      'widgets.example.com',
      {
        resource: { apiVersion: 'example.com/v1', kind: 'Widget', served: { plural: 'widgets', namespaced: true } },
        count,
        samples: count === 0 || count === 'unknown' ? [] : ['ops/first'],
      },
    ],
  ]);

describe('the function planUninstall', () => {
  const inventory = intendedEntries([...objects, ...prepared([sample('v1', 'Namespace', 'extra')])]);
  const steps = (policy: CustomResourcePolicy, count: number | 'unknown'): readonly string[] =>
    planUninstall(inventory, counts(count), policy).steps.map(({ name }) => name);
  const all = UNINSTALL_STEPS.filter((name) => name !== 'customResources');

  test.each<{
    policy: CustomResourcePolicy;
    count: number | 'unknown';
    want: readonly string[];
    stays: number;
    because: string;
  }>([
    { policy: 'Retain', count: 0, want: all, stays: 0, because: 'an empty CRD is deleted' },
    {
      policy: 'Retain',
      count: 2,
      want: all.filter((name) => name !== 'crds'),
      stays: 1,
      because: 'a CRD with objects stays with them',
    },
    { policy: 'Delete', count: 0, want: all, stays: 0, because: 'there is no object to delete' },
    { policy: 'Delete', count: 2, want: UNINSTALL_STEPS, stays: 0, because: 'objects are deleted first' },
    { policy: 'Block', count: 0, want: all, stays: 0, because: 'no objects block it' },
    { policy: 'Block', count: 1, want: [], stays: 1, because: 'nothing is deleted while an object exists' },
  ])('planUninstall for $policy with $count objects: $want, because $because', ({ policy, count, want, stays }) => {
    const plan = planUninstall(inventory, counts(count), policy);
    expect(steps(policy, count)).toEqual(want);
    expect(plan.stays).toHaveLength(stays);
    expect(plan.state).toBe(policy === 'Block' && stays > 0 ? 'Blocked' : 'Ready');
    for (const stay of plan.stays) expect(stay).toMatchObject({ reason: 'CustomResourcesExist' });
  });

  test.each(['Retain', 'Delete', 'Block'] as const)(
    'planUninstall is Unknown under %s while it is not known whether a CRD has objects',
    (policy) => {
      const plan = planUninstall(inventory, counts('unknown'), policy);
      expect(plan).toMatchObject({ state: 'Unknown', steps: [], stays: [] });
      expect(plan.doubts).toMatchObject([{ reason: 'ApiUnavailable', retry: 'backoff' }]);
    },
  );

  test('planUninstall keeps a CRD whose objects cannot be converted: there is at least one', () => {
    const [[name, count] = []] = [...counts('unknown')];
    if (name === undefined || count === undefined) throw new Error('no CRD is counted');
    const plan = planUninstall(inventory, new Map([[name, { ...count, exist: true }]]), 'Retain');
    expect(plan.state).toBe('Ready');
    expect(plan.stays).toHaveLength(1);
  });

  test('planUninstall puts every object of the inventory into one step or into stays', () => {
    const { steps: planned, stays } = planUninstall(inventory, counts(2), 'Retain');
    expect(planned.flatMap(({ entries }) => entries).length + stays.length).toBe(inventory.length);
  });
});

describe('the waves of an uninstall and of pruning', () => {
  const inventory = intendedEntries([...objects, ...prepared([widget, sample('v1', 'Namespace', 'extra')])]);
  const waves = inWaves(inventory).map((entries) => entries.map(({ kind }) => kind).sort());
  const waveOf = (kind: string): number => waves.findIndex((kinds) => kinds.includes(kind));

  test.each<{ first: string; next: string; because: string }>([
    { first: 'Widget', next: 'ValidatingWebhookConfiguration', because: 'the operator still finalizes it' },
    { first: 'ValidatingWebhookConfiguration', next: 'Deployment', because: 'without Pods it rejects requests' },
    { first: 'Deployment', next: 'ClusterRole', because: 'a Pod that ends may still use its rights' },
    { first: 'Deployment', next: 'ConfigMap', because: 'a Pod that ends may still read it' },
    { first: 'Deployment', next: 'CustomResourceDefinition', because: 'a Pod that runs may still create an object' },
    { first: 'CustomResourceDefinition', next: 'Namespace', because: 'its objects may live in the namespace' },
  ])('$first is gone before $next is deleted, because $because', ({ first, next }) => {
    expect(waveOf(first)).toBeGreaterThanOrEqual(0);
    expect(waveOf(first)).toBeLessThan(waveOf(next));
  });

  test.each(['ClusterRole', 'ClusterRoleBinding', 'ServiceAccount', 'Service', 'CustomResourceDefinition'])(
    'a %s goes together with the configuration: nothing uses either once no workload runs',
    (kind) => {
      expect(waveOf(kind)).toBe(waveOf('ConfigMap'));
    },
  );

  test('steps and entries have the same waves', () => {
    const { steps } = planUninstall(inventory, counts(0), 'Retain');
    expect(wavesOf(steps).map((wave) => wave.flatMap(({ entries }) => entries.map(({ kind }) => kind)).sort())).toEqual(
      waves,
    );
  });
});

async function installed(fake: FakeOptions = {}): Promise<[FakeCluster, readonly InventoryEntry[]]> {
  const cluster = createFakeCluster(fake);
  cluster.put(sample('v1', 'Namespace', 'ops'));
  const { inventory } = await applyWatching(cluster, { signal: NEVER, objects, previousInventory: [] });
  return [cluster, inventory];
}

async function uninstall(
  cluster: FakeCluster,
  inventory: readonly InventoryEntry[],
  policy: CustomResourcePolicy,
  given: Pick<UninstallOptions, 'now'> = {},
): Promise<UninstallResult> {
  const options = { signal: NEVER, owner: OWNER, stepSeconds: 0.05, ...given };
  const found = await countCustomResources(cluster, inventory, options);
  return runUninstall(cluster, planUninstall(inventory, found, policy), options);
}
const left = (cluster: FakeCluster): string[] =>
  cluster
    .objects()
    .filter(({ kind }) => kind !== 'Namespace')
    .map(({ kind }) => kind);
const deletions = (cluster: FakeCluster): string[] =>
  cluster.requests.filter(({ verb }) => verb === 'delete').map(({ ref }) => ref.kind);

describe('the function runUninstall', () => {
  test('an uninstall deletes all objects, in order', async () => {
    const [cluster, inventory] = await installed();
    expect(await uninstall(cluster, inventory, 'Retain')).toMatchObject({ state: 'Complete', stays: [], failures: [] });
    expect(left(cluster)).toEqual([]);
    const order = deletions(cluster);
    expect(order[0]).toBe('ValidatingWebhookConfiguration');
    expect(order.indexOf('Deployment')).toBeLessThan(order.indexOf('Service'));
    expect(order.indexOf('Deployment')).toBeLessThan(order.indexOf('ClusterRole'));
    expect(order.at(-1)).toBe('CustomResourceDefinition');
  });

  test('an object that a finalizer holds delays only the waves after its own', async () => {
    const [cluster, inventory] = await installed();
    const held = refOf(cluster.objects().find(({ kind }) => kind === 'Service') as KubeObject);
    cluster.change(held, (object) => ({ ...object, metadata: { ...object.metadata, finalizers: ['lb/x'] } }));
    const extra = sample('v1', 'Namespace', 'extra');
    cluster.put(extra);
    const all = [...inventory, ...intendedEntries([extra])];
    expect(await uninstall(cluster, all, 'Retain')).toMatchObject({ state: 'Waiting', step: 'configuration' });
    expect(left(cluster)).toEqual(['Service']);
    expect(cluster.objects().filter(({ kind }) => kind === 'Namespace')).toHaveLength(3);
  });

  test('an uninstall reads no object that a watch knows, and still deletes only objects that it applied', async () => {
    const [cluster, inventory] = await installed();
    const known = new Map(cluster.objects().map((object) => [identityOf(refOf(object)), object]));
    const swapped = cluster.objects().find(({ kind }) => kind === 'Service') as KubeObject;
    await cluster.delete(refOf(swapped));
    cluster.put({ ...sample('v1', 'Service', swapped.metadata.name, { namespace: 'ops' }), theirs: true });
    const before = cluster.requests.length;
    const watched = { get: (ref: ObjectRef): KubeObject | undefined => known.get(identityOf(ref)) };
    const options = { signal: NEVER, owner: OWNER, watched, stepSeconds: 0.05 };
    const found = await countCustomResources(cluster, inventory, options);
    await runUninstall(cluster, planUninstall(inventory, found, 'Retain'), {
      ...options,
      observe: async function* gone(refs) {
        yield refs.map((ref) => ({ ref, object: undefined }));
      },
    });
    expect(cluster.requests.slice(before).filter(({ verb, ref }) => verb === 'get' && ref.kind !== 'Service')).toEqual(
      [],
    );
    expect(cluster.objects().filter(({ kind }) => kind !== 'Namespace')).toMatchObject([
      { kind: 'Service', theirs: true },
    ]);
  });

  test('a Deployment counts as gone only when its Pods are', async () => {
    const [cluster, inventory] = await installed();
    await uninstall(cluster, inventory, 'Retain');
    const deletion = cluster.requests.find(({ verb, ref }) => verb === 'delete' && ref.kind === 'Deployment');
    expect(deletion?.propagation).toBe('Foreground');
  });

  test('Retain keeps the CRD with its objects and reports it', async () => {
    const [cluster, inventory] = await installed();
    cluster.put(widget);
    const result = await uninstall(cluster, inventory, 'Retain');
    expect(result).toMatchObject({ state: 'Complete', stays: [{ reason: 'CustomResourcesExist' }] });
    expect(result.stays[0]?.message).toContain('ops/first');
    expect(left(cluster).sort()).toEqual(['CustomResourceDefinition', 'Widget']);
  });

  test('Retain keeps a CRD whose first object is created after the plan', async () => {
    const [cluster, inventory] = await installed();
    const options = { signal: NEVER, owner: OWNER };
    const plan = planUninstall(inventory, await countCustomResources(cluster, inventory, options), 'Retain');
    cluster.put(widget);
    expect(await runUninstall(cluster, plan, options)).toMatchObject({
      state: 'Complete',
      stays: [{ reason: 'CustomResourcesExist' }],
    });
    expect(left(cluster).sort()).toEqual(['CustomResourceDefinition', 'Widget']);
  });

  test('Delete removes the objects first, while the operator runs', async () => {
    const [cluster, inventory] = await installed();
    cluster.put(widget);
    expect(await uninstall(cluster, inventory, 'Delete')).toMatchObject({ state: 'Complete' });
    expect(left(cluster)).toEqual([]);
    expect(deletions(cluster)[0]).toBe('Widget');
  });

  test('Delete keeps the operator while a finalizer holds an object, and names both', async () => {
    const [cluster, inventory] = await installed();
    cluster.put({ ...widget, metadata: { ...widget.metadata, finalizers: ['example.com/hold'] } });
    const stuck = await uninstall(cluster, inventory, 'Delete');
    expect(stuck).toMatchObject({ state: 'Waiting', step: 'customResources' });
    expect(stuck.waiting).toMatchObject([{ ref: refOf(widget), message: 'it is held by example.com/hold' }]);
    expect(left(cluster)).toContain('Deployment');
    cluster.change(refOf(widget), (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
    expect(await uninstall(cluster, inventory, 'Delete')).toMatchObject({ state: 'Complete' });
    expect(left(cluster)).toEqual([]);
  });

  test('a CRD held by an object that was created after the count is explained by one list of its objects', async () => {
    const [cluster, inventory] = await installed();
    cluster.put({ ...widget, metadata: { ...widget.metadata, finalizers: ['example.com/hold'] } });
    const plan = planUninstall(inventory, counts(0), 'Delete');
    const stuck = await runUninstall(cluster, plan, { signal: NEVER, owner: OWNER, stepSeconds: 0.05 });
    expect(stuck).toMatchObject({ state: 'Waiting', step: 'crds' });
    expect(stuck.waiting[0]?.message).toContain('ops/first (it is held by example.com/hold)');
    const lists = cluster.requests.filter(({ verb, ref }) => verb === 'list' && ref.kind === 'Widget');
    expect(lists).toHaveLength(1);
  });

  test('Block deletes nothing while there are objects', async () => {
    const [cluster, inventory] = await installed();
    cluster.put(widget);
    expect(await uninstall(cluster, inventory, 'Block')).toMatchObject({ state: 'Waiting', removals: [] });
    expect(deletions(cluster)).toEqual([]);
  });

  test('objects of other owners with our names stay, and are reported', async () => {
    const [cluster, inventory] = await installed();
    const role = cluster.objects().find(({ kind }) => kind === 'ClusterRole') as KubeObject;
    await cluster.delete(refOf(role));
    cluster.put(sample(role.apiVersion, 'ClusterRole', role.metadata.name));
    const result = await uninstall(cluster, inventory, 'Retain');
    expect(result).toMatchObject({ state: 'Complete', stays: [{ reason: 'Collision' }] });
    expect(left(cluster)).toEqual(['ClusterRole']);
  });

  test('a CRD whose deletion hangs is written to, which completes it', async () => {
    const [cluster, inventory] = await installed();
    const crd = inventory.find(({ kind }) => kind === 'CustomResourceDefinition') as InventoryEntry;
    cluster.change(crd, (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['customresourcecleanup'] },
    }));
    const hanging = {
      ...cluster,
      patch: async (...args: Parameters<FakeCluster['patch']>) => {
        const patched = await cluster.patch(...args);
        cluster.change(args[0], (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
        return patched;
      },
    };
    expect(await uninstall(hanging, inventory, 'Retain')).toMatchObject({ state: 'Complete' });
    expect(left(cluster)).toEqual([]);
  });

  describe('a slow deletion of a CRD', () => {
    const LONG_AGO = '1999-01-01T00:00:00Z';
    const failed = { conditions: [{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionFailed' }] };
    const cases = [
      {
        crd: 'is old',
        created: LONG_AGO,
        status: {},
        patches: [0, 0],
        because: "a write puts it back into the API server's queue",
      },
      {
        crd: 'is forgotten',
        created: LONG_AGO,
        status: {},
        later: 61,
        patches: [1, 1],
        because: 'one write may complete it, and more would only delay it',
      },
      {
        crd: 'is new',
        created: '1999-12-31T23:59:59Z',
        status: {},
        patches: [2, 4],
        because: 'only new CRDs can hang',
      },
      {
        crd: 'failed',
        created: LONG_AGO,
        status: failed,
        patches: [2, 4],
        because: 'the API server retries with growing delays',
      },
    ];

    test.each(cases)(
      'for a CRD whose deletion is slow, $crd, the writes per run are $patches, because $because',
      async ({ created, status, patches, later = 0 }) => {
        const [cluster, inventory] = await installed();
        const crd = inventory.find(({ kind }) => kind === 'CustomResourceDefinition') as InventoryEntry;
        const hold = (): void =>
          cluster.change(crd, (object) => ({
            ...object,
            metadata: { ...object.metadata, creationTimestamp: created, finalizers: ['customresourcecleanup'] },
            status: { ...(object['status'] as object), ...status },
          }));
        hold();
        const held: FakeCluster = {
          ...cluster,
          patch: async (...args) => cluster.patch(...args).finally(hold),
        };
        const writes = (): number => cluster.requests.filter(({ verb }) => verb === 'patch').length;
        const before = writes();
        for (const written of patches) {
          const now = (): Date => new Date(Date.parse('2000-01-01T00:00:00Z') + later * 1000);
          const result = await uninstall(held, inventory, 'Retain', { now });
          expect(result).toMatchObject({ state: 'Waiting', step: 'crds' });
          expect(writes() - before).toBe(written);
        }
      },
    );
  });

  test('intended entries make up for a lost inventory', async () => {
    const [cluster] = await installed();
    cluster.put(sample('v1', 'ConfigMap', 'theirs', { namespace: 'ops' }));
    expect(await uninstall(cluster, intendedEntries(objects), 'Retain')).toMatchObject({ state: 'Complete' });
    expect(left(cluster)).toEqual(['ConfigMap']);
  });

  test('a refusal ends the run with its reason, and later steps do not begin', async () => {
    const [cluster, inventory] = await installed({
      before: ({ verb, ref }) => {
        if (verb === 'delete' && ref.kind === 'Deployment') throw refusal(403, 'Forbidden', 'no');
      },
    });
    expect(await uninstall(cluster, inventory, 'Retain')).toMatchObject({
      state: 'Failed',
      step: 'workloads',
      failures: [{ reason: 'Forbidden' }],
    });
    expect(left(cluster)).toContain('Service');
  });

  test('an uninstall, killed between any two requests, is completed by the next run', async () => {
    const [calm, calmInventory] = await installed();
    calm.put(widget);
    const before = calm.requests.length;
    await uninstall(calm, calmInventory, 'Delete');
    const requests = calm.requests.length - before;
    for (let at = 1; at <= requests; at++) {
      for (const when of ['before', 'after'] as const) {
        let count = 0;
        let armed = false;
        const crash = (): void => {
          if (armed && ++count === at) throw new Error('killed');
        };
        const [cluster, inventory] = await installed({ [when]: crash });
        cluster.put(widget);
        armed = true;
        await uninstall(cluster, inventory, 'Delete').catch((error: unknown) => {
          if ((error as Error).message !== 'killed') throw error;
        });
        armed = false;
        expect(await uninstall(cluster, inventory, 'Delete')).toMatchObject({ state: 'Complete' });
        expect(left(cluster), `${when} request ${at}`).toEqual([]);
      }
    }
  });
});

/** Acts as an account with limited rights, and as the manager for objects that the inventory proves. */
describe('an uninstall for an account', () => {
  const ACCOUNT = 'system:serviceaccount:ops:installer';
  const nothing = (): boolean => false;
  const theirs = sample('example.com/v1', 'Widget', 'precious', { namespace: 'platform' });

  async function removeAs(
    cluster: FakeCluster,
    inventory: readonly InventoryEntry[],
    {
      policy = 'Delete',
      may,
    }: { readonly policy?: CustomResourcePolicy; readonly may: Parameters<typeof actingAs>[2] },
  ): Promise<UninstallResult> {
    const acting = actingAs(cluster, ACCOUNT, may);
    const options = { signal: NEVER, owner: OWNER, namedIn: 'ops', stepSeconds: 0.05 };
    const found = await countCustomResources(cluster, inventory, options);
    return runUninstall(cluster, planUninstall(inventory, found, policy), { ...options, acting });
  }

  test('objects whose uid is in the inventory are deleted, although the account has no rights any more', async () => {
    const [cluster, inventory] = await installed();
    expect(await removeAs(cluster, inventory, { may: nothing })).toMatchObject({ state: 'Complete', stays: [] });
    expect(left(cluster)).toEqual([]);
  });

  test('intended objects are deleted as the account; if it lacks the right, they stay and are named', async () => {
    const [cluster, inventory] = await installed();
    const intended = inventory.map((entry) =>
      ['Deployment', 'ClusterRole'].includes(entry.kind) ? { ...entry, uid: '' } : entry,
    );
    const may: Parameters<typeof actingAs>[2] = ({ ref }) => ref.kind === 'Deployment';
    const result = await removeAs(cluster, intended, { may });
    expect(result).toMatchObject({ state: 'Complete', stays: [{ reason: 'Forbidden', ref: { kind: 'ClusterRole' } }] });
    expect(result.stays[0]?.message).toMatch(
      /ClusterRole.*stays: the inventory does not name it.*installer.*cannot delete/,
    );
    expect(left(cluster)).toEqual(['ClusterRole']);
  });

  test('objects that only have our name are not deleted, even if the account may', async () => {
    const [cluster, inventory] = await installed();
    for (const { metadata, ...rest } of cluster.objects().filter(({ kind }) => kind === 'ClusterRole')) {
      const annotations = { ...metadata.annotations, [ANNOTATION.ownerUid]: 'earlier' };
      cluster.put({ ...rest, metadata: { ...metadata, uid: 'other', annotations } });
    }
    const result = await removeAs(cluster, inventory, { may: () => true });
    expect(result).toMatchObject({ state: 'Complete', stays: [{ reason: 'Collision', ref: { kind: 'ClusterRole' } }] });
    expect(left(cluster)).toEqual(['ClusterRole']);
  });

  describe('an object of another owner', () => {
    test.each([
      { uid: '', namespace: 'victim', says: [], because: 'the Subscription only meant to apply it' },
      { uid: 'earlier', namespace: 'victim', says: [], because: 'the one that it applied is gone' },
      {
        uid: 'live',
        namespace: 'victim',
        says: ['Role.rbac.authorization.k8s.io victim/gizmos stays: it belongs to another owner by now'],
        because: 'it applied that very object',
      },
      {
        uid: '',
        namespace: 'ops',
        says: ['Role.rbac.authorization.k8s.io ops/gizmos stays: it belongs to Subscription victim/acquisition'],
        because: "it is in the account's own namespace",
      },
      { uid: '', namespace: undefined, says: [], because: 'the Subscription only meant to apply it to the cluster' },
    ])('stays; the reports are $says, because $because', async ({ uid, namespace, says }) => {
      const cluster = createFakeCluster();
      cluster.put(sample('v1', 'Namespace', 'ops'));
      cluster.put(sample('v1', 'Namespace', 'victim'));
      const annotations = { [ANNOTATION.owner]: 'victim/acquisition', [ANNOTATION.ownerUid]: 'victim' };
      const kind = namespace === undefined ? 'ClusterRole' : 'Role';
      const role = sample('rbac.authorization.k8s.io/v1', kind, 'gizmos', {
        metadata: { name: 'gizmos', uid: 'live', annotations, ...(namespace !== undefined && { namespace }) },
      });
      cluster.put(role);
      const inventory = intendedEntries([role]).map((entry) => ({ ...entry, uid }));
      const { state, stays } = await removeAs(cluster, inventory, { may: () => true });
      expect([state, stays.map(({ message }) => message)]).toEqual(['Complete', says]);
      expect(left(cluster)).toEqual([kind]);
    });
  });

  describe('custom resources', () => {
    test.each(['list', 'delete'] as const)(
      'custom resources are not deleted if the account may not %s them',
      async (verb) => {
        const [cluster, inventory] = await installed();
        cluster.put(theirs);
        const result = await removeAs(cluster, inventory, { may: (request) => request.verb !== verb });
        expect(result).toMatchObject({ state: 'Failed', step: 'customResources', failures: [{ reason: 'Forbidden' }] });
        const [{ message, hint } = { message: '' }] = result.failures;
        expect(hint).toBe(
          `Grant ${ACCOUNT} the verb ${verb} on widgets.example.com, or set spec.uninstall.customResources to Retain`,
        );
        expect(message).not.toContain('precious');
        expect(left(cluster)).toEqual(expect.arrayContaining(['Widget', 'CustomResourceDefinition', 'Deployment']));
      },
    );

    test.each(['list', 'delete'] as const)(
      'custom resources that cannot be converted to %s them wait for the operator, with both ways out',
      async (verb) => {
        const said =
          'conversion webhook for example.com/v2, Kind=Widget failed: Post "https://x": no endpoints available';
        const [cluster, inventory] = await installed({
          before: (request) => {
            if (request.verb === verb && request.ref.kind === 'Widget') throw refusal(500, 'InternalError', said);
          },
        });
        cluster.put(theirs);
        const result = await removeAs(cluster, inventory, { may: () => true });
        expect(result).toMatchObject({ state: 'Failed', step: 'customResources' });
        expect(result.failures[0]?.hint).toBe(
          'Repair the operator, so that its conversion webhook answers, or set spec.uninstall.customResources to Retain',
        );
        expect(left(cluster)).toEqual(expect.arrayContaining(['Widget', 'CustomResourceDefinition', 'Deployment']));
      },
    );

    test('custom resources are deleted in all namespaces if the account may', async () => {
      const [cluster, inventory] = await installed();
      cluster.put(widget);
      cluster.put(theirs);
      expect(await removeAs(cluster, inventory, { may: () => true })).toMatchObject({ state: 'Complete' });
      expect(left(cluster)).toEqual([]);
    });

    test.each(['Retain', 'Delete', 'Block'] as const)(
      'custom resources stay under %s with a CRD whose uid is not in the inventory',
      async (policy) => {
        const [cluster, inventory] = await installed();
        cluster.put(theirs);
        const unproven = inventory.map((entry) =>
          entry.kind === 'CustomResourceDefinition' ? { ...entry, uid: '' } : entry,
        );
        const result = await removeAs(cluster, unproven, { policy, may: () => true });
        expect(result).toMatchObject({ state: 'Complete', stays: [{ reason: 'CustomResourcesExist' }] });
        expect(left(cluster).toSorted()).toEqual(['CustomResourceDefinition', 'Widget']);
      },
    );

    test('custom resources of other namespaces are counted and not named', async () => {
      const [cluster, inventory] = await installed();
      cluster.put(widget);
      cluster.put(theirs);
      const { stays } = await removeAs(cluster, inventory, { policy: 'Retain', may: nothing });
      expect(stays[0]?.message).toContain('has 2 objects (ops/first and 1 in other namespaces)');
    });

    test("custom resources created after the deletion step do not go with their CRD: the account's rights are checked again", async () => {
      const [cluster, inventory] = await installed();
      const options = { signal: NEVER, owner: OWNER, namedIn: 'ops', stepSeconds: 0.05 };
      const plan = planUninstall(inventory, await countCustomResources(cluster, inventory, options), 'Delete');
      cluster.put(theirs);
      const acting = actingAs(cluster, ACCOUNT, nothing);
      expect(await runUninstall(cluster, plan, { ...options, acting })).toMatchObject({
        state: 'Failed',
        step: 'crds',
        failures: [{ reason: 'CustomResourcesExist', retry: 'backoff' }],
      });
      expect(left(cluster).toSorted()).toEqual(['CustomResourceDefinition', 'Widget']);
    });
  });
});

describe('counting custom resources', () => {
  test('custom resources are counted as their CRD says, though discovery lags behind', async () => {
    const [cluster, inventory] = await installed();
    cluster.put(widget);
    const lagging: FakeCluster = {
      ...cluster,
      isNamespaced: async (kind) => (kind.kind === 'Widget' ? undefined : cluster.isNamespaced(kind)),
    };
    const found = await countCustomResources(lagging, inventory, { signal: NEVER, owner: OWNER });
    expect(found.get('widgets.example.com')).toMatchObject({ count: 1, samples: ['ops/first'] });
  });

  test.each([404, 503])(
    'the count is unknown while the list is answered %d; an empty CRD is deleted once the count is known',
    async (code) => {
      const [cluster, inventory] = await installed();
      const silent: FakeCluster = {
        ...cluster,
        list: async (kind, ...rest) => {
          if (kind.kind === 'Widget') throw refusal(code, '', 'not now');
          return cluster.list(kind, ...rest);
        },
      };
      const before = left(cluster);
      for (const policy of ['Retain', 'Delete', 'Block'] as const) {
        expect(await uninstall(silent, inventory, policy)).toMatchObject({
          state: 'Failed',
          failures: [{ reason: 'ApiUnavailable', retry: 'backoff' }],
        });
      }
      expect(left(cluster)).toEqual(before);
      expect(await uninstall(cluster, inventory, 'Retain')).toMatchObject({ state: 'Complete', stays: [] });
      expect(left(cluster)).not.toContain('CustomResourceDefinition');
    },
  );

  test('custom resources are counted and stay although the watch of their CRD lags behind its creation', async () => {
    const [cluster, inventory] = await installed();
    cluster.put(widget);
    const watched = {
      get: (ref: ObjectRef): KubeObject | undefined => {
        const found = cluster.objects().find((object) => identityOf(refOf(object)) === identityOf(ref));
        const isCrd = ref.kind === 'CustomResourceDefinition';
        return isCrd && found ? { ...found, status: {}, metadata: { ...found.metadata, resourceVersion: '1' } } : found;
      },
    };
    const options = { signal: NEVER, owner: OWNER, stepSeconds: 0.05, watched };
    const counts = await countCustomResources(cluster, inventory, options);
    await runUninstall(cluster, planUninstall(inventory, counts, 'Retain'), options);
    expect(left(cluster)).toEqual(expect.arrayContaining(['CustomResourceDefinition', 'Widget']));
  });

  test('the count leaves out CRDs that are gone or not ours', async () => {
    const [cluster, inventory] = await installed();
    const crd = inventory.find(({ kind }) => kind === 'CustomResourceDefinition') as InventoryEntry;
    cluster.change(crd, (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { 'slipway.dev/owner': 'other/sub' } },
    }));
    expect(await countCustomResources(cluster, inventory, { signal: NEVER, owner: OWNER })).toEqual(new Map());
  });
});
