/**
 * A fresh cluster for one measurement, with namespaces made, bundles published and, where the product is measured,
 * the manager running and warm. Each measurement has a cluster of its own: an API server that has seen many CRDs come
 * and go is many times slower.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, type Client } from '../../kube/client/client.ts';
import { createInformer, type Informer } from '../../kube/watch/informer.ts';
import { loadKubeconfig } from '../../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../../kube/transport/transport.ts';
import { bundlePrograms } from '../../scripts/build/bundle.ts';
import { ENVIRONMENT, MANAGER_ENTRIES, NODE_OPTIONS } from '../../scripts/build/manager-image.ts';
import { startCluster, type TestCluster } from '../cluster/cluster.ts';
import type { ClusterOptions } from '../cluster/options.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../lib/manager.ts';
import { packageDocuments, push, publishCatalog } from '../lib/publish.ts';
import { until } from '../lib/until.ts';
import { warmUpFor, type BenchOperator, type BenchVersion } from './operators.ts';

export interface Stage extends AsyncDisposable {
  readonly cluster: TestCluster;
  /** With all rights, for setting up and looking. */
  readonly admin: Client;
  /** What is installed before anything is measured, so that nothing is measured twice as slow for being the first. */
  readonly warmUp: BenchOperator;
  /** Stops everything of the stage at its end. */
  readonly signal: AbortSignal;
  /** Follows a kind; resolves when it is synced. */
  follow(kind: Pick<Informer, 'apiVersion' | 'kind'>): Promise<Informer>;
}

/** Requests per second of the controllers of Kubernetes, which create the Pods, and of the pretended nodes. */
export type StageOptions = Pick<ClusterOptions, 'kubeApiQps'>;

/** Starts a cluster with the registry and the tools that both sides need. */
export async function openStage(operators: readonly BenchOperator[], options: StageOptions = {}): Promise<Stage> {
  const cluster = await startCluster({ audit: true, ...options });
  const { config } = await loadKubeconfig(cluster.kubeconfig);
  const transport = createTransport(config, { userAgent: 'bench' });
  const over = new AbortController();
  const admin = createClient(transport);
  await installSlipway(cluster);
  const warmUp = warmUpFor(operators);
  await Promise.all([warmUp, ...operators].map(({ name }) => createNamespace(admin, name)));
  return {
    cluster,
    admin,
    warmUp,
    signal: over.signal,
    async follow(kind) {
      const informer = createInformer({ client: admin, ...kind });
      informer.start(over.signal);
      await informer.synced;
      return informer;
    },
    async [Symbol.asyncDispose]() {
      over.abort(new Error('the measurement is over'));
      transport.close();
      await cluster.stop();
    },
  };
}

/** Publishes every version of the operators and one catalog of them all. */
export async function publishAll({ cluster }: Stage, operators: readonly BenchOperator[]): Promise<string> {
  const documents = await Promise.all(operators.map((operator) => publishOperator(cluster.registry, operator)));
  return publishCatalog(documents.flat(), `${cluster.registry}/catalog:latest`);
}

/** Publishes the first version of an operator; returns the reference by digest. */
export function publishFirst({ cluster }: Pick<Stage, 'cluster'>, { name, from }: BenchOperator): Promise<string> {
  return publishVersion(cluster.registry, name, from);
}

async function publishOperator(registry: string, { name, from, to }: BenchOperator): Promise<readonly object[]> {
  const versions = from.version === to.version ? [from] : [from, to];
  const published = await Promise.all(
    versions.map(async (version, index) => ({
      version: version.version,
      image: await publishVersion(registry, name, version),
      ...(index > 0 && { replaces: from.version }),
    })),
  );
  return packageDocuments(name, published);
}

const LABELS = {
  'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
  'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
  'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
};

function publishVersion(registry: string, name: string, { version, files }: BenchVersion): Promise<string> {
  return push(`${registry}/${name}:v${version}`, { files, labels: LABELS });
}

async function createNamespace(admin: Client, name: string): Promise<void> {
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: name, name: 'default' };
  await until(`namespace ${name} is ready`, () => admin.get(account));
}

/** Starts the manager in the stage's cluster as its image does: bundled, and with the options of Node from there. */
export async function startMeasured(
  { cluster }: Pick<Stage, 'cluster'>,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = NODE_OPTIONS,
): Promise<RunningManager> {
  const folder = join(cluster.folder, 'program');
  const { files } = await (bundled ??= bundlePrograms(MANAGER_ENTRIES));
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  return startManager(cluster, { ...ENVIRONMENT, ...env }, [...nodeOptions, join(folder, 'manager.js')]);
}

let bundled: ReturnType<typeof bundlePrograms> | undefined;

/** A CRD that is deleted within its first second can hang for minutes, whichever program deletes it. */
export function settleDown(): Promise<void> {
  return pause(2500);
}

/** The account that both sides act as: the API server does the same work to check their rights. */
export const ACTOR = { namespace: SYSTEM, name: 'slipway-manager' } as const;
