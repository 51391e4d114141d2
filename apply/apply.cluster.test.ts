/** apply/ against the real API server: its writes, and the life of a small operator. */
import { UNWATCHED } from './watched.ts';
import { NEVER } from '../api/testing/never.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson, formatJson, parseJson } from '../api/json.ts';
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { useCluster } from '../e2e/lib/cluster.ts';
import { until } from '../e2e/lib/until.ts';
import { createClient, type Client } from '../kube/client/client.ts';
import { loadKubeconfig } from '../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../kube/transport/transport.ts';
import { applyRevision, type ApplyRequest, type ApplyResult, type ApplyOutcome } from './apply.ts';
import type { Cluster } from '../api/cluster.ts';
import { describeWrites } from './testing/write-cases.ts';
import { countCustomResources } from './custom-resources.ts';
import { identityOf } from './identity.ts';
import { diffInventory, type InventoryEntry } from './inventory.ts';
import { planUninstall, type CustomResourcePolicy } from './plan-uninstall.ts';
import { prepareObjects, type Owner } from './prepare.ts';
import { pruneObjects } from './prune.ts';
import { sample, sampleCrd, sampleDeployment, sampleOperator } from './testing/sample-objects.ts';
import { runUninstall, type UninstallResult } from './uninstall.ts';
import { observeByPolling, waitUntilReady } from './wait.ts';

const control = useCluster();
let client: Client;
beforeAll(async () => {
  const { config } = await loadKubeconfig(control().kubeconfig);
  client = createClient(createTransport(config));
  await client.create(sample('v1', 'Namespace', 'writes'));
});

describe('writes to the real API server', () => {
  describeWrites(() => client, 'writes');
});

/** A test operator in its own namespace, so that tests do not interfere. */
interface Place {
  readonly owner: Owner;
  readonly group: string;
  prepare(objects: readonly KubeObject[], revision?: string): KubeObject[];
  operator(image?: string): KubeObject[];
}

async function place(name: string): Promise<Place> {
  await client.create(sample('v1', 'Namespace', name));
  const owner = { namespace: name, name: 'widgets', uid: `${name}-uid` };
  const move = (object: KubeObject): KubeObject =>
    parseJson(formatJson(object).replaceAll('"ops"', `"${name}"`)) as KubeObject;
  const group = `${name}.example.com`;
  return {
    owner,
    group,
    prepare: (objects, revision = 'widgets-1') =>
      prepareObjects(objects.map(move), { owner, package: 'widgets', revision, installNamespace: name }),
    operator: (image) => [
      ...sampleOperator({ prefix: name, ...(image !== undefined && { image }) }).filter(
        ({ kind }) => kind !== 'CustomResourceDefinition',
      ),
      sampleCrd('Widget', { group }),
    ],
  };
}

const holdBack: NonNullable<ApplyRequest['holdBack']> = (_phase, pending) =>
  waitUntilReady(
    pending.map(({ ref }) => ref),
    { signal: NEVER, observe: observeByPolling(client), deadlineSeconds: 60 },
  );
const apply = (objects: readonly KubeObject[], fields: Partial<ApplyRequest> = {}): Promise<ApplyResult> =>
  applyRevision(client, { signal: NEVER, objects, previousInventory: [], holdBack, ...fields });
const outcomes = ({ phases }: ApplyResult): ApplyOutcome[] =>
  phases.flatMap((phase) => phase.objects.map(({ outcome }) => outcome));
const read = async (ref: ObjectRef): Promise<KubeObject> => (await client.get(ref)) as KubeObject;

async function uninstall(
  place0: Place,
  inventory: readonly InventoryEntry[],
  policy: CustomResourcePolicy,
): Promise<UninstallResult> {
  const options = { signal: NEVER, owner: place0.owner, stepSeconds: 30 };
  const plan = planUninstall(inventory, await countCustomResources(client, inventory, options), policy);
  return runUninstall(client, plan, options);
}

async function leftOf(inventory: readonly InventoryEntry[]): Promise<string[]> {
  const found = await Promise.all(
    inventory.map(async (entry) => ((await client.get(entry)) === undefined ? [] : [identityOf(entry)])),
  );
  return found.flat();
}

describe('the life of an operator', () => {
  test('an operator is installed with two requests per object, an upgrade sends only changes, an uninstall leaves nothing', async () => {
    const here = await place('life');
    const objects = here.prepare(here.operator());
    const first = await apply(objects);
    expect(first.failures).toEqual([]);
    expect(first.state).toBe('Complete');
    expect(new Set(outcomes(first))).toEqual(new Set(['created']));
    expect(first.requests).toBeLessThanOrEqual(2 * objects.length);

    const idle = await apply(objects, {
      previousInventory: first.inventory,
      watched: { ...UNWATCHED, isIntact: () => true },
    });
    expect(new Set(outcomes(idle))).toEqual(new Set(['unchanged']));

    const next = here
      .prepare(
        [...here.operator('registry.example/operator:2'), sample('v1', 'Secret', 'added', { namespace: 'ops' })],
        'widgets-2',
      )
      .filter(({ kind }) => kind !== 'Service');
    const upgrade = await apply(next, {
      previousInventory: first.inventory,
      watched: { ...UNWATCHED, isIntact: () => true },
    });
    expect(upgrade.state).toBe('Complete');
    expect(
      outcomes(upgrade)
        .filter((outcome) => outcome !== 'unchanged')
        .sort(),
    ).toEqual(['configured', 'created']);
    const deployment = next.find(({ kind }) => kind === 'Deployment') as KubeObject;
    expect(JSON.stringify(await read(refOf(deployment)))).toContain('registry.example/operator:2');

    const { pruned } = diffInventory(upgrade.inventory, next);
    expect(pruned.map(({ kind }) => kind)).toEqual(['Service']);
    expect((await pruneObjects(client, pruned, { ...here, signal: NEVER })).remaining).toEqual([]);
    expect(await leftOf(pruned)).toEqual([]);

    process.stdout.write(
      `requests: install ${first.requests} for ${objects.length} objects, unchanged ${idle.requests}, upgrade of 2 objects ${upgrade.requests}\n`,
    );
    expect(await uninstall(here, upgrade.inventory, 'Retain')).toMatchObject({ state: 'Complete', stays: [] });
    expect(await leftOf(upgrade.inventory)).toEqual([]);
  });

  test('a field that a new version no longer sets is removed from the cluster', async () => {
    const here = await place('fields');
    const config = (data: object): KubeObject[] => here.prepare([sample('v1', 'ConfigMap', 'c', { data })]);
    const { inventory } = await apply(config({ x: '1', y: '1' }));
    const upgrade = await apply(config({ x: '2' }), { previousInventory: inventory });
    expect(upgrade.requests).toBe(3);
    const [object] = config({}) as [KubeObject];
    expect((await read(refOf(object)))['data']).toEqual({ x: '2' });
    const again = await apply(config({ x: '3' }), { previousInventory: upgrade.inventory });
    expect(again.requests).toBe(3);
  });

  test('fields that other writers added to our objects are kept', async () => {
    const here = await place('others');
    const objects = here.prepare([sampleDeployment('op')]);
    const ref = refOf(objects[0] as KubeObject);
    const { inventory } = await apply(objects);
    await control().kubectl(['-n', 'others', 'annotate', 'deployment', 'op', 'team=blue']);
    await control().kubectl(['-n', 'others', 'set', 'env', 'deployment/op', 'EXTRA=1']);
    const upgrade = await apply(
      here.prepare([sampleDeployment('op', { image: 'registry.example/operator:2', app: 'op' })]),
      { previousInventory: inventory },
    );
    expect(upgrade).toMatchObject({ state: 'Complete', failures: [] });
    const text = JSON.stringify(await read(ref));
    expect(text).toContain('"team":"blue"');
    expect(text).toContain('EXTRA');
    expect(text).toContain('operator:2');
  });
});

describe('all or nothing', () => {
  test('a collision is reported with the owner before the first write', async () => {
    const here = await place('collision');
    const objects = here.prepare(here.operator());
    const role = objects.find(({ kind }) => kind === 'ClusterRole') as KubeObject;
    await client.create({
      ...role,
      metadata: { name: role.metadata.name, annotations: { 'meta.helm.sh/release-name': 'shop' } },
    });
    const result = await apply(objects);
    expect(result.failures).toMatchObject([{ reason: 'Collision' }]);
    expect(result.failures[0]?.message).toContain('the Helm release shop');
    const others = objects.filter(({ kind }) => kind !== 'ClusterRole');
    expect(await Promise.all(others.map((object) => client.get(refOf(object))))).toEqual(others.map(() => undefined));
  });

  test("a change of an immutable field is reported with the field's name before the first write", async () => {
    const here = await place('immutable');
    const { inventory } = await apply(here.prepare(here.operator()));
    const next = here.prepare([
      ...here.operator().filter(({ kind }) => kind !== 'Deployment' && kind !== 'ConfigMap'),
      sampleDeployment('immutable-manager', { app: 'renamed' }),
      sample('v1', 'ConfigMap', 'immutable-config', { namespace: 'ops', data: { level: 'debug' } }),
    ]);
    const result = await apply(next, { previousInventory: inventory });
    expect(result.failures).toMatchObject([
      { reason: 'ObjectInvalid', retry: 'never', hint: expect.stringContaining('spec.selector') as string },
    ]);
    const config = next.find(({ kind }) => kind === 'ConfigMap') as KubeObject;
    expect((await read(refOf(config)))['data']).toEqual({ level: 'info', format: 'json' });
  });

  test('an install into a namespace that is being deleted is reported as such', async () => {
    const here = await place('leaving');
    const held = sample('v1', 'ConfigMap', 'held', { namespace: 'leaving' });
    await client.create({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
    await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'leaving' });
    const result = await apply(here.prepare(here.operator()));
    expect(result.state).toBe('Failed');
    expect(result.failures.map(({ reason }) => reason)).toContain('NamespaceTerminating');
    expect(
      await client.get({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        name: `widgets.${here.group}`,
      }),
    ).toBeUndefined();
    await client.patch(refOf(held), { metadata: { finalizers: null } });
  });

  test('a missing right is reported with account, verb and resource before the first write', async () => {
    const here = await place('tenant');
    const tenant: Cluster = client.as({ user: 'system:serviceaccount:tenant:deployer' });
    const objects = here.prepare([sample('v1', 'ConfigMap', 'c'), sample('v1', 'Secret', 's')]);
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
    await client.create(sample('rbac.authorization.k8s.io/v1', 'Role', 'deployer', { namespace: 'tenant', rules }));
    await client.create(
      sample('rbac.authorization.k8s.io/v1', 'RoleBinding', 'deployer', {
        namespace: 'tenant',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'deployer' },
        subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace: 'tenant' }],
      }),
    );
    await expect.poll(() => tenant.create(objects[0] as KubeObject, { dryRun: true })).toBeDefined();
    const result = await applyRevision(tenant, { signal: NEVER, objects, previousInventory: [] });
    expect(result.failures).toMatchObject([
      { reason: 'Forbidden', hint: 'Grant system:serviceaccount:tenant:deployer the verb patch on secrets' },
    ]);
    expect(await client.get(refOf(objects[0] as KubeObject))).toBeUndefined();
  });
});

const widget = (here: Place, finalizers?: readonly string[]): KubeObject => ({
  apiVersion: `${here.group}/v1`,
  kind: 'Widget',
  metadata: { name: 'first', namespace: here.owner.namespace, ...(finalizers !== undefined && { finalizers }) },
  spec: { size: 1 },
});

describe('custom resources', () => {
  test('Retain: a CRD with custom resources stays with them, all other objects are deleted', async () => {
    const here = await place('retain');
    const { inventory } = await apply(here.prepare(here.operator()));
    await client.create(widget(here));
    const result = await uninstall(here, inventory, 'Retain');
    expect(result).toMatchObject({ state: 'Complete', stays: [{ reason: 'CustomResourcesExist' }] });
    expect(result.stays[0]?.message).toContain('retain/first');
    expect(await leftOf(inventory)).toEqual([`CustomResourceDefinition.apiextensions.k8s.io||widgets.${here.group}`]);
    expect(await client.get(refOf(widget(here)))).toBeDefined();
  });

  test('Delete: the operator stays until a custom resource held by a finalizer is gone, and the result names that resource', async () => {
    const here = await place('finalised');
    const { inventory } = await apply(here.prepare(here.operator()));
    await client.create(widget(here, ['example.com/hold']));
    const options = { signal: NEVER, owner: here.owner, stepSeconds: 1 };
    const plan = planUninstall(inventory, await countCustomResources(client, inventory, options), 'Delete');
    const stuck = await runUninstall(client, plan, options);
    expect(stuck).toMatchObject({
      state: 'Waiting',
      step: 'customResources',
      waiting: [{ message: 'it is held by example.com/hold' }],
    });
    expect(await leftOf(inventory)).toHaveLength(inventory.length);
    await client.patch(refOf(widget(here)), { metadata: { finalizers: null } });
    expect(await uninstall(here, inventory, 'Delete')).toMatchObject({ state: 'Complete', stays: [] });
    expect(await leftOf(inventory)).toEqual([]);
  });

  test('a CRD that is deleted right after its creation is deleted for good', async () => {
    const here = await place('hasty');
    const { inventory } = await apply(here.prepare([sampleCrd('Widget', { group: here.group })]));
    expect(await uninstall(here, inventory, 'Retain')).toMatchObject({ state: 'Complete' });
    expect(await leftOf(inventory)).toEqual([]);
  });
});

test('retained custom resources can be read and their namespace deleted, though the conversion webhook is gone', async () => {
  const here = await place('kept');
  const crd = sampleCrd('Widget', { group: here.group });
  const [version] = (crd['spec'] as { versions: object[] }).versions;
  const spec = { type: 'object', properties: { width: { type: 'integer' } } };
  const second = {
    name: 'v2',
    served: true,
    storage: false,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  };
  const service = { namespace: 'ops', name: 'widget-webhooks' };
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { service: { ...service, path: '/convert' } }, conversionReviewVersions: ['v1'] },
  };
  const objects = here.prepare([
    { ...crd, spec: { ...(crd['spec'] as object), versions: [version, second], conversion } },
    sample('v1', 'Service', service.name, { namespace: 'ops', spec: { ports: [{ port: 443 }] } }),
  ]);
  const { inventory } = await apply(objects);
  await client.create(sample('v1', 'Namespace', 'kept-data'));
  const kept = sample(`${here.group}/v1`, 'Widget', 'first', { namespace: 'kept-data', spec: { size: 3 } });
  await until('the kind is served', () => client.create(kept));
  const converted = { ...refOf(kept), apiVersion: `${here.group}/v2` };
  await expect(client.get(converted)).rejects.toThrow(/conversion webhook/);

  expect(await uninstall(here, inventory, 'Retain')).toMatchObject({
    state: 'Complete',
    stays: [{ message: expect.stringContaining('served as v1 only') }],
  });
  expect(await read(refOf(kept))).toMatchObject({ spec: { size: 3 } });
  await until('the kept object is served in no other version', async () => (await client.get(converted)) === undefined);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name: 'kept-data' };
  await client.delete(namespace);
  await until('the namespace is gone', async () => (await client.get(namespace)) === undefined);
});

test('apply loses nothing of a CRD schema, created or applied', async () => {
  const here = await place('lossless');
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['mode'],
        'x-kubernetes-validations': [{ rule: 'self.size < 9007199254740000', message: 'too large' }],
        properties: {
          mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
          size: { type: 'integer', format: 'int64', default: 9007199254740993n },
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          list: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
          },
          none: { type: 'string', nullable: true },
        },
      },
    },
  };
  const crd = (title: string): KubeObject[] => {
    const base = sampleCrd('Widget', { group: here.group });
    const spec = base['spec'] as { versions: object[] };
    const versions = [{ ...spec.versions[0], schema: { openAPIV3Schema: { ...schema, title } } }];
    return here.prepare([{ ...base, spec: { ...spec, versions } }]);
  };
  const schemaOf = async (): Promise<string> => {
    const live = await read({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: `widgets.${here.group}`,
    });
    return canonicalJson(
      (live['spec'] as { versions: { schema: { openAPIV3Schema: unknown } }[] }).versions[0]?.schema.openAPIV3Schema,
    );
  };
  const { inventory } = await apply(crd('created'));
  expect(await schemaOf()).toBe(canonicalJson({ ...schema, title: 'created' }));
  await apply(crd('applied'), { previousInventory: inventory });
  expect(await schemaOf()).toBe(canonicalJson({ ...schema, title: 'applied' }));
});

test('a revision that was cut off midway is finished by the next run, and the uninstall leaves nothing', async () => {
  const here = await place('crash');
  const objects = here.prepare(here.operator());
  for (const writes of [1, 4, 8]) {
    let left = writes;
    const dying: Cluster = {
      ...client,
      apply: async (object, options, signal) => {
        if (options?.dryRun !== true && left-- <= 0) throw new Error('killed');
        return client.apply(object, options, signal);
      },
    };
    await expect(applyRevision(dying, { signal: NEVER, objects, previousInventory: [], holdBack })).rejects.toThrow(
      'killed',
    );
    const result = await apply(objects);
    expect(result.state).toBe('Complete');
    expect(await uninstall(here, result.inventory, 'Retain')).toMatchObject({ state: 'Complete', stays: [] });
    expect(await leftOf(result.inventory)).toEqual([]);
  }
});
