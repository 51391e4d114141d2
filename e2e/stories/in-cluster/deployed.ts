/** Slipway as a user has it: its image in a registry, install.yaml applied, its Pods on a node that is real. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { pushIndex } from '../../../oci/testing/push-built.ts';
import { parseReference } from '../../../oci/reference.ts';
import { ownArchitecture } from '../../../scripts/build/architecture.ts';
import { buildManagerImage, type ManagerImage } from '../../../scripts/build/manager-image.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { ROOT, SYSTEM } from '../../lib/manager.ts';
import { openRegistry } from '../../lib/publish.ts';

export const DEPLOYMENT = 'deployment/slipway-manager';
export const INSTALL_FILE: string = join(ROOT, 'deploy/install.yaml');

/** Pushes the manager's image under the name that install.yaml has: nodes look for every name in this registry. */
export async function pushManager(cluster: TestCluster): Promise<ManagerImage> {
  const image = await buildManagerImage({ architectures: [ownArchitecture()] });
  const registry = openRegistry();
  try {
    await pushIndex(registry, parseReference(`${cluster.registry}/manager:${image.version}`), image.index);
  } finally {
    registry.close();
  }
  return image;
}

interface Workload {
  readonly kind: string;
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly env: object[] }[] } };
  };
}

/** install.yaml as it is, but for the registry of the cluster, which speaks no TLS. */
export function installManifest(cluster: TestCluster, env: Readonly<Record<string, string>> = {}): string {
  const objects = loadAll(readFileSync(INSTALL_FILE, 'utf8')) as Workload[];
  const settings = { SLIPWAY_PLAIN_HTTP: cluster.registry, ...env };
  for (const { kind, spec } of objects) {
    if (kind !== 'Deployment') continue;
    for (const container of spec.template.spec.containers)
      container.env.push(...Object.entries(settings).map(([name, value]) => ({ name, value })));
  }
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

/** Applies it and waits until every replica is ready; resolves with the seconds that took. */
export async function deploySlipway(cluster: TestCluster, env?: Readonly<Record<string, string>>): Promise<number> {
  const began = performance.now();
  await cluster.kubectl(['apply', '--server-side', '-f', '-'], installManifest(cluster, env));
  await awaitSlipway(cluster);
  return (performance.now() - began) / 1000;
}

/** Applies the file as people do, and has kubectl merge; resolves with the seconds until every replica is ready. */
export async function applyInstallFile(cluster: TestCluster): Promise<number> {
  const began = performance.now();
  await cluster.kubectl(['apply', '--server-side=false', '-f', INSTALL_FILE]);
  await awaitSlipway(cluster);
  return (performance.now() - began) / 1000;
}

/** Has the manager, installed as the file says, speak to the registry of the cluster without TLS. */
export async function allowPlainRegistry(cluster: TestCluster): Promise<void> {
  await cluster.kubectl(['-n', SYSTEM, 'set', 'env', DEPLOYMENT, `SLIPWAY_PLAIN_HTTP=${cluster.registry}`]);
  await awaitSlipway(cluster);
}

async function awaitSlipway(cluster: TestCluster): Promise<void> {
  try {
    await cluster.kubectl(['-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=180s']);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${await describeManager(cluster)}`, { cause: error });
  }
}

/** What is known of the Pods, for a failure. */
export async function describeManager(cluster: TestCluster): Promise<string> {
  const pods = await cluster.kubectl(['-n', SYSTEM, 'describe', 'pods']).catch(String);
  const logs = await cluster
    .kubectl(['-n', SYSTEM, 'logs', '-l', 'app.kubernetes.io/component=manager', '--prefix', '--tail=40'])
    .catch(String);
  return `${pods}\n${logs}`;
}
