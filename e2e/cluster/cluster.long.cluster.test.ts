import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useCluster } from '../lib/cluster.ts';
import { startCluster, type TestCluster } from './cluster.ts';
import { identify } from './process-identity.ts';
import { until } from '../lib/until.ts';

describe('a cluster with everything', () => {
  const cluster = useCluster();

  test('is ready when it is handed over: the API answers and the Node accepts Pods', async () => {
    expect(await cluster().kubectl(['get', '--raw', '/readyz'])).toBe('ok');
    const node = JSON.parse(await cluster().kubectl(['get', 'node', 'fake-0', '-o', 'json'])) as Node;
    expect(node.spec.taints ?? []).toEqual([]);
    await cluster().kubectl(['create', 'serviceaccount', 'immediately']);
  });

  test('reports the version of Kubernetes that it was built from', async () => {
    const version = JSON.parse(await cluster().kubectl(['get', '--raw', '/version'])) as Record<string, string>;
    expect(version).toMatchObject({ major: '1', minor: '36' });
    expect(version['gitVersion']).toMatch(/^v1\.36\.\d+$/);
  });

  test('a Deployment becomes available, and its Pods are deleted with it', async () => {
    const { kubectl } = cluster();
    await kubectl(['create', 'deployment', 'web', '--image=example/web:1', '--replicas=3']);
    await kubectl(['rollout', 'status', 'deployment/web', '--timeout=180s']);
    await kubectl(['delete', 'deployment', 'web']);
    await kubectl(['wait', '--for=delete', 'pods', '-l', 'app=web', '--timeout=180s']);
  });

  test('a Job completes', async () => {
    const { kubectl } = cluster();
    await kubectl(['create', 'job', 'once', '--image=example/once:1']);
    await kubectl(['wait', '--for=condition=Complete', 'job/once', '--timeout=180s']);
    await kubectl(['delete', 'job', 'once']);
  });

  test('rights are enforced: a ServiceAccount can do what it was given and nothing else', async () => {
    const { kubectl, kubeconfigFor } = cluster();
    await kubectl(['create', 'namespace', 'tenant']);
    await kubectl(['create', 'serviceaccount', 'reader', '-n', 'tenant']);
    await kubectl(['create', 'role', 'reader', '-n', 'tenant', '--verb=list', '--resource=configmaps']);
    await kubectl([
      'create',
      'rolebinding',
      'reader',
      '-n',
      'tenant',
      '--role=reader',
      '--serviceaccount=tenant:reader',
    ]);
    const as = `--kubeconfig=${await kubeconfigFor('tenant', 'reader')}`;
    await until('it lists the ConfigMap that a component makes in each namespace', async () =>
      (await kubectl([as, 'get', 'configmaps', '-o', 'name'])).includes('configmap/kube-root-ca.crt'),
    );
    await expect(kubectl([as, 'get', 'secrets'])).rejects.toThrow('cannot list resource "secrets"');
  });

  test('a token identifies the account for which it was requested', async () => {
    const claims = decode(await cluster().token('default', 'default', { audience: 'someone-else' }));
    expect(claims).toMatchObject({ aud: ['someone-else'], sub: 'system:serviceaccount:default:default' });
  });

  test('the files of a Pod are those of its ServiceAccount, with a new token each time', async () => {
    const folder = await cluster().podFiles('default', 'default');
    const token = readFileSync(`${folder}/token`, 'utf8');
    expect(readFileSync(`${folder}/namespace`, 'utf8')).toBe('default');
    expect(readFileSync(`${folder}/ca.crt`, 'utf8')).toBe(cluster().ca);
    await cluster().podFiles('default', 'default');
    expect(decode(readFileSync(`${folder}/token`, 'utf8'))['jti']).not.toBe(decode(token)['jti']);
  });
});

describe('the components', () => {
  const cluster = useCluster({ only: ['kube-apiserver'], audit: true });

  test('only the requested components run, with those that they need', () => {
    expect([...cluster().processes().keys()].sort()).toEqual(['etcd', 'kube-apiserver']);
  });

  test('every request is in the audit log, with its user', async () => {
    await cluster().kubectl(['get', 'configmaps', '-n', 'kube-system']);
    const seen = (): boolean =>
      readFileSync(`${cluster().folder}/audit.jsonl`, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { requestURI: string; user: { username: string } })
        .some(({ requestURI, user }) => requestURI.includes('/kube-system/configmaps') && user.username === 'admin');
    await until('it is recorded', seen);
  });

  test('an API server that is restarted is another process with the same objects', async () => {
    await cluster().kubectl(['create', 'namespace', 'kept']);
    const before = cluster().processes().get('kube-apiserver');
    await cluster().restart('kube-apiserver');
    expect(cluster().processes().get('kube-apiserver')).not.toBe(before);
    expect(await cluster().kubectl(['get', 'namespace', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
  });

  test('an API server that was killed stays away until it is restarted', async () => {
    await cluster().kill('kube-apiserver');
    expect(cluster().processes().has('kube-apiserver')).toBe(false);
    await expect(cluster().kubectl(['get', '--raw', '/readyz'])).rejects.toThrow('refused');
    await cluster().restart('kube-apiserver');
    expect(await cluster().kubectl(['get', '--raw', '/readyz'])).toBe('ok');
  });

  test('a paused API server answers nothing, and all requests once it continues', async () => {
    await cluster().pause('kube-apiserver');
    await expect(cluster().kubectl(['get', 'namespaces', '--request-timeout=1s'])).rejects.toThrow(/imeout|deadline/);
    await cluster().resume('kube-apiserver');
    expect(await cluster().kubectl(['get', 'namespace', 'default', '-o', 'name'])).toBe('namespace/default\n');
  });
});

test('a flag that kube-apiserver does not know is an error with the message of kube-apiserver, and leaves no process', async () => {
  const start = startCluster({ name: 'refused', only: ['kube-apiserver'], apiServerFlags: ['--no-such-flag'] });
  await expect(start).rejects.toThrow('unknown flag: --no-such-flag');
  const again = await startCluster({ name: 'refused', only: ['registry'] });
  await again.stop();
});

test('clusters side by side know nothing of each other, and are gone when they are stopped', async () => {
  const start = (): Promise<TestCluster> => startCluster({ only: ['kube-apiserver', 'registry'] });
  const [one, other] = await Promise.all([start(), start()]);
  await one.kubectl(['create', 'namespace', 'only-here']);
  await expect(other.kubectl(['get', 'namespace', 'only-here'])).rejects.toThrow('not found');
  const pids = [...one.processes().values(), ...other.processes().values()];
  expect(new Set(pids).size).toBe(6);
  await Promise.all([one.stop(), other.stop()]);
  expect(pids.filter((pid) => identify(pid) !== undefined)).toEqual([]);
  expect([one, other].filter(exists)).toEqual([]);
});

interface Node {
  readonly spec: { readonly taints?: readonly unknown[] };
}

function decode(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
}

function exists({ folder }: TestCluster): boolean {
  return existsSync(folder);
}
