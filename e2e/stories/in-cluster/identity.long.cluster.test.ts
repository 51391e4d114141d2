/**
 * The accounts that the manager may impersonate, and the leases that it may write: the API server is asked with the
 * manager's token.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, SYSTEM } from '../../lib/manager.ts';

const cluster = useCluster();
let kubeconfig: string;

beforeAll(async () => {
  await installSlipway(cluster());
  await cluster().kubectl(['create', 'namespace', 'tenants']);
  await cluster().kubectl(['-n', 'tenants', 'create', 'serviceaccount', 'installer']);
  kubeconfig = await cluster().kubeconfigFor(SYSTEM, 'slipway-manager');
});

/** `kubectl` as the manager. */
function asManager(...args: readonly string[]): Promise<string> {
  return cluster().kubectl(['--kubeconfig', kubeconfig, ...args]);
}

const TENANT = 'system:serviceaccount:tenants:installer';

describe('the manager', () => {
  test('acts as a ServiceAccount, which then has the groups that every account of its namespace has', async () => {
    const review = JSON.parse(await asManager('--as', TENANT, 'auth', 'whoami', '-o', 'json')) as {
      readonly status: { readonly userInfo: { readonly username: string; readonly groups: readonly string[] } };
    };
    expect(review.status.userInfo.username).toBe(TENANT);
    expect(review.status.userInfo.groups.toSorted()).toEqual([
      'system:authenticated',
      'system:serviceaccounts',
      'system:serviceaccounts:tenants',
    ]);
  });

  test.each([
    { as: ['--as', 'jane'], resource: 'users', because: 'a user may have any right' },
    { as: ['--as', 'system:admin'], resource: 'users', because: 'a user may have any right' },
    {
      as: ['--as', TENANT, '--as-group', 'system:masters'],
      resource: 'groups',
      because: 'its members may do everything',
    },
    {
      as: ['--as', TENANT, '--as-group', 'system:serviceaccounts:kube-system'],
      resource: 'groups',
      because: 'an account is not of a namespace that is not its own',
    },
    { as: ['--as', TENANT, '--as-user-extra', 'scopes=all'], resource: 'userextras', because: 'nothing needs it' },
    { as: ['--as', TENANT, '--as-uid', '1'], resource: 'uids', because: 'nothing needs it' },
  ])('is refused where it would act as $as, since $because', async ({ as, resource }) => {
    await expect(asManager(...as, 'get', '--raw', '/version')).rejects.toThrow(
      `cannot impersonate resource "${resource}`,
    );
  });
});

describe('of the leases of its namespace, the manager', () => {
  const OWN = 'slipway-manager';

  const lease = (name: string): string =>
    JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace: SYSTEM } });
  const asManagerWith = (input: string, ...args: readonly string[]): Promise<string> =>
    cluster().kubectl(['--kubeconfig', kubeconfig, '-n', SYSTEM, ...args, '-f', '-'], input);

  test('makes, reads and renews its own', async () => {
    await asManagerWith(lease(OWN), 'create');
    const made = await asManager('-n', SYSTEM, 'get', 'lease', OWN, '-o', 'json');
    await asManagerWith(made, 'replace');
  });

  test.each([
    { verb: 'get', args: ['get', 'lease', 'of-another'] },
    { verb: 'patch', args: ['annotate', 'lease', OWN, 'a=b'] },
  ])('has no right to $verb: $args', async ({ verb, args }) => {
    await cluster().kubectl(['apply', '-f', '-'], lease('of-another'));
    await expect(asManager('-n', SYSTEM, ...args)).rejects.toThrow(`cannot ${verb} resource "leases"`);
  });

  test('does not take that of another', async () => {
    await cluster().kubectl(['apply', '-f', '-'], lease('of-another'));
    await expect(asManagerWith(lease('of-another'), 'replace')).rejects.toThrow('cannot update resource "leases"');
  });
});
