/**
 * Ends that were wrong once, on a real API server: upgrades that went round in a circle after a Revision was made before
 * the first one worked, and objects that were never pruned after one refused deletion.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApiProxy, type ApiProxy } from '../../lib/api-proxy.ts';
import { useCluster } from '../../lib/cluster.ts';
import type { Fault } from '../../lib/fault-proxy.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, list, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces, reconcileNow, requestReconcile } from '../../lib/writes.ts';

const cluster = useCluster();
const CATALOG = { kind: 'catalog', name: 'ends' };
let proxy: ApiProxy;
let manager: RunningManager;

const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
const apply = (manifest: string): Promise<string> => cluster().kubectl(['apply', '-f', '-'], manifest);

interface Offered {
  readonly version: string;
  readonly replaces?: string;
  readonly further?: readonly object[];
}

/** The catalog offers these versions of one package, and nothing else; resolves when the manager has read it. */
async function offer(name: string, ...versions: readonly Offered[]): Promise<void> {
  const { registry } = cluster();
  const published = await Promise.all(
    versions.map(async ({ version, replaces, further = [] }) => ({
      version,
      image: await publishTiny(registry, { name, version, further }),
      ...(replaces !== undefined && { replaces }),
    })),
  );
  await publishCatalog(packageDocuments(name, published), `${registry}/ends:latest`);
  await apply(catalogOf(CATALOG.name, `${registry}/ends:latest`));
  await reconcileNow(cluster(), CATALOG, `${name} ${versions.length}`);
}

beforeAll(async () => {
  await installSlipway(cluster());
  proxy = await startApiProxy(cluster());
  manager = await startManager(cluster(), proxy.environment);
  await makeNamespaces(cluster(), ['circle', 'leftovers']);
});
afterAll(async () => {
  await manager?.stop();
  await proxy?.[Symbol.asyncDispose]();
});

describe('Revisions that are made before the first one works', () => {
  const SUBSCRIPTION = { kind: 'subscription', name: 'wheel', namespace: 'circle' };
  const [ONE, TWO, THREE] = [
    { version: '1.0.0' },
    { version: '1.1.0', replaces: '1.0.0' },
    { version: '1.2.0', replaces: '1.1.0' },
  ] as const;

  interface Pending {
    readonly version: string;
    readonly revision: string;
  }

  const pendingOf = (one: Judged): Pending | undefined => one.status?.['pending'] as Pending | undefined;

  /** Waits until the version waits for approval, and approves it. */
  async function approve(version: string): Promise<void> {
    const isWaiting = (one: Judged): boolean =>
      pendingOf(one)?.version === version && JSON.stringify(one.status?.conditions).includes('ApprovalRequired');
    const { revision = '' } = pendingOf(await waitFor(cluster(), SUBSCRIPTION, isWaiting)) ?? {};
    const patch = JSON.stringify({ spec: { approved: true } });
    await kubectl('-n', 'circle', 'patch', 'revisions.slipway.dev', revision, '--type', 'merge', '-p', patch);
  }

  /** Which bundle has followed which, so far. */
  async function upgrades(): Promise<readonly string[]> {
    const events = await list<{ reason: string; note: string }>(cluster(), 'event', { namespace: 'circle' });
    const notes = events.filter(({ reason }) => reason === 'Upgrading').map(({ note }) => note);
    return notes.map((note) => note.replaceAll(/wheel\.v|,.*/g, '')).toSorted();
  }

  beforeAll(async () => {
    const hard = { pods: '0' };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none', namespace: 'circle' } };
    await apply(JSON.stringify({ ...quota, spec: { hard } }));
    await offer('wheel', ONE);
    const onFailure = { bakeTime: '0s', progressDeadline: '30m' };
    await apply(subscriptionTo('wheel', 'circle', { package: 'wheel', approval: 'Manual', onFailure }));
    await approve('1.0.0');
    await waitFor(cluster(), SUBSCRIPTION, (one) => condition(one, 'Ready')?.message.includes('quota') === true);
  });

  test('wait for approval beside it, as newer versions are published', async () => {
    await offer('wheel', ONE, TWO);
    await offer('wheel', ONE, TWO, THREE);
    await until('a Revision of the newest version is made', async () => {
      const revisions = await list(cluster(), 'revision', { namespace: 'circle' });
      return revisions.some(({ spec }) => spec['version'] === '1.2.0' && spec['state'] === 'Archived');
    });
  });

  test('are activated in their turn once it works, each once, and the newest stays', async () => {
    await kubectl('-n', 'circle', 'delete', 'resourcequota', 'none');
    await waitFor(cluster(), SUBSCRIPTION, (one) => one.status?.installed?.version === '1.0.0');
    await approve('1.1.0');
    await waitFor(cluster(), SUBSCRIPTION, (one) => one.status?.installed?.version === '1.1.0');
    await approve('1.2.0');
    await waitFor(cluster(), SUBSCRIPTION, runs('1.2.0'));
    for (const asked of ['again', 'and again']) {
      await requestReconcile(cluster(), CATALOG, asked);
      await requestReconcile(cluster(), SUBSCRIPTION, asked);
      await waitFor(
        cluster(),
        SUBSCRIPTION,
        (one) => runs('1.2.0')(one) && one.status?.['lastHandledReconcileAt'] === asked,
      );
    }
    expect(condition(await get(cluster(), 'subscription', 'wheel', 'circle'), 'Reconciling')).toBeUndefined();
    await until('each upgrade has its event', async () => (await upgrades()).length >= 2);
    expect(await upgrades()).toEqual(['1.1.0 is to follow 1.0.0', '1.2.0 is to follow 1.1.0']);
  });
});

describe('an object whose deletion is refused when it is pruned', () => {
  const SUBSCRIPTION = { kind: 'subscription', name: 'broom', namespace: 'leftovers' };
  const REFUSALS = [500, 409, 403, 429] as const;
  const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
  const nameOf = (code: number): string => `broom-until-${code}`;
  const bindings = REFUSALS.map((code) => ({
    ...ROLE,
    kind: 'ClusterRoleBinding',
    metadata: { name: nameOf(code) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', name: 'broom', namespace: 'leftovers' }],
  }));
  const ONE = { version: '1.0.0', further: bindings };
  const TWO = { version: '2.0.0', replaces: '1.0.0' };

  /** Of each binding the number of deletions that were answered with its code. */
  const refused = new Map<number, number>();

  function refuse(code: number): Fault {
    refused.set(code, (refused.get(code) ?? 0) + 1);
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code,
      reason: REASONS[code],
      message: 'not now',
    };
    const headers = { 'content-type': 'application/json', ...(code === 429 && { 'retry-after': '1' }) };
    return { kind: 'refuse', status: code, headers, body: JSON.stringify(status) };
  }

  const REASONS: Readonly<Record<number, string>> = {
    500: 'InternalError',
    409: 'Conflict',
    403: 'Forbidden',
    429: 'TooManyRequests',
  };

  async function present(): Promise<readonly string[]> {
    const names = await kubectl('get', 'clusterrolebindings', '-o', 'jsonpath={.items[*].metadata.name}');
    return names.split(' ').filter((name) => REFUSALS.some((code) => name === nameOf(code)));
  }

  beforeAll(async () => {
    await offer('broom', ONE);
    await apply(subscriptionTo('broom', 'leftovers', { package: 'broom', onFailure: { bakeTime: '0s' } }));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    expect(await present()).toHaveLength(REFUSALS.length);
    proxy.meddle(({ method, path }) => {
      const code = REFUSALS.find((one) => method === 'DELETE' && path.includes(`/${nameOf(one)}`));
      return code === undefined ? undefined : refuse(code);
    });
    await offer('broom', ONE, TWO);
  });
  afterAll(() => proxy?.meddle());

  test('is named, and the upgrade is not finished', async () => {
    const told = await waitFor(
      cluster(),
      SUBSCRIPTION,
      (one) => one.status?.installed?.version === '2.0.0' && condition(one, 'Reconciling') !== undefined,
    );
    expect(condition(told, 'Reconciling')?.message).toMatch(/is not pruned yet: .*broom-until-\d{3}/);
    await until('each deletion was refused', async () => REFUSALS.every((code) => refused.has(code)));
    expect(await present()).toHaveLength(REFUSALS.length);
  });

  test('is deleted once that is possible, whatever the refusal was', async () => {
    proxy.meddle();
    await until('all are pruned', async () => (await present()).length === 0, {
      explain: async () =>
        `${(await present()).join()}: ${JSON.stringify(await get(cluster(), 'subscription', 'broom', 'leftovers'))}`,
    });
    const done = await waitFor(
      cluster(),
      SUBSCRIPTION,
      (one) => runs('2.0.0')(one) && condition(one, 'Reconciling') === undefined,
    );
    expect(done.status?.installed?.version).toBe('2.0.0');
  });
});
