import { NEVER } from '../api/testing/never.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { applyWatching } from './testing/apply-watching.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../kube/testing/fake-cluster.ts';
import { refusal } from '../api/testing/refusal.ts';
import { identityOf } from './identity.ts';
import { diffInventory, type InventoryEntry } from './inventory.ts';
import { pruneObjects } from './prune.ts';
import { OWNER, prepared, sample, sampleCrd, sampleOperator } from './testing/sample-objects.ts';

const options = { signal: NEVER, owner: OWNER };
const widget = sample('example.com/v1', 'Widget', 'first', { namespace: 'ops' });

async function installed(
  objects: readonly KubeObject[],
  fake: FakeOptions = {},
): Promise<[FakeCluster, readonly InventoryEntry[]]> {
  const cluster = createFakeCluster(fake);
  cluster.put(sample('v1', 'Namespace', 'ops'));
  const { inventory } = await applyWatching(cluster, {
    signal: NEVER,
    objects: prepared(objects),
    previousInventory: [],
  });
  return [cluster, inventory];
}
const kinds = (cluster: FakeCluster): string[] => cluster.objects().map(({ kind }) => kind);
const isOfCrd = ({ kind }: InventoryEntry): boolean => kind === 'CustomResourceDefinition';
const entryOfKind = (inventory: readonly InventoryEntry[], kind: string): InventoryEntry =>
  inventory.find((entry) => entry.kind === kind) as InventoryEntry;

const refusing =
  (verb: string, kind: string, code: number): NonNullable<FakeOptions['before']> =>
  (request) => {
    if (request.verb === verb && request.ref.kind === kind) throw refusal(code, '', 'refused');
  };

describe('pruning', () => {
  test('pruning deletes the listed objects, webhooks first and namespaces last', async () => {
    const [cluster, inventory] = await installed([...sampleOperator(), sample('v1', 'Namespace', 'extra')]);
    const { removals, remaining } = await pruneObjects(cluster, inventory, options);
    expect(remaining).toEqual([]);
    const order = removals.map(({ ref }) => ref.kind);
    expect([order[0], order.at(-1)]).toEqual(['ValidatingWebhookConfiguration', 'Namespace']);
    expect(kinds(cluster)).toEqual(['Namespace', 'Namespace']);
  });

  test.each([
    { faster: 4, outcome: 'deleted' },
    { faster: 5, outcome: 'failed' },
  ])('another writer may be faster $faster times: $outcome', async ({ faster, outcome }) => {
    let left = faster;
    const [cluster, inventory] = await installed(sampleOperator(), {
      before: ({ verb, ref }, it) => {
        if (verb !== 'delete' || ref.kind !== 'Deployment' || left === 0) return;
        left -= 1;
        it.change(ref, (object) => ({ ...object, status: { observed: left } }));
      },
    });
    const { removals } = await pruneObjects(cluster, [entryOfKind(inventory, 'Deployment')], options);
    expect(removals).toMatchObject([{ outcome }]);
    expect(left).toBe(0);
  });

  test('pruning never touches desired objects', async () => {
    const all = sampleOperator();
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(all, { minLength: 1 }),
        fc.subarray(all, { minLength: 1 }),
        async (before, desired) => {
          const [cluster, inventory] = await installed(before);
          const wanted = prepared(desired);
          await pruneObjects(cluster, diffInventory(inventory, wanted).pruned, options);
          const left = new Set(cluster.objects().map((object) => identityOf(refOf(object))));
          const both = prepared(before).map((object) => identityOf(refOf(object)));
          const keep = new Set(wanted.map((object) => identityOf(refOf(object))));
          for (const identity of both) expect(left.has(identity)).toBe(keep.has(identity));
        },
      ),
    );
  });

  test('pruning leaves an object that another writer re-created, and one that was handed over', async () => {
    const [cluster, inventory] = await installed(sampleOperator());
    const config = refOf(cluster.objects().find(({ kind }) => kind === 'ConfigMap') as KubeObject);
    await cluster.delete(config);
    cluster.put(sample('v1', 'ConfigMap', config.name, { namespace: 'ops' }));
    const role = refOf(cluster.objects().find(({ kind }) => kind === 'ClusterRole') as KubeObject);
    cluster.change(role, (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { [ANNOTATION.owner]: 'other/sub' } },
    }));
    const { removals, remaining } = await pruneObjects(cluster, inventory, options);
    const foreign = removals.filter(({ outcome }) => outcome === 'foreign');
    expect(foreign.map(({ ref }) => ref.kind).sort()).toEqual(['ClusterRole', 'ConfigMap']);
    expect(remaining).toEqual([]);
    expect(kinds(cluster)).toEqual(expect.arrayContaining(['ClusterRole', 'ConfigMap']));
  });

  test('pruning leaves an object that replaced ours between read and deletion', async () => {
    let replaced = false;
    const [cluster, inventory] = await installed(sampleOperator(), {
      before: ({ verb, ref }, it) => {
        if (verb !== 'delete' || ref.kind !== 'ConfigMap' || replaced) return;
        replaced = true;
        it.put(sample('v1', 'ConfigMap', ref.name, { namespace: 'ops' }));
      },
    });
    await pruneObjects(cluster, [entryOfKind(inventory, 'ConfigMap')], options);
    expect(replaced).toBe(true);
    expect(kinds(cluster)).toContain('ConfigMap');
  });

  test('pruning deletes an object that was only intended if its annotation names us', async () => {
    const [cluster, inventory] = await installed(sampleOperator());
    cluster.put(sample('v1', 'Secret', 'theirs', { namespace: 'ops' }));
    const intended = [
      { ...entryOfKind(inventory, 'ConfigMap'), uid: '' },
      { apiVersion: 'v1', kind: 'Secret', namespace: 'ops', name: 'theirs', uid: '', hash: '' },
    ];
    const { removals } = await pruneObjects(cluster, intended, options);
    expect(new Map(removals.map(({ ref, outcome }) => [ref.kind, outcome]))).toEqual(
      new Map([
        ['ConfigMap', 'deleted'],
        ['Secret', 'foreign'],
      ]),
    );
  });

  test('objects held by a finalizer or refused stay in the inventory', async () => {
    const [cluster, inventory] = await installed(sampleOperator(), { before: refusing('delete', 'Role', 403) });
    cluster.change(entryOfKind(inventory, 'Service'), (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['lb/x'] },
    }));
    const { removals, remaining } = await pruneObjects(cluster, inventory, options);
    expect(remaining.map(({ kind }) => kind).sort()).toEqual(['Role', 'Service']);
    expect(removals.find(({ outcome }) => outcome === 'deleting')?.message).toContain('lb/x');
    expect(removals.find(({ outcome }) => outcome === 'failed')?.failure).toMatchObject({ reason: 'Forbidden' });
  });

  test('pruning twice equals pruning once', async () => {
    const [cluster, inventory] = await installed(sampleOperator());
    await pruneObjects(cluster, inventory, options);
    const { removals } = await pruneObjects(cluster, inventory, options);
    expect(new Set(removals.map(({ outcome }) => outcome))).toEqual(new Set(['gone']));
  });
});

/** An object as it was when it had just been created: a watch that broke then shows nothing newer. */
const unserved = (cluster: FakeCluster, ref: ObjectRef): KubeObject | undefined => {
  const found = cluster.objects().find((object) => identityOf(refOf(object)) === identityOf(ref));
  return found && { ...found, status: {}, metadata: { ...found.metadata, resourceVersion: '1' } };
};

describe('pruning a CRD', () => {
  test('pruning keeps a CRD with its objects, and names them', async () => {
    const [cluster, inventory] = await installed([sampleCrd('Widget')]);
    cluster.put(widget);
    const { removals, remaining } = await pruneObjects(cluster, inventory, options);
    expect(removals).toMatchObject([{ outcome: 'kept', message: 'it has objects: ops/first' }]);
    expect(remaining).toEqual(inventory);
  });

  describe('with a conversion webhook', () => {
    const service = sample('v1', 'Service', 'widget-webhooks', { namespace: 'ops', spec: { ports: [{ port: 443 }] } });
    const isCrd = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition';

    function converted(): KubeObject {
      const crd = sampleCrd('Widget');
      const clientConfig = { service: { namespace: 'ops', name: 'widget-webhooks' } };
      const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
      return { ...crd, spec: { ...(crd['spec'] as object), conversion } };
    }

    const conversionIn = (cluster: FakeCluster): unknown =>
      (cluster.objects().find(isCrd)?.['spec'] as { readonly conversion?: object } | undefined)?.conversion;

    test('pruning turns the conversion of a CRD off that stays without its Service', async () => {
      const [cluster, inventory] = await installed([converted(), service]);
      cluster.put(widget);
      const { removals } = await pruneObjects(cluster, inventory, options);
      const kept = removals.find(({ ref }) => ref.kind === 'CustomResourceDefinition');
      expect(kept).toMatchObject({
        outcome: 'kept',
        message: expect.stringContaining('its conversion webhook is deleted'),
      });
      expect(conversionIn(cluster)).toMatchObject({ strategy: 'None' });
    });

    test('pruning leaves the conversion of a CRD on whose Service stays', async () => {
      const [cluster, inventory] = await installed([converted(), service]);
      cluster.put(widget);
      await pruneObjects(cluster, inventory.filter(isOfCrd), options);
      expect(conversionIn(cluster)).toMatchObject({ strategy: 'Webhook' });
    });

    test.each([
      { code: 503, outcome: 'failed', because: 'it is tried again' },
      { code: 403, outcome: 'kept', because: 'an account that lacks the right does not block the pruning' },
    ])('a CRD whose conversion cannot be turned off ($code) is $outcome: $because', async ({ code, outcome }) => {
      const before = refusing('patch', 'CustomResourceDefinition', code);
      const [cluster, inventory] = await installed([converted(), service], { before });
      cluster.put(widget);
      const { removals } = await pruneObjects(cluster, inventory, options);
      expect(removals.find(({ ref }) => ref.kind === 'CustomResourceDefinition')?.outcome).toBe(outcome);
    });
  });

  test('pruning keeps a CRD with objects although its watch has seen no version served', async () => {
    const [cluster, inventory] = await installed([sampleCrd('Widget')]);
    cluster.put(widget);
    const lagging = { get: (ref: ObjectRef) => unserved(cluster, ref) };
    const { removals } = await pruneObjects(cluster, inventory, { ...options, watched: lagging });
    expect(removals).toMatchObject([{ outcome: 'kept', message: 'it has objects: ops/first' }]);
  });

  test('pruning keeps a CRD if its objects cannot be listed', async () => {
    const [cluster, inventory] = await installed([sampleCrd('Widget')], { before: refusing('list', 'Widget', 503) });
    const { removals, remaining } = await pruneObjects(cluster, inventory, options);
    expect(removals).toMatchObject([{ outcome: 'failed', failure: { reason: 'ApiUnavailable', retry: 'backoff' } }]);
    expect(remaining).toEqual(inventory);
    expect(kinds(cluster)).toContain('CustomResourceDefinition');
  });
});

describe('a cluster with large objects', () => {
  /** Lists whole objects of these kinds, which others decide the size of. */
  const lists = async (before: string): Promise<readonly unknown[]> => {
    const [cluster, inventory] = await installed([...sampleOperator(), widget]);
    const asked: unknown[] = [];
    const watching: typeof cluster = {
      ...cluster,
      list: (kind, some, signal) => (asked.push([kind.kind, some?.metadataOnly]), cluster.list(kind, some, signal)),
    };
    const entry = { ...entryOfKind(inventory, 'Widget'), apiVersion: before };
    await pruneObjects(watching, [entry, entryOfKind(inventory, 'CustomResourceDefinition')], options);
    return asked;
  };

  test('is asked for names when custom resources are counted', async () => {
    expect(await lists('example.com/v1')).toEqual([['Widget', true]]);
  });

  test('is asked for names when the CRD of a kind is looked for', async () => {
    expect(await lists('example.com/v1alpha1')).toContainEqual(['CustomResourceDefinition', true]);
  });
});

describe('a kind that is not served', () => {
  const entry = { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'ops', name: 'first', uid: 'u', hash: 'h' };

  test('an object counts as gone if no CRD or API provides its kind any more', async () => {
    const [cluster] = await installed(sampleOperator({ kind: 'Gadget' }));
    expect((await pruneObjects(cluster, [entry], options)).removals).toMatchObject([{ outcome: 'gone' }]);
  });

  test.each([
    { apiVersion: 'apps/v1', kind: 'Pod', outcome: 'gone', because: 'the built-in group has no such kind' },
    { apiVersion: 'v1', kind: 'Ghost', outcome: 'gone', because: 'no group has this name' },
    { apiVersion: '[::1]:9/v1', kind: 'Deployment', outcome: 'gone', because: "the group's name is invalid" },
    {
      apiVersion: 'policy/x y',
      kind: 'PodDisruptionBudget',
      outcome: 'gone',
      because: "the version's name is invalid",
    },
    { apiVersion: 'text', kind: 'ConfigMap', outcome: 'gone', because: "the core group's version is invalid" },
    { apiVersion: 'v2', kind: 'ConfigMap', outcome: 'gone', because: 'the core group has only v1' },
    { apiVersion: 'v1', kind: 'ConfigMap', outcome: 'failed', because: 'the API server has the kind' },
    { apiVersion: 'apps/v1', kind: 'Deployment', outcome: 'failed', because: 'the API server has the kind' },
    {
      apiVersion: 'policy/v1beta1',
      kind: 'PodDisruptionBudget',
      outcome: 'failed',
      because: 'the kind may exist in another version',
    },
  ])(
    'an object of an unserved kind is $outcome: $because ($kind of $apiVersion)',
    async ({ apiVersion, kind, outcome }) => {
      const cluster = { ...createFakeCluster(), isNamespaced: async () => undefined };
      const { removals } = await pruneObjects(cluster, [{ ...entry, apiVersion, kind }], options);
      expect(removals).toMatchObject([{ outcome }]);
    },
  );

  describe('in the version of the inventory, but in another one', () => {
    const budget = sample('policy/v1', 'PodDisruptionBudget', 'first', { namespace: 'ops' });
    const tests = [
      { object: budget, before: 'policy/v1beta1', because: 'Kubernetes has dropped the version' },
      { object: widget, before: 'example.com/v1alpha1', because: 'the CRD has dropped the version' },
    ];

    test.each(tests)('an object is deleted in the version that is served: $because', async ({ object, before }) => {
      const [cluster, inventory] = await installed([...sampleOperator(), object]);
      const now = entryOfKind(inventory, object.kind);
      const { removals, remaining } = await pruneObjects(cluster, [{ ...now, apiVersion: before }], options);
      expect(removals).toMatchObject([{ outcome: 'deleted', uid: now.uid }]);
      expect(remaining).toEqual([]);
      expect(kinds(cluster)).not.toContain(object.kind);
    });

    test.each(tests)('an object of another owner stays: $because', async ({ object, before }) => {
      const [cluster, inventory] = await installed([...sampleOperator(), object]);
      const now = entryOfKind(inventory, object.kind);
      await cluster.delete(refOf(object));
      cluster.put({ ...object, metadata: { ...object.metadata, annotations: { [ANNOTATION.owner]: 'other/one' } } });
      const { removals } = await pruneObjects(cluster, [{ ...now, apiVersion: before }], options);
      expect(removals).toMatchObject([{ outcome: 'foreign' }]);
      expect(kinds(cluster)).toContain(object.kind);
    });

    test.each(tests)('an object that is not there counts as gone: $because', async ({ object, before }) => {
      const [cluster, inventory] = await installed([...sampleOperator(), object]);
      const now = entryOfKind(inventory, object.kind);
      await cluster.delete(refOf(object));
      const { removals } = await pruneObjects(cluster, [{ ...now, apiVersion: before }], options);
      expect(removals).toMatchObject([{ outcome: 'gone' }]);
    });
  });

  test.each([
    { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', now: 'policy/v1' },
    { apiVersion: 'batch/v1beta1', kind: 'CronJob', now: 'batch/v1' },
    { apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'Role', now: 'rbac.authorization.k8s.io/v1' },
  ])(
    'an object of a built-in kind is deleted in the version that is served now, by its uid: $apiVersion of $kind',
    async ({ apiVersion, kind, now }) => {
      const fake = createFakeCluster();
      fake.put(sample('v1', 'Namespace', 'ops'));
      for (const [name, uid] of [
        ['first', 'u'],
        ['second', 'another'],
      ] as const) {
        const object = sample(now, kind, name, { namespace: 'ops' });
        const annotations = { [ANNOTATION.owner]: `${OWNER.namespace}/${OWNER.name}` };
        fake.put({ ...object, metadata: { ...object.metadata, uid, ...(uid === 'u' && { annotations }) } });
      }
      const cluster = {
        ...fake,
        isNamespaced: async (asked: { readonly apiVersion: string }) => (asked.apiVersion === now ? true : undefined),
      };
      const entries = ['first', 'second'].map((name) => ({ ...entry, apiVersion, kind, name }));
      const { removals, remaining } = await pruneObjects(cluster, entries, options);
      expect(new Map(removals.map(({ ref, outcome }) => [ref.name, outcome]))).toEqual(
        new Map([
          ['first', 'deleted'],
          ['second', 'foreign'],
        ]),
      );
      expect(remaining).toEqual([]);
      expect(
        fake
          .objects()
          .filter((one) => one.kind === kind)
          .map(({ metadata }) => metadata.name),
      ).toEqual(['second']);
    },
  );

  test.each([
    { what: 'its CRD', provider: sampleCrd('Widget') },
    {
      what: 'an aggregated API',
      provider: sample('apiregistration.k8s.io/v1', 'APIService', 'v1.example.com', {
        spec: { group: 'example.com', service: { name: 's', namespace: 'ops' } },
      }),
    },
  ])('is not taken to be gone while $what is there', async ({ provider }) => {
    const cluster = createFakeCluster({ react: (object) => object });
    cluster.put(provider);
    const { removals, remaining } = await pruneObjects(cluster, [entry], options);
    expect(removals).toMatchObject([{ outcome: 'failed', failure: { reason: 'ApiUnavailable' } }]);
    expect(remaining).toEqual([entry]);
  });
});
