/**
 * Custom resources that a set of objects brings together with their CRD: applied last, removed first, and not counted
 * as users' objects.
 */
import { UNWATCHED } from './watched.ts';
import { NEVER } from '../api/testing/never.ts';
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { Failure } from './api-failure.ts';
import type { ApplyRequest, ApplyResult } from './apply.ts';
import { managedFieldsOf } from '../kube/testing/field-ownership.ts';
import { applyWatching } from './testing/apply-watching.ts';
import { countCustomResources } from './custom-resources.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../kube/testing/fake-cluster.ts';
import { refusal } from '../api/testing/refusal.ts';
import type { InventoryEntry } from './inventory.ts';
import { planUninstall, type CustomResourcePolicy } from './plan-uninstall.ts';
import { pruneObjects } from './prune.ts';
import { OWNER, prepared, sample, sampleOperator } from './testing/sample-objects.ts';
import { runUninstall, type UninstallResult } from './uninstall.ts';

const own = sample('example.com/v1', 'Widget', 'bundled', { namespace: 'ops', spec: { size: 1 } });
const users = sample('example.com/v1', 'Widget', 'of-a-user', { namespace: 'ops', spec: { size: 2 } });
const objects = prepared([...sampleOperator(), own]);

function clusterWithNamespace(options: FakeOptions = {}): FakeCluster {
  const cluster = createFakeCluster(options);
  cluster.put({ ...sample('v1', 'Namespace', 'ops'), status: { phase: 'Active' } });
  return cluster;
}

function install(cluster: FakeCluster, fields: Partial<ApplyRequest> = {}): Promise<ApplyResult> {
  return applyWatching(cluster, { signal: NEVER, objects, previousInventory: [], ...fields });
}

const written = (cluster: FakeCluster): string[] =>
  cluster.requests.filter(({ verb, dryRun }) => verb === 'apply' && !dryRun).map(({ ref }) => ref.kind);

describe('an install', () => {
  test('an install creates custom resources last, when the operator and its webhooks run', async () => {
    const cluster = clusterWithNamespace();
    const result = await install(cluster, { concurrency: 1 });
    expect(result.state).toBe('Complete');
    expect(written(cluster).slice(-2)).toEqual(['ValidatingWebhookConfiguration', 'Widget']);
  });

  test('an install creates no custom resource while the operator is not available', async () => {
    const cluster = clusterWithNamespace({
      react: (object) =>
        object.kind === 'CustomResourceDefinition'
          ? { ...object, status: { conditions: [{ type: 'Established', status: 'True' }] } }
          : object,
    });
    const result = await install(cluster);
    expect(result.state).toBe('Waiting');
    expect(written(cluster)).not.toContain('Widget');
    expect(result.phases.at(-1)).toMatchObject({ name: 'customResources', state: 'Waiting' });
  });

  test('custom resources get no dry run: their CRD and webhook may be those of another version', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    const next = prepared([...sampleOperator(), { ...own, spec: { size: 2 } }]);
    await applyWatching(cluster, { signal: NEVER, objects: next, previousInventory: inventory });
    expect(cluster.requests.filter(({ dryRun, ref }) => dryRun && ref.kind === 'Widget')).toEqual([]);
    expect(await cluster.get(refOf(own))).toMatchObject({ spec: { size: 2 } });
  });

  test('an install does not wait for the status of a custom resource, which may depend on the outside world', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    cluster.change(refOf(own), (object) => ({
      ...object,
      status: { conditions: [{ type: 'Ready', status: 'False', message: 'no credentials' }] },
    }));
    const result = await applyWatching(cluster, {
      signal: NEVER,
      objects: prepared([...sampleOperator(), { ...own, spec: { size: 2 } }]),
      previousInventory: inventory,
    });
    expect(result.state).toBe('Complete');
  });

  test.each<{ asked: 'create' | 'patch'; isThere: boolean }>([
    { asked: 'create', isThere: false },
    { asked: 'patch', isThere: true },
  ])('writes nothing at all if the account may not $asked the custom resource', async ({ asked, isThere }) => {
    const cluster = clusterWithNamespace();
    const { inventory } = isThere ? await install(cluster) : { inventory: [] };
    const before = written(cluster).length;
    const missing: Failure = { reason: 'Forbidden', retry: 'backoff', message: `lacks ${asked}` };
    const changed = prepared([...sampleOperator({ image: 'registry.example/operator:2' }), { ...own, spec: {} }]);
    const result = await applyWatching(cluster, {
      signal: NEVER,
      objects: changed,
      previousInventory: inventory,
      mayWrite: async (_object, verbs) => (verbs.includes(asked) ? missing : undefined),
    });
    expect(result.failures).toEqual([missing]);
    expect(written(cluster).length).toBe(before);
  });

  test('if a custom resource belongs to another owner, an upgrade fails before the first write', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    await cluster.delete(refOf(own));
    cluster.put({ ...own, metadata: { ...own.metadata, annotations: { [ANNOTATION.owner]: 'other/one' } } });
    const before = written(cluster).length;
    const changed = prepared([...sampleOperator({ image: 'registry.example/operator:2' }), own]);
    const result = await applyWatching(cluster, { signal: NEVER, objects: changed, previousInventory: inventory });
    expect(result.failures).toMatchObject([{ reason: 'Collision' }]);
    expect(written(cluster).length).toBe(before);
  });

  test('the operator is repaired although one of its custom resources waits for a finalizer', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    cluster.change(refOf(own), (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ['example.com/hold'] },
    }));
    await cluster.delete(refOf(own));
    const deployment = objects.find(({ kind }) => kind === 'Deployment') as KubeObject;
    await cluster.delete(refOf(deployment));
    const result = await applyWatching(cluster, { signal: NEVER, objects, previousInventory: inventory });
    expect(result.failures).toEqual([]);
    expect(await cluster.get(refOf(deployment))).toBeDefined();
  });

  describe('while the API server still has the schema of a custom resource from before', () => {
    const UNKNOWN = refusal(
      500,
      '',
      'failed to create typed patch object (ops/bundled): .spec.x: field not declared in schema',
    );
    const INVALID = refusal(422, 'Invalid', 'spec.size: Unsupported value');
    const next = prepared([...sampleOperator(), { ...own, spec: { size: 2 } }]);

    /** The verbs and the result of an upgrade; the first applies of the custom resource are refused. */
    async function upgrade(
      refused: number,
      why: Error,
    ): Promise<{ readonly result: ApplyResult; readonly verbs: string[] }> {
      let left = 0;
      const cluster = clusterWithNamespace({
        before: ({ verb, ref }) => {
          if (verb !== 'apply' || ref.kind !== 'Widget' || left === 0) return;
          left -= 1;
          throw why;
        },
      });
      const { inventory } = await install(cluster);
      left = refused;
      const before = cluster.requests.length;
      const result = await install(cluster, { objects: next, previousInventory: inventory });
      const asked = cluster.requests.slice(before).filter(({ ref }) => ref.kind === 'Widget');
      return { result, verbs: asked.map(({ verb }) => verb).filter((verb) => verb !== 'get') };
    }

    test.each([
      { why: UNKNOWN, because: 'a field is new' },
      { why: INVALID, because: 'a value is new' },
    ])('it is applied again, as $because', async ({ why }) => {
      const { result, verbs } = await upgrade(4, why);
      expect(result).toMatchObject({ state: 'Complete', failures: [] });
      expect(verbs).toEqual(Array.from({ length: 5 }, () => 'apply'));
    });

    test('one that no schema lets merge is written plainly in the end', async () => {
      const { result, verbs } = await upgrade(5, UNKNOWN);
      expect(result).toMatchObject({ state: 'Complete', failures: [] });
      expect(verbs.at(-1)).toBe('patch');
    });

    test('one that no schema accepts is refused in the end', async () => {
      const { result } = await upgrade(5, INVALID);
      expect(result).toMatchObject({ state: 'Failed', failures: [{ reason: 'ObjectInvalid' }] });
    });
  });

  describe('while the conversion webhook of a custom resource does not answer', () => {
    const SILENCE = 'conversion webhook for example.com/v1, Kind=Widget failed: no endpoints available';
    const mended = prepared([...sampleOperator({ image: 'registry.example/operator:2' }), own]);

    /** The API server cannot convert a stored Widget before the Deployment has the new image; with `always`, never. */
    function silentCluster(always = false): FakeCluster {
      const cluster: FakeCluster = clusterWithNamespace({
        before: ({ verb, ref }) => {
          if (verb !== 'get' || ref.kind !== 'Widget') return;
          const text = JSON.stringify(cluster.objects());
          if (text.includes('"size":') && (always || !text.includes('operator:2')))
            throw refusal(500, 'InternalError', SILENCE);
        },
      });
      return cluster;
    }

    test.each([
      { because: 'it is in no inventory, as after a crash', isListed: false, size: 1 },
      { because: 'the new version changes it', isListed: true, size: 2 },
    ])('the roll-out repairs the operator first, and then writes the custom resource; $because', async (given) => {
      const cluster = silentCluster();
      const { inventory } = await install(cluster);
      const result = await install(cluster, {
        objects: prepared([...mended.filter(({ kind }) => kind !== 'Widget'), { ...own, spec: { size: given.size } }]),
        previousInventory: inventory.filter(({ kind }) => kind !== 'Widget' || given.isListed),
      });
      expect(result.failures).toEqual([]);
      expect(result.state).toBe('Complete');
      expect(JSON.stringify(cluster.objects())).toContain('operator:2');
      expect(await cluster.get(refOf(own))).toMatchObject({ spec: { size: given.size } });
    });

    test('the custom resource fails with the words of the API server if the mended operator does not answer either', async () => {
      const cluster = silentCluster(true);
      const { inventory } = await install(cluster);
      const listed = inventory.filter(({ kind }) => kind !== 'Widget');
      const result = await install(cluster, { objects: mended, previousInventory: listed });
      expect(result.failures).toMatchObject([{ retry: 'backoff', message: expect.stringContaining(SILENCE) }]);
      expect(result.phases.at(-1)).toMatchObject({ name: 'customResources', state: 'Failed' });
      expect(JSON.stringify(cluster.objects())).toContain('operator:2');
    });

    test('a custom resource of another owner is not overwritten once it can be read', async () => {
      const cluster = silentCluster();
      const { inventory } = await install(cluster);
      cluster.change(refOf(own), (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { [ANNOTATION.owner]: 'other/one' } },
      }));
      const listed = inventory.filter(({ kind }) => kind !== 'Widget');
      const result = await install(cluster, { objects: mended, previousInventory: listed });
      expect(result.failures).toMatchObject([{ reason: 'Collision' }]);
    });

    test('nothing is written if the account may not write the custom resource, readable or not', async () => {
      const cluster = silentCluster();
      const { inventory } = await install(cluster);
      const missing: Failure = { reason: 'Forbidden', retry: 'backoff', message: 'lacks patch' };
      const result = await install(cluster, {
        objects: mended,
        previousInventory: inventory.filter(({ kind }) => kind !== 'Widget'),
        mayWrite: async () => missing,
      });
      expect(result.failures).toEqual([missing]);
      expect(JSON.stringify(cluster.objects())).not.toContain('operator:2');
    });

    test('any other error of the API server still refuses the roll-out before the first write', async () => {
      let isBroken = false;
      const cluster = clusterWithNamespace({
        before: ({ verb, ref }) => {
          if (isBroken && verb === 'get' && ref.kind === 'Widget') throw refusal(500, 'InternalError', 'etcd is gone');
        },
      });
      const { inventory } = await install(cluster);
      isBroken = true;
      const listed = inventory.filter(({ kind }) => kind !== 'Widget');
      const result = await install(cluster, { objects: mended, previousInventory: listed });
      expect(result.failures).toMatchObject([{ message: expect.stringContaining('etcd is gone') }]);
      expect(JSON.stringify(cluster.objects())).not.toContain('operator:2');
    });
  });

  test('a field of a custom resource from a plain create is removed once the manifest drops it, though a watch has only metadata', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    await cluster.delete(refOf(own));
    const [made] = prepared([{ ...own, spec: { size: 1, extra: 1 } }]) as [KubeObject];
    const { uid = '' } = (await cluster.create(made)).metadata;
    const listed = inventory.map((entry) => (entry.kind === 'Widget' ? { ...entry, uid, hash: 'old' } : entry));
    const get = (ref: ObjectRef): KubeObject | undefined => {
      const live = cluster.objects().find((object) => ref.kind === 'Widget' && object.kind === 'Widget');
      const { managedFields: _fields, ...metadata } = { managedFields: [], ...live?.metadata };
      return live && { apiVersion: live.apiVersion, kind: live.kind, metadata: metadata as KubeObject['metadata'] };
    };
    await install(cluster, { previousInventory: listed, watched: { ...UNWATCHED, get } });
    expect((await cluster.get(refOf(own)))?.['spec']).toEqual({ size: 1 });
  });

  test('an unchanged custom resource is not sent again', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    const before = written(cluster).length;
    const result = await install(cluster, { previousInventory: inventory });
    expect(written(cluster).slice(before)).not.toContain('Widget');
    expect(result.phases.at(-1)?.objects).toMatchObject([{ outcome: 'unchanged' }]);
  });

  test('a custom resource counts as unchanged if its controller changed none of our fields', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    cluster.change(refOf(own), (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        generation: 7,
        managedFields: [
          { manager: 'widget-manager', operation: 'Update', fieldsV1: { 'f:spec': { 'f:defaulted': {} } } },
          ...managedFieldsOf(object),
        ],
      } as KubeObject['metadata'],
      spec: { ...(object['spec'] as object), defaulted: true },
    }));
    const result = await install(cluster, { previousInventory: inventory });
    expect(result.phases.at(-1)?.objects).toMatchObject([{ outcome: 'unchanged' }]);
    expect(await cluster.get(refOf(own))).toMatchObject({ spec: { size: 1, defaulted: true } });
  });
});

async function uninstall(
  cluster: FakeCluster,
  inventory: readonly InventoryEntry[],
  policy: CustomResourcePolicy,
): Promise<UninstallResult> {
  const options = { signal: NEVER, owner: OWNER, stepSeconds: 0.05 };
  const found = await countCustomResources(cluster, inventory, options);
  return runUninstall(cluster, planUninstall(inventory, found, policy), options);
}

const kinds = (cluster: FakeCluster): string[] => cluster.objects().map(({ kind }) => kind);
const deletions = (cluster: FakeCluster): string[] =>
  cluster.requests.filter(({ verb }) => verb === 'delete').map(({ ref }) => ref.kind);

describe('a removal', () => {
  test.each<{ policy: CustomResourcePolicy }>([{ policy: 'Retain' }, { policy: 'Delete' }, { policy: 'Block' }])(
    'an uninstall under $policy deletes custom resources of the inventory first, and a CRD without others',
    async ({ policy }) => {
      const cluster = clusterWithNamespace();
      const { inventory } = await install(cluster);
      const result = await uninstall(cluster, inventory, policy);
      expect(result).toMatchObject({ state: 'Complete', stays: [] });
      expect(deletions(cluster)[0]).toBe('Widget');
      expect(kinds(cluster)).toEqual(['Namespace', 'Namespace']);
    },
  );

  test('an uninstall keeps the CRD if users created objects, and deletes those of the bundle', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    cluster.put(users);
    const result = await uninstall(cluster, inventory, 'Retain');
    expect(result.state).toBe('Complete');
    expect(result.stays).toMatchObject([{ reason: 'CustomResourcesExist' }]);
    expect(result.stays[0]?.message).toContain('has 1 object (ops/of-a-user)');
    expect(await cluster.get(refOf(own))).toBeUndefined();
    expect(await cluster.get(refOf(users))).toBeDefined();
  });

  test('an object that a user created in the place of the bundle’s counts as a user object', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    await cluster.delete(refOf(own));
    cluster.put(own);
    const result = await uninstall(cluster, inventory, 'Retain');
    expect(result.stays.map(({ reason }) => reason)).toContain('CustomResourcesExist');
    expect(await cluster.get(refOf(own))).toBeDefined();
  });

  test('the operator stays until its custom resources are gone, and the result names their finalizers', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    const hold = (finalizers: readonly string[]): void =>
      cluster.change(refOf(own), (object) => ({ ...object, metadata: { ...object.metadata, finalizers } }));
    hold(['example.com/clean-up']);
    const waiting = await uninstall(cluster, inventory, 'Retain');
    expect(waiting).toMatchObject({ state: 'Waiting', step: 'customResources' });
    expect(waiting.waiting).toHaveLength(1);
    expect(waiting.waiting[0]?.message).toContain('example.com/clean-up');
    expect(kinds(cluster)).toContain('Deployment');
    hold([]);
    expect(await uninstall(cluster, inventory, 'Retain')).toMatchObject({ state: 'Complete', stays: [] });
    expect(kinds(cluster)).toEqual(['Namespace', 'Namespace']);
  });

  test('a retained CRD is changed to work without the operator only after the custom resources of the bundle are gone', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    cluster.put(users);
    cluster.change(
      { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'widgets.example.com' },
      (crd) => ({
        ...crd,
        spec: {
          ...(crd['spec'] as object),
          conversion: {
            strategy: 'Webhook',
            webhook: { clientConfig: { service: { namespace: 'ops', name: 'widget-metrics' } } },
          },
        },
      }),
    );
    await uninstall(cluster, inventory, 'Retain');
    const order = cluster.requests.map(({ verb, ref }) => `${verb} ${ref.kind}`);
    expect(order).toContain('patch CustomResourceDefinition');
    expect(order.indexOf('delete Widget')).toBeLessThan(order.indexOf('patch CustomResourceDefinition'));
    expect(order.indexOf('patch CustomResourceDefinition')).toBeLessThan(order.indexOf('delete Deployment'));
  });
});

describe('pruning', () => {
  test('pruning deletes a custom resource before its CRD, and it does not keep the CRD', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await install(cluster);
    const gone = inventory.filter(({ kind }) => kind === 'Widget' || kind === 'CustomResourceDefinition');
    const { removals, remaining } = await pruneObjects(cluster, gone, { signal: NEVER, owner: OWNER });
    expect(removals.map(({ ref, outcome }) => `${ref.kind} ${outcome}`)).toEqual([
      'Widget deleted',
      'CustomResourceDefinition deleted',
    ]);
    expect(remaining).toEqual([]);
  });

  test('pruning keeps a CRD if its custom resource could not be deleted', async () => {
    const cluster = clusterWithNamespace({
      before: ({ verb, ref }) => {
        if (verb === 'delete' && ref.kind === 'Widget') throw refusal(500, '', 'no');
      },
    });
    const { inventory } = await install(cluster);
    const gone = inventory.filter(({ kind }) => kind === 'Widget' || kind === 'CustomResourceDefinition');
    const { remaining } = await pruneObjects(cluster, gone, { signal: NEVER, owner: OWNER });
    expect(remaining.map(({ kind }) => kind)).toContain('Widget');
  });
});
