/**
 * Revisions and manifests that a person wrote by hand, beside those that the manager made, with the shipped rights: the
 * manager does not apply them, and they delete nothing and stop nothing. Manifests that a person swapped are restored.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import {
  catalogOf,
  condition,
  get,
  isReady,
  list,
  runs,
  subscriptionTo,
  waitFor,
  type Judged,
} from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import * as writes from '../../lib/writes.ts';

const cluster = useCluster();
const NAMESPACE = 'team-a';
const STORE = { kind: 'subscription', name: 'store', namespace: NAMESPACE };
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const REVISIONS = `/apis/slipway.dev/v1alpha1/namespaces/${NAMESPACE}/revisions`;
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
/** Of names of Subscriptions, each of a package of its own. */
const LENGTHS = [70, 200];
const longPackage = (length: number): string => `long-${length}`;
const VERSIONS = ['1.0.0', '1.1.0'] as const;
/** What was installed is not kept in memory any longer. */
const NO_BAKE = { onFailure: { bakeTime: '0s' } } as const;
let manager: RunningManager;
let images: readonly string[];

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  const { registry } = cluster();
  const published = await Promise.all(
    ['store', ...LENGTHS.map(longPackage)].map(async (name) => {
      const [first, second] = await Promise.all(VERSIONS.map((version) => publishTiny(registry, { name, version })));
      return { name, first: first ?? '', second: second ?? '' };
    }),
  );
  images = [published[0]?.first ?? '', published[0]?.second ?? ''];
  const documents = published.flatMap(({ name, first, second }) =>
    packageDocuments(name, [
      { version: '1.0.0', image: first },
      { version: '1.1.0', image: second, replaces: '1.0.0' },
    ]),
  );
  await publishCatalog(documents, `${registry}/catalog:latest`);
  await writes.apply(cluster(), catalogOf('examples', `${registry}/catalog:latest`));
  await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
  await writes.makeNamespaces(cluster(), [NAMESPACE]);
  await writes.apply(cluster(), subscriptionTo('store', NAMESPACE, { package: 'store', version: '1.0.0', ...NO_BAKE }));
  await waitFor(cluster(), STORE, runs('1.0.0'));
});
afterAll(async () => {
  const log = manager?.log() ?? '';
  await manager?.stop();
  expect(log).not.toContain('TypeError');
  expect(log).not.toContain('InternalError');
});

function exists(path: string): Promise<boolean> {
  return writes.isThere(cluster(), path);
}

interface Forgery {
  readonly name: string;
  readonly owner?: Judged;
  readonly spec?: object;
  /** Of a ConfigMap that is said to be its own. */
  readonly inventory?: string;
}

/** Writes a Revision, and its status, as an administrator can. */
async function forge({ name, owner, spec = {}, inventory }: Forgery): Promise<void> {
  const reference = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', controller: true };
  await cluster().request('POST', REVISIONS, {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: {
      name,
      namespace: NAMESPACE,
      finalizers: ['slipway.dev/cleanup'],
      ...(owner !== undefined && {
        ownerReferences: [{ ...reference, name: owner.metadata.name, uid: owner.metadata.uid }],
      }),
    },
    spec: {
      subscription: owner?.metadata.name ?? 'store',
      number: 7,
      package: 'store',
      bundle: 'store.v1.0.0',
      version: '1.0.0',
      catalog: 'examples',
      image: images[0],
      configHash: 'x',
      manifests: { secrets: ['db-password'], digest: `sha256:${'0'.repeat(64)}`, objects: 1 },
      certificates: 'Manager',
      approved: true,
      state: 'Active',
      ...spec,
    },
  });
  if (inventory === undefined) return;
  const { metadata } = (await cluster().read(`${CONFIG_MAPS}/${inventory}`)) as unknown as Judged;
  const entry = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: NAMESPACE,
    name: inventory,
    uid: metadata.uid,
    hash: 'x',
  };
  await cluster().request('PATCH', `${REVISIONS}/${name}/status`, { status: { inventory: [entry] } });
}

async function expectRefused(name: string): Promise<void> {
  const of = { kind: 'revision', name, namespace: NAMESPACE };
  const refused = await waitFor(cluster(), of, (one) => condition(one, 'Stalled')?.reason === 'RevisionInvalid');
  expect(condition(refused, 'Ready')).toMatchObject({ status: 'False', reason: 'RevisionInvalid' });
  await until(`an event reports ${name}`, async () => {
    const events = await list<{ readonly reason: string; readonly regarding: { readonly uid: string } }>(
      cluster(),
      'event',
      {
        namespace: NAMESPACE,
      },
    );
    return events.some(
      ({ reason, regarding }) => reason === 'RevisionInvalid' && regarding.uid === refused.metadata.uid,
    );
  });
}

describe('a Revision that a person made', () => {
  beforeAll(async () => {
    await writes.apply(cluster(), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'precious', namespace: NAMESPACE },
    });
    await cluster().request('POST', SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db-password', namespace: NAMESPACE },
      type: 'Opaque',
    });
  });

  test.each([
    { name: 'orphan', owned: false, spec: {}, because: 'no Subscription owns it' },
    { name: 'store-7', owned: false, spec: {}, because: 'no Subscription owns it, and its name is right' },
    { name: 'store-2147483647', owned: true, spec: { number: 2147483647 }, because: "it names another's Secret" },
    {
      name: 'store-8',
      owned: true,
      spec: { number: 8, properties: [{ type: 'olm.gvk', value: 'not json' }] },
      because: 'a property cannot be read',
    },
  ])('deletes neither the Secrets that it names nor what it lists: $because', async ({ name, owned, spec }) => {
    const owner = owned ? { owner: await get(cluster(), 'subscription', 'store', NAMESPACE) } : {};
    await forge({ name, ...owner, spec, inventory: 'precious' });
    await expectRefused(name);
    await writes.remove(cluster(), { kind: 'revision', name, namespace: NAMESPACE });
    expect(await Promise.all([`${SECRETS}/db-password`, `${CONFIG_MAPS}/precious`].map(exists))).toEqual([true, true]);
    expect(isReady(await get(cluster(), 'subscription', 'store', NAMESPACE))).toBe(true);
  });

  test('brings no image into the namespace for a package that no Catalog has', async () => {
    await writes.apply(cluster(), subscriptionTo('ghost', NAMESPACE, { package: 'ghost' }));
    const ghost = { kind: 'subscription', name: 'ghost', namespace: NAMESPACE };
    const owner = await waitFor(cluster(), ghost, (one) => condition(one, 'Ready')?.reason === 'PackageNotFound');
    await forge({ name: 'ghost-1', owner, spec: { number: 1, package: 'ghost', image: images[1] } });
    await expectRefused('ghost-1');
    await writes.requestReconcile(cluster(), ghost, 'now');
    const after = await waitFor(cluster(), ghost, (one) => one.status?.['lastHandledReconcileAt'] === 'now');
    expect(condition(after, 'Ready')?.reason).toBe('PackageNotFound');
    const names = (await list(cluster(), 'revision', { namespace: NAMESPACE })).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith('ghost'))).toEqual(['ghost-1']);
    await writes.remove(cluster(), ghost);
  });

  test('neither takes the number of the next one nor holds the upgrade', async () => {
    const owner = await get(cluster(), 'subscription', 'store', NAMESPACE);
    await forge({ name: 'store-2', spec: { number: 2 }, inventory: 'precious' });
    await forge({ name: 'store-2147483647', owner, spec: { number: 2147483647 }, inventory: 'precious' });
    await expectRefused('store-2147483647');
    await writes.apply(cluster(), subscriptionTo('store', NAMESPACE, { package: 'store', ...NO_BAKE }));
    const upgraded = await waitFor(cluster(), STORE, runs('1.1.0'));
    expect(upgraded.status?.installed?.revision).toBe('store-3');
    expect(await exists(`${CONFIG_MAPS}/precious`)).toBe(true);
  });

  test('gives a reason for manifests that no bundle renders to', async () => {
    await writes.apply(cluster(), subscriptionTo('absurd', NAMESPACE, { package: 'absurd' }));
    const absurd = { kind: 'subscription', name: 'absurd', namespace: NAMESPACE };
    const owner = await waitFor(cluster(), absurd, (one) => condition(one, 'Ready')?.reason === 'PackageNotFound');
    const contents = [{ a: 1 }, [null], [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }]];
    for (const [index, content] of contents.entries()) {
      const json = JSON.stringify(content);
      const digest = createHash('sha256').update(json).digest('hex');
      const name = `absurd-${index + 1}`;
      const secret = `${name}-${digest.slice(0, 8)}-0`;
      const ownerReferences = [
        {
          apiVersion: 'slipway.dev/v1alpha1',
          kind: 'Subscription',
          name: 'absurd',
          uid: owner.metadata.uid,
          controller: true,
        },
      ];
      await cluster().request('POST', SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secret, namespace: NAMESPACE, ownerReferences },
        type: 'slipway.dev/manifests',
        immutable: true,
        data: { manifests: gzipSync(json).toString('base64') },
      });
      const manifests = { secrets: [secret], digest: `sha256:${digest}`, objects: 1 };
      await forge({ name, owner, spec: { number: index + 1, package: 'absurd', manifests } });
      await waitFor(
        cluster(),
        { kind: 'revision', name, namespace: NAMESPACE },
        (one) => condition(one, 'Stalled')?.reason === 'RevisionInvalid',
      );
    }
    await writes.remove(cluster(), absurd);
  });
});

describe('a Secret with manifests that a user swapped', () => {
  interface Stored extends Judged {
    readonly type: string;
    readonly data: Readonly<Record<string, string>>;
  }

  const read = async (name: string): Promise<Stored> =>
    (await cluster().read(`${SECRETS}/${name}`)) as unknown as Stored;

  /**
   * Replaces the Secret of the active Revision, once all is done, and deletes the Deployment; returns the former
   * Secret.
   */
  async function swap(edit: object): Promise<Stored> {
    const { installed } = (await waitFor(cluster(), STORE, runs('1.1.0'))).status ?? {};
    const revision = { kind: 'revision', name: installed?.revision ?? '', namespace: NAMESPACE };
    const isSettled = (one: Judged): boolean => isReady(one) && condition(one, 'Reconciling') === undefined;
    const { spec } = await waitFor(cluster(), revision, isSettled);
    const [name = ''] = (spec['manifests'] as { readonly secrets: readonly string[] }).secrets;
    const before = await read(name);
    const { uid: _uid, ...metadata } = before.metadata;
    await cluster().request('DELETE', `${SECRETS}/${name}`);
    const swapped = { ...before, metadata: { ...metadata, resourceVersion: undefined }, ...edit };
    await cluster().request('POST', SECRETS, swapped);
    await cluster().request('DELETE', `${DEPLOYMENTS}/store`);
    return before;
  }

  async function expectRepaired({ metadata, type, data }: Stored): Promise<void> {
    await until('the Deployment is back', () => exists(`${DEPLOYMENTS}/store`));
    expect(await read(metadata.name)).toMatchObject({ type, data });
  }

  test.each([
    { edit: { data: { manifests: gzipSync('[]').toString('base64') } }, because: 'it holds something else' },
    { edit: { data: {} }, because: 'it holds nothing' },
  ])('is written again, and a deleted object is restored: $because', async ({ edit }) => {
    await expectRepaired(await swap(edit));
  });

  test('is left to its owner if it is of another type; a condition reports it, and the manager continues when it is gone', async () => {
    const before = await swap({ type: 'Opaque' });
    const { name } = before.metadata;
    const told = await waitFor(cluster(), STORE, (one) => JSON.stringify(one.status).includes('"Collision"'));
    expect(JSON.stringify(told.status)).toContain(name);
    expect(await read(name)).toMatchObject({ type: 'Opaque' });
    await cluster().request('DELETE', `${SECRETS}/${name}`);
    await expectRepaired(before);
  });
});

test.each(LENGTHS)('a Subscription with a name of %i characters is installed, upgraded and removed', async (length) => {
  const name = 'n'.repeat(length);
  const namespace = longPackage(length);
  await writes.makeNamespaces(cluster(), [namespace]);
  const subscription = { kind: 'subscription', name, namespace };
  await writes.apply(cluster(), subscriptionTo(name, namespace, { package: longPackage(length), version: '1.0.0' }));
  await waitFor(cluster(), subscription, runs('1.0.0'));
  await writes.apply(cluster(), subscriptionTo(name, namespace, { package: longPackage(length) }));
  await waitFor(cluster(), subscription, runs('1.1.0'));
  await writes.remove(cluster(), subscription);
  expect((await list(cluster(), 'revision', { namespace })).length).toBe(0);
  const { items } = (await cluster().read(`/api/v1/namespaces/${namespace}/secrets`)) as unknown as {
    items: unknown[];
  };
  expect(items).toEqual([]);
});

test('the removal of an operator is not held by objects that a person made in its name', async () => {
  await forge({ name: 'orphan', inventory: 'precious' });
  await expectRefused('orphan');
  await writes.remove(cluster(), STORE);
  expect(await exists(`${DEPLOYMENTS}/store`)).toBe(false);
  expect(await Promise.all([`${SECRETS}/db-password`, `${CONFIG_MAPS}/precious`].map(exists))).toEqual([true, true]);
  expect(await exists(`${REVISIONS}/orphan`)).toBe(true);
});
