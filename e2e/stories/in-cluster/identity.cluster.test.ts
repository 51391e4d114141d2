/** Whom the manager may act as: asked of the API server with the manager's token. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, SYSTEM } from '../../lib/manager.ts';

const cluster = useCluster({ only: ['kube-apiserver'] });
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
