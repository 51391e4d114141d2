import { NEVER } from '../api/testing/never.ts';
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../api/object.ts';
import { applyRevision } from './apply.ts';
import { countCustomResources } from './custom-resources.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../kube/testing/fake-cluster.ts';
import { refusal } from '../api/testing/refusal.ts';
import { planUninstall } from './plan-uninstall.ts';
import { isConvertedBy, planRetention, retainReadable } from './retain-readable.ts';
import { OWNER, prepared, sample, sampleCrd } from './testing/sample-objects.ts';
import { runUninstall, type UninstallResult } from './uninstall.ts';

const SERVICE = { namespace: 'ops', name: 'widget-webhooks' };
const isGoing = ({ namespace, name }: typeof SERVICE): boolean =>
  namespace === SERVICE.namespace && name === SERVICE.name;

interface Version {
  readonly name: string;
  readonly field?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
}

const V1: Version = { name: 'v1', field: 'size' };
const V2: Version = { name: 'v2', field: 'width', storage: true };

function versionOf({ name, field = 'size', served = true, storage = false }: Version): object {
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } };
  return { name, served, storage, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } };
}

function crdOf(
  versions: readonly Version[],
  { stored = ['v2'], service = SERVICE, strategy = 'Webhook' } = {},
): KubeObject {
  const crd = sampleCrd('Widget');
  const webhook = { clientConfig: { service: { ...service, path: '/convert' } }, conversionReviewVersions: ['v1'] };
  const conversion = strategy === 'None' ? { strategy } : { strategy, webhook };
  const spec = { ...(crd['spec'] as object), versions: versions.map(versionOf), conversion };
  return { ...crd, spec, status: { storedVersions: stored } };
}

describe('the change of a CRD whose conversion webhook is deleted', () => {
  const same = { ...V1, field: 'width' };
  test.each([
    {
      crd: crdOf([V1, V2]),
      want: 'change',
      served: ['v2'],
      because: 'all objects are stored as v2, and v1 would show them wrong',
    },
    { crd: crdOf([same, V2]), want: 'change', served: ['v1', 'v2'], because: 'both versions have the same fields' },
    {
      crd: crdOf([same, V2], { stored: ['v1', 'v2'] }),
      want: 'change',
      served: ['v1', 'v2'],
      because: 'objects of either version are stored the same',
    },
    {
      crd: crdOf([V2]),
      want: 'change',
      served: ['v2'],
      because: 'no version needs the webhook, but the API server still calls it',
    },
    {
      crd: crdOf([V1, V2], { stored: ['v1', 'v2'] }),
      want: 'unreadable',
      because: 'v2 would show objects stored as v1 wrong',
    },
    {
      crd: crdOf([V1, { ...V2, served: false }]),
      want: 'unreadable',
      because: 'no version can show all stored objects',
    },
    { crd: crdOf([V1, V2], { strategy: 'None' }), want: 'fine', because: 'there is no conversion' },
    {
      crd: crdOf([V1, V2], { service: { namespace: 'other', name: 'webhooks' } }),
      want: 'fine',
      because: 'its webhook is not deleted',
    },
    { crd: sampleCrd('Widget'), want: 'fine', because: 'None is the default' },
  ])('planRetention answers $want $served, because $because', ({ crd, want, served }) => {
    const plan = planRetention(crd, isGoing);
    expect(plan.kind).toBe(want);
    expect(isConvertedBy(crd, isGoing)).toBe(want !== 'fine');
    if (plan.kind !== 'change') return;
    expect(plan.spec['conversion']).toEqual({ strategy: 'None', webhook: null });
    const versions = (plan.spec['versions'] ?? (crd['spec'] as { versions: unknown }).versions) as Version[];
    expect(versions.filter((version) => version.served).map(({ name }) => name)).toEqual(served);
  });

  test('planRetention names the versions that cannot be read without the webhook', () => {
    expect(planRetention(crdOf([V1, V2], { stored: ['v1', 'v2'] }), isGoing)).toMatchObject({
      message: expect.stringMatching(/stored as v1: .* deleting their namespace can fail/),
    });
  });
});

describe('an uninstall that keeps custom resources', () => {
  const service = sample('v1', 'Service', SERVICE.name, {
    namespace: SERVICE.namespace,
    spec: { ports: [{ port: 443 }] },
  });
  const widget = sample('example.com/v2', 'Widget', 'first', { namespace: 'ops', spec: { width: 3 } });
  const isCrd = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition';
  const writes = (cluster: FakeCluster): string[] =>
    cluster.requests
      .filter(({ verb }) => verb === 'patch' || verb === 'delete')
      .map(({ verb, ref }) => `${verb} ${ref.kind}`);

  async function remove(
    stored: readonly string[],
    options: FakeOptions = {},
    installed: readonly KubeObject[] = [crdOf([V1, V2]), service],
    others: readonly KubeObject[] = [],
  ): Promise<{
    readonly cluster: FakeCluster;
    readonly again: () => Promise<UninstallResult>;
    readonly result: UninstallResult;
  }> {
    const cluster = createFakeCluster(options);
    cluster.put(sample('v1', 'Namespace', 'ops'));
    for (const other of others) cluster.put(other);
    const objects = prepared(installed);
    const { inventory } = await applyRevision(cluster, { signal: NEVER, objects, previousInventory: [] });
    const crd = refOf(cluster.objects().find(isCrd) as KubeObject);
    cluster.change(crd, (live) => ({ ...live, status: { ...(live['status'] as object), storedVersions: stored } }));
    cluster.put(widget);
    const again = async (): Promise<UninstallResult> => {
      const counts = await countCustomResources(cluster, inventory, { signal: NEVER, owner: OWNER });
      return runUninstall(cluster, planUninstall(inventory, counts, 'Retain'), {
        signal: NEVER,
        owner: OWNER,
        stepSeconds: 0.05,
      });
    };
    return { cluster, again, result: await again() };
  }

  function conversionIn(cluster: FakeCluster): unknown {
    const crd = cluster.objects().find(isCrd) as KubeObject;
    return (crd['spec'] as { conversion: unknown }).conversion;
  }

  test('an uninstall turns conversion off before it deletes the webhook, and reports the versions that stay served', async () => {
    const { cluster, result } = await remove(['v2']);
    expect(result).toMatchObject({ state: 'Complete', failures: [] });
    expect(result.stays[0]?.message).toContain('served as v2 only');
    expect(conversionIn(cluster)).toEqual({ strategy: 'None' });
    expect(writes(cluster)).toEqual(['patch CustomResourceDefinition', 'delete Service']);
  });

  test('an uninstall leaves the CRD alone if an object could then be read wrong, and reports it', async () => {
    const { cluster, result } = await remove(['v1', 'v2']);
    expect(result).toMatchObject({ state: 'Complete', failures: [] });
    expect(result.stays[0]?.message).toContain('may be stored as v1');
    expect(conversionIn(cluster)).toMatchObject({ strategy: 'Webhook' });
    expect(writes(cluster)).toEqual(['delete Service']);
  });

  test('an uninstall deletes nothing while the CRD cannot be written, and goes on once it can', async () => {
    let isDown = true;
    const before: NonNullable<FakeOptions['before']> = ({ verb, ref }) => {
      if (isDown && verb === 'patch' && ref.kind === 'CustomResourceDefinition') throw refusal(503, 'Down', 'no');
    };
    const { cluster, again, result } = await remove(['v2'], { before });
    expect(result).toMatchObject({ state: 'Failed', failures: [{ reason: 'ApiUnavailable' }] });
    expect(writes(cluster)).not.toContain('delete Service');
    isDown = false;
    expect(await again()).toMatchObject({ state: 'Complete', failures: [] });
    expect(conversionIn(cluster)).toEqual({ strategy: 'None' });
  });

  test('an uninstall turns conversion off if its Service went before, as after a rollback', async () => {
    const { cluster, result } = await remove(['v2'], {}, [crdOf([V1, V2])]);
    expect(result).toMatchObject({ state: 'Complete', failures: [] });
    expect(result.stays[0]?.message).toContain('served as v2 only');
    expect(conversionIn(cluster)).toEqual({ strategy: 'None' });
  });

  test('an uninstall leaves conversion on if its Service belongs to another program', async () => {
    const { cluster, result } = await remove(['v2'], {}, [crdOf([V1, V2])], [service]);
    expect(result).toMatchObject({ state: 'Complete', failures: [] });
    expect(conversionIn(cluster)).toMatchObject({ strategy: 'Webhook' });
  });

  test('an uninstall goes on if the API server rejects the CRD for good, and reports it', async () => {
    const before: NonNullable<FakeOptions['before']> = ({ verb, ref }) => {
      if (verb === 'patch' && ref.kind === 'CustomResourceDefinition') throw refusal(422, 'Invalid', 'not so');
    };
    const { result } = await remove(['v2'], { before });
    expect(result).toMatchObject({ state: 'Complete', failures: [] });
    expect(result.stays[0]?.message).toContain('not so');
  });
});

test.each([
  { namedIn: undefined, asks: true, because: 'an administrator reads the message' },
  { namedIn: SERVICE.namespace, asks: true, because: 'the Service is in the namespace of the reader' },
  { namedIn: 'tenant', asks: false, because: 'a tenant would learn whether a Service of others exists' },
])('a CRD is read beside its Service for $namedIn: $asks, because $because', async ({ namedIn, asks }) => {
  const cluster = createFakeCluster();
  cluster.put(crdOf([V1, V2]));
  const [crd] = cluster.objects().filter(({ kind }) => kind === 'CustomResourceDefinition') as [KubeObject];
  const retained = await retainReadable(cluster, refOf(crd), { isGoing: () => false, namedIn, signal: NEVER });
  expect(retained.message !== undefined).toBe(asks);
  expect(cluster.requests.some(({ ref }) => ref.kind === 'Service')).toBe(asks);
});
