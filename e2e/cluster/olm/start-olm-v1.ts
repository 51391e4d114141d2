/**
 * Runs OLM v1 beside a control plane, as processes in the network namespace of the cluster. Both read the token of their
 * ServiceAccount from the one path at which Pods have it, so each gets a mount namespace with a file there.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil, type Admin } from '../admin.ts';
import { COMPONENTS_KUBECONFIG } from '../components.ts';
import type { ClusterNetwork } from '../node/network.ts';
import { runTool } from '../run-tool.ts';
import type { Boot } from '../start-components.ts';
import { moduleSource } from './module-source.ts';
import { answerServices } from './start-services.ts';

const NAMESPACE = 'olmv1-system';
const ACCOUNT = 'olm';
/** Where catalogd serves catalogs to operator-controller; the certificate of the API server has this name. */
const CATALOGS = 'localhost:9444';
const READY_WITHIN_SECONDS = 120;

const CRDS = [
  'helm/olmv1/base/catalogd/crd/standard/olm.operatorframework.io_clustercatalogs.yaml',
  'helm/olmv1/base/operator-controller/crd/standard/olm.operatorframework.io_clusterextensions.yaml',
];

export interface OlmV1Parts {
  readonly network: ClusterNetwork;
  readonly admin: Admin;
  /** `host:port` of the registry, which speaks no TLS. */
  readonly registry: string;
}

/** Resolves when both programs of OLM v1 reconcile. */
export async function startOlmV1(boot: Boot, { network, admin, registry }: OlmV1Parts): Promise<void> {
  const { supervisor } = boot;
  await Promise.all([applyCrds(boot), createAccount(admin), answerServices(boot, network)]);
  const files = await writeFiles(boot, { admin, registry });
  const probes = { catalogd: `${network.gateway}:8081`, 'operator-controller': `${network.gateway}:8082` };
  await start(boot, files, {
    program: 'catalogd',
    probes: probes.catalogd,
    args: [
      `--catalogs-server-addr=${CATALOGS}`,
      `--external-address=${CATALOGS}`,
      '--metrics-bind-address=127.0.0.1:7443',
      `--cache-dir=${files.cacheOf('catalogd')}`,
      `--tls-cert=${join(boot.folder, 'pki', 'apiserver.crt')}`,
      `--tls-key=${join(boot.folder, 'pki', 'apiserver.key')}`,
    ],
  });
  await start(boot, files, {
    program: 'operator-controller',
    probes: probes['operator-controller'],
    args: [`--cache-path=${files.cacheOf('operator-controller')}`, `--catalogd-cas-dir=${files.authorities}`],
  });
  const areReady = async (): Promise<boolean> => (await Promise.all(Object.values(probes).map(isReady))).every(Boolean);
  await waitUntil(areReady, {
    what: 'Starting OLM v1',
    timeoutSeconds: READY_WITHIN_SECONDS,
    failure: () => supervisor.ended('catalogd') ?? supervisor.ended('operator-controller'),
  });
}

async function applyCrds({ folder, binaries }: Boot): Promise<void> {
  const source = await moduleSource('olm-v1', 'github.com/operator-framework/operator-controller');
  const names = CRDS.flatMap((file) => ['-f', join(source, file)]);
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG: join(folder, 'kubeconfig') };
  const kubectl = (args: readonly string[]): Promise<string> => runTool(binaries.get('kubectl')!, { args, env });
  await kubectl(['apply', '--server-side', ...names]);
  await kubectl(['wait', '--for=condition=Established', '--timeout=180s', ...names]);
}

async function createAccount(admin: Admin): Promise<void> {
  await admin.call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await admin.call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: ACCOUNT } });
}

interface Files {
  readonly token: string;
  /** Folder of the certificates that operator-controller trusts. */
  readonly authorities: string;
  readonly registries: string;
  cacheOf(program: string): string;
}

async function writeFiles({ folder }: Boot, { admin, registry }: Omit<OlmV1Parts, 'network'>): Promise<Files> {
  const base = join(folder, 'olm-v1');
  const [token, authorities, registries] = ['token', 'authorities', 'registries.conf'].map((name) => join(base, name)) as [string, string, string]; // prettier-ignore
  mkdirSync(authorities, { recursive: true });
  copyFileSync(join(folder, 'pki', 'ca.crt'), join(authorities, 'ca.crt'));
  writeFileSync(registries, `[[registry]]\nlocation = "${registry}"\ninsecure = true\n`);
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${ACCOUNT}/token`;
  const { status } = (await admin.call('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  })) as { readonly status: { readonly token: string } };
  writeFileSync(token, status.token, { mode: 0o600 });
  const cacheOf = (program: string): string => join(base, 'cache', program);
  for (const program of ['catalogd', 'operator-controller']) mkdirSync(cacheOf(program), { recursive: true });
  return { token, authorities, registries, cacheOf };
}

interface Program {
  readonly program: 'catalogd' | 'operator-controller';
  /** Address of its health probes. */
  readonly probes: string;
  readonly args: readonly string[];
}

const WITH_TOKEN = `
  mount -t tmpfs tmpfs /run
  mkdir -p /run/secrets/kubernetes.io/serviceaccount
  cp "$1" /run/secrets/kubernetes.io/serviceaccount/token
  shift
  exec "$@"`;

function start(
  { folder, binaries, supervisor }: Boot,
  files: Files,
  { program, probes, args }: Program,
): Promise<void> {
  const common = [`--system-namespace=${NAMESPACE}`, `--health-probe-bind-address=${probes}`];
  const command = [binaries.get(program)!, ...common, ...args];
  return supervisor.start({
    name: program,
    program: 'unshare',
    args: ['--mount', 'sh', '-ec', WITH_TOKEN, 'sh', files.token, ...command],
    env: { KUBECONFIG: join(folder, COMPONENTS_KUBECONFIG), CONTAINERS_REGISTRIES_CONF: files.registries },
  });
}

async function isReady(probes: string): Promise<boolean> {
  return (await fetch(`http://${probes}/readyz`)).ok;
}
