/** What the tests of the manager's rights share: the rules, a catalog with a package for each, and the manager. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { KINDS } from '../../../api/kinds.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { installSlipway, ROOT, SYSTEM } from '../../lib/manager.ts';
import { catalogOf, list, subscriptionTo } from '../../lib/objects.ts';
import { programFile } from '../../../scripts/test-programs.ts';
import { COMPILE_CACHE } from '../../lib/shared.ts';
import { packageDocuments, publishCatalog, publishFiles } from '../../lib/publish.ts';
import { csvOf, FOREIGN, NEEDED, type Package } from './rights-cases.ts';

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly Rule[];
}

export const ACCOUNT = `system:serviceaccount:${SYSTEM}:slipway-manager`;
const documents = loadAll(readFileSync(join(ROOT, 'deploy/rbac/rbac.yaml'), 'utf8')) as Role[];
export const clusterRole: Role = documents.find(({ kind }) => kind === 'ClusterRole')!;
export const role: Role = documents.find(({ kind }) => kind === 'Role')!;

/** `group/resource` of the first; what is not about objects of the kind has its verb beside it. */
export function keyOf({ apiGroups: [group = ''], resources: [resource = ''], verbs }: Rule): string {
  return `${group}/${resource}${verbs.includes('impersonate') ? '#impersonate' : ''}`;
}

/** Slipway without its manager, what other products bring, and a Catalog of the packages. */
export async function setScene(cluster: TestCluster, packages: Iterable<Package>): Promise<void> {
  // The policy asks for `impersonate` at each write of the manager, and would hide which right is missing.
  await installSlipway(cluster, { policy: false });
  await apply(cluster, FOREIGN.map(crdOf));
  const version = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', metadata: { name: 'version' } };
  await apply(cluster, [{ ...version, status: { desired: { version: '4.18.0' } } }]);
  await publish(cluster, [...packages, ...NEEDED]);
  await apply(cluster, [JSON.parse(catalogOf('rights', `${cluster.registry}/catalog:latest`)) as object]);
}

async function publish({ registry }: TestCluster, packages: readonly Package[]): Promise<void> {
  const lists = await Promise.all(
    packages.map(async (one) => {
      const image = await publishFiles(bundleOf(one), `${registry}/${one.name}:v1.0.0`);
      const properties = (one.dependencies ?? []) as never;
      return packageDocuments(one.name, [{ version: '1.0.0', image, properties }]);
    }),
  );
  await publishCatalog(lists.flat(), `${registry}/catalog:latest`);
}

function bundleOf(one: Package): Map<string, Uint8Array> {
  const annotations = {
    'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
    'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
    'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
    'operators.operatorframework.io.bundle.package.v1': one.name,
    'operators.operatorframework.io.bundle.channels.v1': 'stable',
  };
  const manifests = [csvOf(one), ...(one.manifests ?? [])];
  return new Map<string, Uint8Array>([
    ...manifests.map((object, index) => [`manifests/${index}.json`, Buffer.from(JSON.stringify(object))] as const),
    ['metadata/annotations.yaml', Buffer.from(JSON.stringify({ annotations }))],
  ]);
}

function crdOf({ apiVersion, kind, plural, scope = 'Namespaced' }: (typeof FOREIGN)[number]): object {
  const [group = '', version] = apiVersion.split('/');
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  // The name of a foreign group of Kubernetes' own has to be approved.
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, for tests' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations },
    spec: {
      group,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

/** A Subscription to each package, in a namespace with an account that has no rights. */
export async function subscribe(
  cluster: TestCluster,
  packages: readonly Package[],
  namespaceOf: (name: string) => string,
): Promise<void> {
  const named = packages.map((one) => ({ ...one, namespace: namespaceOf(one.name) }));
  await apply(
    cluster,
    named.flatMap(({ namespace }) => [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'tenant', namespace } },
    ]),
  );
  await apply(
    cluster,
    named.flatMap(({ name, namespace, subscription, occupied }) => {
      const other = occupied === undefined ? [] : [subscriptionTo(occupied, namespace, { package: 'nobody-has-this' })];
      const own = subscriptionTo(name, namespace, { package: name, ...subscription?.(namespace) });
      return [...other, own].map((text) => JSON.parse(text) as object);
    }),
  );
}

/** `kubectl apply`, taking over fields that others own. */
export async function apply(cluster: TestCluster, objects: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list));
}

interface Said {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

/** All objects of ours, and the events of all. */
export async function everythingSaid(cluster: TestCluster): Promise<readonly Said[]> {
  const events = cluster.read('/apis/events.k8s.io/v1/events').then(({ items }) => items as readonly Said[]);
  return (await Promise.all([...KINDS.map(({ singular }) => list<Said>(cluster, singular)), events])).flat();
}

/** The manager as a process. */
export interface Running {
  log(): string;
  stop(): Promise<void>;
}

/** Starts it; unlike startManager this does not wait for it to be ready, as it may never be. */
export async function start(cluster: TestCluster, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const folder = mkdtempSync(join(cluster.folder, 'manager-'));
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'a');
  const { hostname, port } = new URL(cluster.server);
  const child: ChildProcess = spawn(process.execPath, [programFile('manager')], {
    cwd: folder,
    env: {
      ...COMPILE_CACHE,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      SLIPWAY_ACCOUNT_FOLDER: await cluster.podFiles(SYSTEM, 'slipway-manager'),
      SLIPWAY_LISTEN: '127.0.0.1:0',
      SLIPWAY_LISTEN_PROBES: '127.0.0.1:0',
      SLIPWAY_DATA_FOLDER: join(folder, 'data'),
      SLIPWAY_LEADER_ELECT: 'false',
      // An event that cannot be sent is no reason for a warning.
      SLIPWAY_LOG_LEVEL: 'debug',
      ...env,
    },
    stdio: ['ignore', output, output],
  });
  return {
    log: () => readFileSync(logFile, 'utf8'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
