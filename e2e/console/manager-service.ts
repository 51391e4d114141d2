/**
 * The Service of the manager for a manager that is a process of this machine. API servers forward requests for a Service to
 * no loopback address; so a proxy before the API server answers these from the process, and passes all others on.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '../cluster/certificates.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { buildKubeconfig } from '../cluster/kubeconfig.ts';
import { startFaultProxy } from '../lib/fault-proxy.ts';
import { SYSTEM } from '../lib/manager.ts';

const SERVICE = `/api/v1/namespaces/${SYSTEM}/services/http:slipway-manager:http/proxy`;

/** The person whose kubeconfig it is: an administrator. */
const PERSON = { namespace: 'default', name: 'console-reader' };
const SUBJECT = { kind: 'ServiceAccount', ...PERSON };
const OBJECTS = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: PERSON },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: PERSON.name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [SUBJECT],
  },
];

export interface ManagerService extends AsyncDisposable {
  /** Path of the kubeconfig of an administrator who reaches the manager by its Service. */
  readonly kubeconfig: string;
}

/** Leads the Service to the manager of the address `http://127.0.0.1:port`. */
export async function serveManager(cluster: TestCluster, manager: { readonly url: string }): Promise<ManagerService> {
  const authority = await createAuthority('slipway-test-service');
  const pair = await authority.issue({ commonName: 'proxy', ipAddresses: ['127.0.0.1'] });
  const proxy = await startFaultProxy({
    upstream: new URL(cluster.server),
    tls: { key: pair.privatePem, cert: pair.publicPem, upstreamCa: cluster.ca },
    divert: (path) => (path.startsWith(SERVICE) ? new URL(path.slice(SERVICE.length), manager.url) : undefined),
  });
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: OBJECTS }));
  const credentials = { token: await cluster.token(PERSON.namespace, PERSON.name) };
  const server = `https://127.0.0.1:${proxy.port}`;
  const folder = join(cluster.folder, 'tmp');
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, `service-${proxy.port}.kubeconfig`);
  writeFileSync(kubeconfig, buildKubeconfig({ server, ca: authority.certificatePem, credentials }), { mode: 0o600 });
  return { kubeconfig, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}
