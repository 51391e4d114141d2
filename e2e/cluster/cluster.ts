/**
 * Turns nothing into a Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager,
 * kube-scheduler, kwok with a fake Node, and an OCI registry, real programs all, in a folder of their own, ready in
 * about three seconds and gone without a trace. Called by e2e/lib/cluster.ts for tests and by main.ts for people.
 * Building the programs is binaries.ts, owning their processes supervisor.ts. Nothing here knows Slipway.
 */
import { provideBinaries } from './binaries.ts';
import { bootComponents } from './boot.ts';
import { COMPONENTS, selectComponents, type ComponentName } from './components.ts';
import { createClusterFolder, reapClusters, removeCluster } from './folders.ts';
import { openHandle, type TestCluster } from './handle.ts';
import { realNodeObstacle } from './node/obstacle.ts';
import { hasOwnNetwork, type ClusterOptions } from './options.ts';
import { PortTaken } from './start-components.ts';
import { startSupervisor } from './supervised.ts';
import { programsOf } from './tools.ts';

export type { ComponentName } from './components.ts';
export type { TestCluster } from './handle.ts';
export { realNodeObstacle } from './node/obstacle.ts';
export type { ClusterOptions } from './options.ts';
export { passwordFile, REGISTRY_USER, type RegistryOptions } from './registry-config.ts';

const ATTEMPTS = 5;

/**
 * Starts a cluster and resolves when it can be worked with: the API answers, the Node takes Pods, the registry
 * takes images. The programs are built first where they are missing, which takes minutes, once.
 *
 *     await using cluster = await startCluster();
 *     await cluster.kubectl(['apply', '-f', '-'], manifests);
 *
 * Throws with the end of its log where a component does not start, and with the obstacle where a real node is asked for
 * on a machine that cannot have one; nothing is left behind then.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const obstacle = hasOwnNetwork(options) ? realNodeObstacle() : undefined;
  if (obstacle !== undefined) throw new Error(obstacle);
  const programs = programsOf(wantedComponents(options), options);
  const binaries = await provideBinaries(programs, options.progress ?? reportOnStderr);
  reapClusters();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptStart(options, binaries);
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptStart(options: ClusterOptions, binaries: ReadonlyMap<string, string>): Promise<TestCluster> {
  const folder = createClusterFolder(options.name);
  const supervisor = await startSupervisor({
    folder,
    detached: options.detached ?? false,
    ownNetwork: hasOwnNetwork(options),
    oneProcessor: options.oneProcessor ?? false,
  });
  try {
    const components = wantedComponents(options);
    const booted = await bootComponents({ folder, supervisor, binaries, components, options });
    return openHandle({ folder, supervisor, binaries, booted });
  } catch (error) {
    await supervisor.stop().catch(() => removeCluster(folder));
    throw error;
  }
}

function wantedComponents({ only = COMPONENTS, registry, node, fakeNodes }: ClusterOptions): readonly ComponentName[] {
  if (node === 'real') return fakeNodes === undefined ? COMPONENTS.filter((name) => name !== 'kwok') : COMPONENTS;
  const selected = selectComponents(only);
  return registry === false ? selected.filter((name) => name !== 'registry') : selected;
}

function reportOnStderr(line: string, state: 'running' | 'done'): void {
  if (state === 'done' || process.stderr.isTTY) process.stderr.write(`test cluster: ${line}\n`);
}
