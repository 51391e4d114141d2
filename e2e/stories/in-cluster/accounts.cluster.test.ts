/** The policy that who says what is installed must be allowed to act as whom it is installed as. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, SYSTEM } from '../../lib/manager.ts';
import { subscriptionTo } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';

/** What the role `edit` holds is put together by kube-controller-manager. */
const cluster = useCluster({ only: ['kube-apiserver', 'kube-controller-manager'] });
const NAMESPACE = 'lights';
const ADMIN: readonly string[] = [];
/** May do everything in the namespace that `edit` allows, and everything with Subscriptions and Revisions. */
const TENANT = ['--as', 'tina', '--as-group', 'tenants'];
/** May have Subscriptions, and nothing else. */
const CLERK = ['--as', 'clark', '--as-group', 'clerks'];
/** May impersonate the manager, by a role in its namespace. */
const PLATFORM = ['--as', 'paula', '--as-group', 'platform'];

const KINDS = ['subscriptions', 'revisions'].flatMap((kind) => [`${kind}.slipway.dev`, `${kind}.slipway.dev/status`]);
const SUBSCRIBE = ['--verb=*', `--resource=${KINDS.join(',')}`];

beforeAll(async () => {
  await installSlipway(cluster());
  const create = (...args: readonly string[]): Promise<string> => cluster().kubectl(['create', ...args]);
  await create('namespace', NAMESPACE);
  await create('serviceaccount', 'installer', '-n', NAMESPACE);
  await create('clusterrole', 'subscribe', ...SUBSCRIBE);
  for (const group of ['tenants', 'clerks', 'platform']) {
    await create('rolebinding', `${group}-subscribe`, '-n', NAMESPACE, '--clusterrole=subscribe', `--group=${group}`);
  }
  await create('rolebinding', 'tenants-edit', '-n', NAMESPACE, '--clusterrole=edit', '--group=tenants');
  const manager = ['--verb=impersonate', '--resource=serviceaccounts', '--resource-name=slipway-manager'];
  await create('role', 'act-as-manager', '-n', SYSTEM, ...manager);
  await create('rolebinding', 'platform', '-n', SYSTEM, '--role=act-as-manager', '--group=platform');
  await write(TENANT, 'create', subscription('before', {}));
  await write(ADMIN, 'apply', readPolicy());
  await until('the policy is at work', () => refusalOf(TENANT, subscription('probe', {})));
});

function readPolicy(): string {
  return join(ROOT, 'deploy/policies/accounts.yaml');
}

/** `kubectl VERB -f`, of a file or of text. */
function write(as: readonly string[], verb: 'create' | 'replace' | 'apply', what: string): Promise<string> {
  const isFile = what.endsWith('.yaml');
  return cluster().kubectl([...as, verb, '-f', isFile ? what : '-'], isFile ? undefined : what);
}

/** What the API server says against creating it; undefined where it would. */
async function refusalOf(as: readonly string[], object: string): Promise<string | undefined> {
  const args = [...as, 'create', '--dry-run=server', '-f', '-'];
  return cluster()
    .kubectl(args, object)
    .then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
}

function subscription(name: string, spec: object): string {
  return subscriptionTo(name, NAMESPACE, { package: 'beacon-operator', ...spec });
}

describe('a Subscription that names no account', () => {
  test.each([
    { who: 'a tenant', as: TENANT },
    { who: 'who has nothing but Subscriptions', as: CLERK },
  ])('is refused from $who: it would be installed with the rights of the manager', async ({ as }) => {
    const refusal = await refusalOf(as, subscription('beacon', {}));
    expect(refusal).toContain('without spec.serviceAccountName it would act as the manager');
    expect(refusal).toContain(`ServiceAccount ${SYSTEM}/slipway-manager, which ${as[1]} may not impersonate`);
  });

  test.each([
    { who: 'a cluster administrator', as: ADMIN },
    { who: 'a group that may impersonate the manager', as: PLATFORM },
  ])('is accepted from $who', async ({ as }) => {
    expect(await refusalOf(as, subscription('beacon', {}))).toBeUndefined();
  });
});

describe('a Subscription that names an account', () => {
  test('is accepted from who may act as it', async () => {
    expect(await refusalOf(TENANT, subscription('beacon', { serviceAccountName: 'installer' }))).toBeUndefined();
  });

  test('is refused from who may not: to name an account is to act as it', async () => {
    expect(await refusalOf(CLERK, subscription('beacon', { serviceAccountName: 'installer' }))).toContain(
      `it would act as ServiceAccount ${NAMESPACE}/installer, which clark may not impersonate`,
    );
  });

  test('cannot lose it', async () => {
    await write(TENANT, 'create', subscription('own', { serviceAccountName: 'installer' }));
    const patch = JSON.stringify({ spec: { serviceAccountName: null } });
    const taken = cluster().kubectl([
      ...TENANT,
      'patch',
      'subscription',
      'own',
      '-n',
      NAMESPACE,
      '--type=merge',
      '-p',
      patch,
    ]);
    await expect(taken).rejects.toThrow('it would act as the manager');
  });
});

describe('a Subscription of the manager that was there before', () => {
  const change = (as: readonly string[], patch: object): Promise<string> =>
    cluster().kubectl([
      ...as,
      'patch',
      'subscription',
      'before',
      '-n',
      NAMESPACE,
      '--type=merge',
      '-p',
      JSON.stringify(patch),
    ]);

  test('may be annotated by anybody who may write it: that installs nothing', async () => {
    await change(TENANT, { metadata: { annotations: { 'slipway.dev/reconcile-requested-at': 'now' } } });
  });

  test.each([
    { patch: { spec: { channel: 'beta' } } },
    { patch: { spec: { config: { deployments: [] } } } },
    { patch: { spec: { approval: 'Manual' } } },
  ])('may not be changed by a tenant: $patch', async ({ patch }) => {
    await expect(change(TENANT, patch)).rejects.toThrow('it would act as the manager');
    await change(ADMIN, patch);
  });

  test('may be handed over to an account', async () => {
    await change(TENANT, { spec: { serviceAccountName: 'installer' } });
  });
});

test('the manager itself is not in its own way: it makes Subscriptions for what others depend on', async () => {
  const kubeconfig = ['--kubeconfig', await cluster().kubeconfigFor(SYSTEM, 'slipway-manager')];
  expect(await refusalOf(kubeconfig, subscription('needed', {}))).toBeUndefined();
  expect(await refusalOf(kubeconfig, subscription('needed', { serviceAccountName: 'installer' }))).toBeUndefined();
});

describe('a Revision', () => {
  const revision = (spec: object): string =>
    JSON.stringify({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Revision',
      metadata: { name: 'beacon-1', namespace: NAMESPACE },
      spec: {
        subscription: 'before',
        number: 1,
        package: 'beacon-operator',
        bundle: 'beacon-operator.v1.0.0',
        version: '1.0.0',
        catalog: 'examples',
        image: `registry.example/beacon@sha256:${'0'.repeat(64)}`,
        configHash: 'x',
        manifests: { secrets: ['mine'], digest: `sha256:${'0'.repeat(64)}`, objects: 1 },
        certificates: 'Manager',
        state: 'Active',
        approved: true,
        ...spec,
      },
    });

  test('that a tenant makes is not applied with the rights of the manager', async () => {
    expect(await refusalOf(TENANT, revision({}))).toContain('it would act as the manager');
    expect(await refusalOf(ADMIN, revision({}))).toBeUndefined();
  });

  test('does not list as installed what a tenant says: it would be removed with the rights of the manager', async () => {
    const other = revision({ serviceAccountName: 'installer' }).replace('beacon-1', 'beacon-2');
    await write(ADMIN, 'create', other);
    const stolen = {
      apiVersion: 'v1',
      kind: 'Namespace',
      name: 'kube-system',
      uid: (await cluster().kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'])).trim(),
      hash: 'x',
    };
    const { apiVersion, kind, metadata } = JSON.parse(other) as Readonly<Record<string, unknown>>;
    const status = JSON.stringify({ apiVersion, kind, metadata, status: { inventory: [stolen] } });
    const change = (as: readonly string[]): Promise<string> =>
      cluster().kubectl(
        [...as, 'apply', '--server-side', '--subresource=status', '--validate=false', '-f', '-'],
        status,
      );
    await expect(change(TENANT)).rejects.toThrow('its status is written by the manager');
    await change(['--kubeconfig', await cluster().kubeconfigFor(SYSTEM, 'slipway-manager')]);
  });

  test('is approved by who may act as whom it is applied as', async () => {
    await write(ADMIN, 'create', revision({ approved: false }));
    const approve = [
      'patch',
      'revision',
      'beacon-1',
      '-n',
      NAMESPACE,
      '--type=merge',
      '-p',
      '{"spec":{"approved":true}}',
    ];
    await expect(cluster().kubectl([...TENANT, ...approve])).rejects.toThrow('it would act as the manager');
    await cluster().kubectl([...PLATFORM, ...approve]);
  });
});
