/**
 * Bundles that bring custom resources of their own CRDs: installed, repaired, upgraded, rolled back and removed, with the
 * rights of the manager and with those of an account. The operator is played: it puts a finalizer on its object.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import {
  packageDocuments,
  publishBundle,
  publishCatalog,
  publishFiles,
  type PackageVersion,
} from '../../lib/publish.ts';
import { foundSet, hasFound } from '../../lib/shared.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces, requestReconcile } from '../../lib/writes.ts';
import { CRD, gadget, gadgetFiles, PACKAGE, RELEASES } from './gadgets.ts';

const NAMESPACE = 'gadgets';
const TENANT = 'tenant';
const GADGETS = { kind: 'subscription', name: 'gadgets', namespace: NAMESPACE };
const CATALOG = { kind: 'catalog', name: 'own-kinds' };
const SPEC = { package: PACKAGE, onFailure: { bakeTime: '0s' } };
/** In a version that every release serves: kubectl remembers for long which ones there were. */
const KIND = 'gadgets.v1.tiny.example';
const ROLE = `slipway-own-kinds.${NAMESPACE}.gadgets`;
const MANAGER = ['--as', `system:serviceaccount:${SYSTEM}:slipway-manager`];

const cluster = useCluster();
let manager: RunningManager;
let before: ReadonlySet<string>;

const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);

async function apply(...objects: readonly (string | object)[]): Promise<void> {
  const items = objects.map((object) => (typeof object === 'string' ? (JSON.parse(object) as object) : object));
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

/** Names of the objects of a kind. */
async function names(kind: string, ...where: readonly string[]): Promise<readonly string[]> {
  const found = await kubectl('get', kind, ...where, '--ignore-not-found', '-o', 'jsonpath={.items[*].metadata.name}');
  return found.split(' ').filter((name) => name !== '');
}

/** A field of the Gadget `first`. */
function field(path: string, namespace = NAMESPACE): Promise<string> {
  return kubectl('-n', namespace, 'get', KIND, 'first', '-o', `jsonpath={${path}}`);
}

async function mayManagerPatch(): Promise<boolean> {
  const answer = await kubectl('auth', 'can-i', 'patch', 'gadgets.tiny.example', '-A', ...MANAGER).catch(
    (error: Error) => error.message,
  );
  return /^yes/m.test(answer);
}

async function publish(count: number): Promise<void> {
  const { registry } = cluster();
  const published = await Promise.all(
    RELEASES.slice(0, count).map(async (release, index): Promise<PackageVersion> => {
      const { version } = release;
      const image = await publishFiles(gadgetFiles(release), `${registry}/${PACKAGE}:v${version}`);
      const replaces = RELEASES[index - 1]?.version;
      return { version, image, ...(replaces !== undefined && { replaces }) };
    }),
  );
  const real = hasFound ? await publishReal() : [];
  await publishCatalog([...packageDocuments(PACKAGE, published), ...real], `${registry}/own-kinds:latest`);
}

const REAL = [
  { name: 'ecr-secret-operator', version: '0.6.0' },
  { name: 'ack-secretsmanager-controller', version: '0.0.11' },
  { name: 'ack-ecs-controller', version: '1.5.1' },
] as const;

async function publishReal(): Promise<readonly object[]> {
  const documents = await Promise.all(
    REAL.map(async ({ name, version }) => {
      const folder = join(foundSet(), 'operators', name, version);
      const image = await publishBundle(folder, `${cluster().registry}/${name}:v${version}`);
      return packageDocuments(name, [{ version, image }]);
    }),
  );
  return documents.flat();
}

async function subscribe(spec: object = {}, namespace = NAMESPACE): Promise<void> {
  await apply(subscriptionTo('gadgets', namespace, { ...SPEC, ...spec }));
}

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await publish(1);
  await makeNamespaces(cluster(), [NAMESPACE, TENANT, ...REAL.map(({ name }) => name)]);
  await kubectl('-n', TENANT, 'create', 'serviceaccount', 'installer');
  await apply(catalogOf('own-kinds', `${cluster().registry}/own-kinds:latest`, { interval: '10s' }));
  await waitFor(cluster(), CATALOG, isReady);
  before = await snapshot(cluster());
});
afterAll(async () => {
  await manager?.stop();
});

describe('with the rights of the manager', () => {
  test('custom resources are installed, with rights on exactly their kind', async () => {
    expect(await mayManagerPatch()).toBe(false);
    await subscribe();
    await waitFor(cluster(), GADGETS, runs('1.0.0'));
    expect(await names(KIND, '-n', NAMESPACE)).toEqual(['first', 'second']);
    const rules = await kubectl('get', 'clusterrole', ROLE, '-o', 'jsonpath={.rules}');
    expect(JSON.parse(rules)).toEqual([
      { apiGroups: ['tiny.example'], resources: ['gadgets'], verbs: ['get', 'watch', 'create', 'patch'] },
    ]);
    expect(await mayManagerPatch()).toBe(true);
  });

  test('one that is deleted is made again', async () => {
    const uid = await field('.metadata.uid');
    await kubectl('-n', NAMESPACE, 'delete', KIND, 'first');
    await until('it is made again', async () => ![uid, ''].includes(await field('.metadata.uid')), {
      timeoutSeconds: 60,
    });
    await waitFor(cluster(), GADGETS, runs('1.0.0'));
  });

  test('one that is edited is put right, and fields that the bundle does not set are left alone', async () => {
    const patch = JSON.stringify({ spec: { size: 9, color: 'red' } });
    await kubectl('-n', NAMESPACE, 'patch', KIND, 'first', '--type=merge', '-p', patch);
    await until('it is put right', async () => (await field('.spec.size')) === '1', { timeoutSeconds: 60 });
    expect(await field('.spec.color')).toBe('red');
  });

  test('the manager follows them again after a restart', async () => {
    await manager.stop();
    manager = await startManager(cluster());
    await kubectl('-n', NAMESPACE, 'delete', KIND, 'second');
    const isBack = async (): Promise<boolean> => (await names(KIND, '-n', NAMESPACE)).includes('second');
    await until('it is made again', isBack, { timeoutSeconds: 60 });
  });

  test('an upgrade changes them, in a version that its CRD begins to serve, and prunes what it does not bring', async () => {
    await publish(2);
    await requestReconcile(cluster(), CATALOG);
    await waitFor(cluster(), GADGETS, runs('1.1.0'));
    expect(await field('.spec.size')).toBe('2');
    await until('the other one is pruned', async () => (await names(KIND, '-n', NAMESPACE)).join() === 'first');
  });

  test('one that is deleted is made again after its version has changed', async () => {
    const uid = await field('.metadata.uid');
    await kubectl('-n', NAMESPACE, 'delete', KIND, 'first');
    await until('it is made again', async () => ![uid, ''].includes(await field('.metadata.uid')), {
      timeoutSeconds: 60,
    });
    expect(await field('.spec.size')).toBe('2');
  });

  test('an upgrade whose operator does not run leaves them as they are, and is rolled back', async () => {
    await subscribe({ onFailure: { ...SPEC.onFailure, progressDeadline: '6s' } });
    await publish(3);
    await requestReconcile(cluster(), CATALOG);
    const failed = await waitFor(cluster(), GADGETS, ({ status }) =>
      JSON.stringify(status?.['quarantined'] ?? []).includes('1.2.0'),
    );
    expect(failed).toBeDefined();
    await waitFor(cluster(), GADGETS, runs('1.1.0'));
    expect(await field('.spec.size')).toBe('2');
  });

  test('a removal waits until the operator has finalized them, and names them', async () => {
    await apply(gadget('of-a-user', {}, NAMESPACE));
    const hold = (finalizers: readonly string[]): Promise<string> =>
      kubectl(
        '-n',
        NAMESPACE,
        'patch',
        'gadget',
        'first',
        '--type=merge',
        '-p',
        JSON.stringify({ metadata: { finalizers } }),
      );
    await hold(['tiny.example/clean-up']);
    await kubectl('-n', NAMESPACE, 'delete', 'subscription.slipway.dev', 'gadgets', '--wait=false');
    await waitFor(cluster(), GADGETS, (one) => /tiny\.example\/clean-up/.test(condition(one, 'Ready')?.message ?? ''));
    expect(await names('deployments', '-n', NAMESPACE)).toEqual([PACKAGE]);
    await hold([]);
    await kubectl('-n', NAMESPACE, 'wait', '--for=delete', 'subscription.slipway.dev/gadgets', '--timeout=180s');
    expect(await names(KIND, '-n', NAMESPACE)).toEqual(['of-a-user']);
    expect(await names('clusterroles', '-l', 'slipway.dev/owner')).toEqual([]);
    await until('the right is gone', async () => !(await mayManagerPatch()));
  });

  test('nothing else is left behind, and nothing at all under Delete', async () => {
    await subscribe({ version: '1.1.0', uninstall: { customResources: 'Delete' } });
    await waitFor(cluster(), GADGETS, runs('1.1.0'));
    await kubectl('-n', NAMESPACE, 'delete', 'subscription.slipway.dev', 'gadgets', '--timeout=180s');
    await expectUnchanged(cluster(), before);
    expect(await names('crds')).not.toContain(CRD);
  });
});

/** All that the operator needs in its namespace, but for its custom resources. */
const RULES = [
  { apiGroups: [''], resources: ['serviceaccounts', 'configmaps', 'services'], verbs: ['*'] },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['*'] },
];
const OWN = { apiGroups: ['tiny.example'], resources: ['gadgets'], verbs: ['get', 'create', 'patch', 'delete'] };

describe('with the rights of an account', () => {
  const subscription = { ...GADGETS, namespace: TENANT };
  const spec = { serviceAccountName: 'installer', watchNamespaces: [TENANT], version: '1.0.0' };
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  const subjects = [{ kind: 'ServiceAccount', name: 'installer', namespace: TENANT }];
  const granting = (rules: readonly object[]): readonly object[] => [
    { ...rbac, kind: 'Role', metadata: { name: 'installer', namespace: TENANT }, rules },
    {
      ...rbac,
      kind: 'RoleBinding',
      metadata: { name: 'installer', namespace: TENANT },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'installer' },
      subjects,
    },
    {
      ...rbac,
      kind: 'ClusterRole',
      metadata: { name: 'gadget-crds' },
      rules: [{ apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['*'] }],
    },
    {
      ...rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'gadget-crds' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gadget-crds' },
      subjects,
    },
  ];

  test('a right that is missing is named, and nothing is applied', async () => {
    await apply(...granting([...RULES, { ...OWN, verbs: ['get'] }]));
    await subscribe(spec, TENANT);
    const refused = await waitFor(cluster(), subscription, (one) => condition(one, 'Ready')?.reason === 'Forbidden');
    expect(condition(refused, 'Ready')?.message).toContain(
      'ServiceAccount tenant/installer lacks the verbs create and patch on gadgets.tiny.example in the namespace tenant',
    );
    expect(await names('deployments', '-n', TENANT)).toEqual([]);
    expect(await names('crds')).not.toContain(CRD);
  });

  test('with it the operator is installed, and the manager has no rights', async () => {
    await apply(...granting([...RULES, OWN]));
    await waitFor(cluster(), subscription, runs('1.0.0'));
    expect(await names(KIND, '-n', TENANT)).toEqual(['first', 'second']);
    expect(await mayManagerPatch()).toBe(false);
  });

  // `make stories` waits for the two minutes
  test('a custom resource that is deleted is made again within two minutes, which no watch reports', async () => {
    await kubectl('-n', TENANT, 'delete', KIND, 'first');
    const isBack = async (): Promise<boolean> => (await names(KIND, '-n', TENANT)).includes('first');
    await until('it is made again', isBack);
  });

  test('nothing is left when it is removed, though the account has lost its rights', async () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: granting([]) });
    await cluster().kubectl(['delete', '-f', '-'], list);
    await kubectl('-n', TENANT, 'delete', 'subscription.slipway.dev', 'gadgets', '--timeout=180s');
    await expectUnchanged(cluster(), before);
  });
});

describe.skipIf(!hasFound)('published bundles', () => {
  beforeAll(async () => {
    await apply(...REAL.map(({ name }) => subscriptionTo(name, name, { package: name })));
  });

  test.each(REAL)('$name is installed', async ({ name, version }) => {
    await waitFor(cluster(), { kind: 'subscription', name, namespace: name }, runs(version));
  });

  test('samples that their CRD accepts are applied', async () => {
    const found = await names('secrets.ecr.mobb.redhat.com', '-n', 'ecr-secret-operator');
    expect(found).toEqual(['ecr-secret-sample']);
  });

  const samples = [
    { name: 'ecr-secret-operator', lacks: '"region" is missing' },
    { name: 'ack-secretsmanager-controller', lacks: '"name" is missing' },
    { name: 'ack-ecs-controller', lacks: '"name" is missing' },
  ];
  test.each(samples.filter(({ name }) => REAL.some((one) => one.name === name)))(
    'samples that no API server takes are named: $name',
    async ({ name, lacks }) => {
      await until('an event names it', async () => {
        const events = await kubectl('-n', name, 'get', 'events.events.k8s.io', '-o', 'jsonpath={.items[*].note}');
        return events.includes(lacks) && events.includes('it is left out');
      });
    },
  );

  test('nothing is left when they are removed', async () => {
    await kubectl('delete', 'subscriptions.slipway.dev', '-A', '--all', '--timeout=180s');
    await expectUnchanged(cluster(), before);
  });
});
