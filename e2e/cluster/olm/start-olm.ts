/**
 * Runs OLM v0 beside a control plane, as processes in the network namespace of the cluster: the two operators of OLM
 * listen on all addresses, by no flag of theirs on fewer.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil, type Admin } from '../admin.ts';
import { COMPONENTS_KUBECONFIG } from '../components.ts';
import type { ClusterNetwork } from '../node/network.ts';
import { runTool } from '../run-tool.ts';
import type { Boot } from '../start-components.ts';
import { moduleSource } from './module-source.ts';
import { answerServices } from './start-services.ts';

/** Where OLM keeps catalogs that all namespaces may use. */
const NAMESPACE = 'olm';
/** Name of the CatalogSource, and of its content in the cluster's folder. */
const OLM_CATALOG = 'tested';
export const OLM_CATALOG_FILE = 'olm-catalog.json';

const CATALOG_ADDRESS = '127.0.0.1:50051';
/** How often OLM judges everything again. */
const RESYNC = '45s';
const READY_WITHIN_SECONDS = 120;

/** The two operators of OLM, as processes. */
export type OlmName = 'olm-operator' | 'catalog-operator';

export interface OlmParts {
  readonly network: ClusterNetwork;
  readonly admin: Admin;
}

/** Resolves when OLM reconciles and its catalog, empty at first, answers. */
export async function startOlm(boot: Boot, { network, admin }: OlmParts): Promise<void> {
  const { folder, supervisor, binaries } = boot;
  const environment = { KUBECONFIG: join(folder, COMPONENTS_KUBECONFIG), OPERATOR_NAMESPACE: NAMESPACE };
  writeFileSync(join(folder, OLM_CATALOG_FILE), JSON.stringify({ packages: [], bundles: [] }));
  await Promise.all([applyCrds(boot), answerServices(boot, network)]);
  await createObjects(admin);
  await supervisor.start({
    name: 'olm-catalog',
    program: binaries.get('olm-catalog')!,
    args: [CATALOG_ADDRESS, join(folder, OLM_CATALOG_FILE)],
  });
  const common = ['--namespace', NAMESPACE, '--interval', RESYNC];
  await supervisor.start({
    name: 'olm-operator',
    program: binaries.get('olm-operator')!,
    args: common,
    env: { ...environment, OPERATOR_NAME: 'olm-operator' },
  });
  await supervisor.start({
    name: 'catalog-operator',
    program: binaries.get('catalog-operator')!,
    args: [
      '--kubeconfig',
      join(folder, COMPONENTS_KUBECONFIG),
      ...common,
      '--opmImage',
      'none',
      '--util-image',
      'none',
    ],
    env: environment,
  });
  await waitUntil(() => isCatalogReady(admin), {
    what: 'Starting OLM v0',
    timeoutSeconds: READY_WITHIN_SECONDS,
    failure: () => supervisor.ended('olm-operator') ?? supervisor.ended('catalog-operator'),
  });
}

async function applyCrds({ folder, binaries }: Boot): Promise<void> {
  const crds = join(
    await moduleSource('olm', 'github.com/operator-framework/operator-lifecycle-manager'),
    'deploy/chart/crds',
  );
  const files = readdirSync(crds).map((name) => join(crds, name));
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG: join(folder, 'kubeconfig') };
  const kubectl = (args: readonly string[]): Promise<string> => runTool(binaries.get('kubectl')!, { args, env });
  const names = files.flatMap((file) => ['-f', file]);
  await kubectl(['apply', '--server-side', ...names]);
  await kubectl(['wait', '--for=condition=Established', '--timeout=180s', ...names]);
}

async function createObjects(admin: Admin): Promise<void> {
  await admin.call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const olm = '/apis/operators.coreos.com';
  await admin.call('POST', `${olm}/v1/olmconfigs`, {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OLMConfig',
    metadata: { name: 'cluster' },
    spec: {},
  });
  await admin.call('POST', `${olm}/v1alpha1/namespaces/${NAMESPACE}/catalogsources`, {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: OLM_CATALOG },
    spec: { sourceType: 'grpc', address: CATALOG_ADDRESS },
  });
}

async function isCatalogReady(admin: Admin): Promise<boolean> {
  const path = `/apis/operators.coreos.com/v1alpha1/namespaces/${NAMESPACE}/catalogsources/${OLM_CATALOG}`;
  const { status } = (await admin.call('GET', path)) as {
    readonly status?: { readonly connectionState?: { readonly lastObservedState?: string } };
  };
  return status?.connectionState?.lastObservedState === 'READY';
}
