import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCluster } from '../../e2e/lib/cluster.ts';
import { createClient, type Client } from './client.ts';
import { loadKubeconfig } from '../kubeconfig/kubeconfig.ts';
import type { RequestFacts } from '../transport/api-request.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

/** An API server that accepts two reads and one write at a time from everyone except administrators. */
const cluster = useCluster({
  only: ['kube-apiserver'],
  apiServerFlags: [
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=2',
    '--max-mutating-requests-inflight=1',
  ],
});

let admin: Transport;
let transport: Transport;
let client: Client;
const seen: RequestFacts[] = [];

beforeAll(async () => {
  const { config } = await loadKubeconfig(cluster().kubeconfig);
  admin = createTransport(config);
  const setup = createClient(admin);
  await setup.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'busy', namespace: 'default' } });
  await setup.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'busy' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'busy', namespace: 'default' }],
  });
  const busy = await loadKubeconfig(await cluster().kubeconfigFor('default', 'busy'));
  transport = createTransport(busy.config, { onRequest: (facts) => void seen.push(facts) });
  client = createClient(transport);
});

afterAll(() => {
  transport.close();
  admin.close();
});

test('requests that get 429 with Retry-After are sent later, and each succeeds exactly once', async () => {
  const outcomes: PromiseSettledResult<unknown>[] = [];
  // On a busy machine it may take several rounds until two requests meet at the server.
  for (let round = 0; round < 20 && !wasRefused(); round++) {
    outcomes.push(...(await Promise.allSettled(Array.from({ length: 60 }, (_, at) => create(`busy-${round}-${at}`)))));
  }
  expect(wasRefused()).toBe(true);
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  for (const failure of failures) {
    expect(failure).toMatchObject({ reason: 'ApiUnavailable', code: 429, retry: { afterSeconds: 1 } });
  }
  expect(seen.filter(({ status }) => status === 201)).toHaveLength(outcomes.length - failures.length);
});

function create(name: string): Promise<unknown> {
  return client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
}

function wasRefused(): boolean {
  return seen.some(({ status }) => status === 429);
}
