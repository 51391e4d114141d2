/**
 * A cluster is restored from a backup of its objects, as Velero makes it: each object is created again, with another uid and
 * without a status. The commands are those of the guide.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { stepsOf, typeSteps } from '../../../scripts/shell-steps.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, restartCollector, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, list, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { crdNameOf, publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, reconcileNow, remove } from '../../lib/writes.ts';

const cluster = useCluster();
const GUIDE = 'docs/how-to/restore-from-a-backup.md';
const NAMESPACE = 'lights';
const BEACON = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE };
const CATALOG = { kind: 'catalog', name: 'examples' };
const CRD = crdNameOf('Beacon');
const ACCOUNT = { serviceAccountName: 'installer', watchNamespaces: [NAMESPACE] };
let manager: RunningManager | undefined;

beforeAll(async () => {
  await installSlipway(cluster());
  await makeNamespaces(cluster(), [NAMESPACE]);
  await kubectl('-n', NAMESPACE, 'create', 'serviceaccount', 'installer');
  await kubectl(
    'create',
    'clusterrolebinding',
    'installer',
    '--clusterrole=cluster-admin',
    `--serviceaccount=${NAMESPACE}:installer`,
  );
  await start();
});
afterEach(async () => {
  if (manager === undefined) await start();
  await remove(cluster(), BEACON);
  await kubectl('delete', 'crd', CRD, '--ignore-not-found');
});
afterAll(() => stop());

async function start(): Promise<void> {
  manager = await startManager(cluster());
}

async function stop(): Promise<void> {
  await manager?.stop();
  manager = undefined;
}

function kubectl(...args: readonly string[]): Promise<string> {
  return cluster().kubectl(args);
}

/** Types the commands of the guide that contain the texts; returns the output. */
async function type(...texts: readonly string[]): Promise<string> {
  const { tools, kubeconfig } = cluster();
  const steps = texts.map((text) => {
    const found = stepsOf(GUIDE).filter(({ script }) => script.includes(text));
    expect(found, text).toHaveLength(1);
    return { script: found[0]?.script ?? '' };
  });
  return (await typeSteps(steps, { tools, variables: { KUBECONFIG: kubeconfig } })).join('');
}

/** Offers the versions, each of which replaces the one before. */
async function offer(...versions: readonly string[]): Promise<void> {
  const { registry } = cluster();
  const images = await Promise.all(
    versions.map((version) => publishTiny(registry, { name: 'beacon', version, kind: 'Beacon' })),
  );
  const entries = versions.map((version, at) => ({
    version,
    image: images[at] ?? '',
    ...(at > 0 && { replaces: versions[at - 1] ?? '' }),
  }));
  await publishCatalog(packageDocuments('beacon', entries), `${registry}/catalog:latest`);
  await apply(cluster(), catalogOf(CATALOG.name, `${registry}/catalog:latest`));
}

/** Version 1.0.0 is installed and has a custom resource. */
async function install(spec: object = {}): Promise<void> {
  await offer('1.0.0');
  await reconcileNow(cluster(), CATALOG);
  await apply(cluster(), subscriptionTo(BEACON.name, NAMESPACE, { package: 'beacon', ...spec }));
  await waitFor(cluster(), BEACON, runs('1.0.0'));
  const north = { apiVersion: 'tiny.example/v1', kind: 'Beacon', metadata: { name: 'north', namespace: NAMESPACE } };
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify(north));
}

interface Saved {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Of a namespace, but for those that Kubernetes makes by itself. */
const KINDS =
  'subscriptions.slipway.dev,revisions.slipway.dev,secrets,serviceaccounts,roles,rolebindings,deployments,beacons.tiny.example';

/** The objects as a tool restores them: without uid, version, times and status. */
async function backUp(): Promise<readonly Saved[]> {
  const read = async (...args: readonly string[]): Promise<readonly Saved[]> =>
    (JSON.parse(await kubectl('get', ...args, '-o', 'json')) as { readonly items: readonly Saved[] }).items;
  const found = [...(await read('crd', '-l', 'slipway.dev/owner')), ...(await read('-n', NAMESPACE, KINDS))];
  return found
    .filter(({ metadata }) => metadata.name !== 'default' && metadata.name !== 'installer')
    .map((object) => {
      const { status: _status, metadata, ...rest } = object as Saved & { readonly status?: object };
      const {
        uid: _uid,
        resourceVersion: _version,
        creationTimestamp: _time,
        managedFields: _fields,
        ...kept
      } = metadata as Record<string, unknown>;
      return { ...rest, metadata: kept } as unknown as Saved;
    });
}

/** Another cluster has none of them: while no manager runs, finalizers are taken off by hand. */
async function lose(): Promise<void> {
  for (const kind of ['subscriptions.slipway.dev', 'revisions.slipway.dev'])
    for (const name of (await kubectl('-n', NAMESPACE, 'get', kind, '-o', 'name')).split('\n').filter(Boolean))
      await kubectl('-n', NAMESPACE, 'patch', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
  await kubectl('-n', NAMESPACE, 'delete', KINDS.replace('serviceaccounts,', ''), '--all');
  await kubectl('-n', NAMESPACE, 'delete', 'serviceaccount', 'beacon');
  await kubectl('delete', 'crd', CRD);
}

async function restore(saved: readonly Saved[], isWanted: (object: Saved) => boolean): Promise<void> {
  const create = async (items: readonly Saved[]): Promise<void> => {
    if (items.length > 0)
      await cluster().kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  };
  const wanted = saved.filter(isWanted);
  const isCrd = ({ kind }: Saved): boolean => kind === 'CustomResourceDefinition';
  await create(wanted.filter(isCrd));
  if (wanted.some(isCrd)) await kubectl('wait', '--for=condition=Established', `crd/${CRD}`);
  await create(wanted.filter((one) => !isCrd(one)));
}

const isSubscription = ({ kind }: Saved): boolean => kind === 'Subscription';
const isOfRevisions = ({ kind }: Saved): boolean => kind === 'Revision' || kind === 'Secret';

function revisions(): Promise<readonly Judged[]> {
  return list(cluster(), 'revision', { namespace: NAMESPACE });
}

/** The uid of the Subscription that each Secret with manifests names. */
async function ownersOfManifests(): Promise<readonly string[]> {
  const path = 'jsonpath={range .items[*]}{.metadata.ownerReferences[0].uid} {end}';
  const found = await kubectl(
    '-n',
    NAMESPACE,
    'get',
    'secrets',
    '--field-selector=type=slipway.dev/manifests',
    '-o',
    path,
  );
  return found.split(' ').filter(Boolean);
}

/** Objects that would be replaced if the operator were uninstalled and installed again. */
async function identities(): Promise<string> {
  const parts = [`crd/${CRD}`, 'deployment/beacon', 'serviceaccount/beacon', 'beacons.tiny.example/north'].map((one) =>
    kubectl('-n', NAMESPACE, 'get', one, '-o', 'jsonpath={.metadata.uid}'),
  );
  return (await Promise.all(parts)).join('\n');
}

test('a Subscription without an account takes up its operator in the version that it had, and upgrades without the pin', async () => {
  await install();
  expect(await type('get subscriptions.slipway.dev --all-namespaces')).toMatch(
    /lights +beacon +<none> +1\.0\.0 +<none>/,
  );
  const saved = await backUp();
  await stop();
  await lose();
  await offer('1.0.0', '1.1.0');
  await restore(saved, (object) => !isOfRevisions(object));
  await type('{"version":"1.0.0"}');
  const before = await identities();
  await start();
  await reconcileNow(cluster(), CATALOG);
  await type('wait --for=condition=Ready');
  expect((await get(cluster(), 'subscription', 'beacon', NAMESPACE)).status?.installed?.version).toBe('1.0.0');
  expect(await identities()).toBe(before);
  await type('{"version":null}');
  await waitFor(cluster(), BEACON, runs('1.1.0'));
  expect(await identities()).toBe(before);
});

test('Revisions without a status do no harm, though they come before their Subscription to a manager that runs', async () => {
  await install();
  const saved = await backUp();
  await stop();
  await lose();
  await start();
  await restore(saved, (object) => !isSubscription(object));
  const before = await identities();
  await restartCollector(cluster());
  await until('no Revision is left', async () => (await revisions()).length === 0);
  await restore(saved, isSubscription);
  const { metadata } = await waitFor(cluster(), BEACON, runs('1.0.0'));
  expect(await identities()).toBe(before);
  await until('no Secret of the earlier Subscription is left', async () => {
    const owners = await ownersOfManifests();
    return owners.length > 0 && owners.every((uid) => uid === metadata.uid);
  });
});

test('a Revision that comes with its status and without its Subscription takes the operator along', async () => {
  await install();
  const [status] = (await revisions()).map((one) => one.status);
  const saved = await backUp();
  await stop();
  await lose();
  await restore(saved, (object) => !isSubscription(object));
  await kubectl(
    '-n',
    NAMESPACE,
    'patch',
    'revisions.slipway.dev',
    'beacon-1',
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  );
  await restartCollector(cluster());
  await start();
  await until(
    'the operator is gone',
    async () => (await kubectl('-n', NAMESPACE, 'get', 'deployments', '-o', 'name')) === '',
  );
  expect(await kubectl('-n', NAMESPACE, 'get', 'beacons.tiny.example', '-o', 'name')).toContain('north');
});

test('a Subscription with an account takes up its operator once its objects are handed over', async () => {
  await install(ACCOUNT);
  const saved = await backUp();
  await stop();
  await lose();
  await restore(saved, (object) => !isOfRevisions(object));
  const before = await identities();
  await start();
  await waitFor(cluster(), BEACON, (one) => condition(one, 'Ready')?.reason === 'Collision');
  await type('slipway.dev/adopt-by');
  await waitFor(cluster(), BEACON, runs('1.0.0'));
  expect(await identities()).toBe(before);
});
