/**
 * Turns nothing into a Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager,
 * kube-scheduler, kwok with a fake Node, and an OCI registry, real programs all, in a folder of their own, ready in
 * about three seconds and gone without a trace. Called by e2e/lib/cluster.ts for tests and by main.ts for people.
 * Building the programs is binaries.ts, owning their processes supervisor.ts. Nothing here knows Slipway.
 */
import { provideBinaries, type Progress } from './binaries.ts';
import { bootComponents } from './boot.ts';
import { COMPONENTS, selectComponents, type ComponentName } from './components.ts';
import { createClusterFolder, reapClusters, removeCluster } from './folders.ts';
import { openHandle, type TestCluster } from './handle.ts';
import { realNodeObstacle } from './node/obstacle.ts';
import type { RegistryOptions } from './registry-config.ts';
import { PortTaken } from './start-components.ts';
import { startSupervisor } from './supervised.ts';
import { CONTROL_PLANE_PROGRAMS, NODE_PROGRAMS } from './tools.ts';

export type { ComponentName } from './components.ts';
export type { TestCluster } from './handle.ts';
export { realNodeObstacle } from './node/obstacle.ts';
export { REGISTRY_USER, type RegistryOptions } from './registry-config.ts';

export interface ClusterOptions {
  /** What is started; what these need comes along. Default: everything. */
  readonly only?: readonly ComponentName[];
  /** How the registry behaves, or `false` for none. */
  readonly registry?: RegistryOptions | false;
  /**
   * Requests a second that kube-controller-manager and kube-scheduler allow themselves; 500 if absent. `default` is
   * Kubernetes' own 20 and 50, with which the cluster needs 5 s longer to start and 200 Deployments take most of a
   * minute: say with each figure which was used.
   */
  readonly kubeApiQps?: number | 'default';
  /** Added to the command line of kube-apiserver; a flag given again replaces the one before. */
  readonly apiServerFlags?: readonly string[];
  /** Files with kwok Stages in place of stages/pods.yaml. */
  readonly stageFiles?: readonly string[];
  /**
   * `real`: a kubelet with containerd and kube-proxy, on which Pods run, Services work and the API server reaches
   * webhooks; see realNodeObstacle for where it cannot. Default `fake`: kwok.
   */
  readonly node?: 'fake' | 'real';
  /** How many real nodes, where there are any; default 1. */
  readonly realNodes?: number;
  /** How many Nodes kwok pretends to have; default 1, or none beside real ones, where they are tainted. */
  readonly fakeNodes?: number;
  /** Record every request in the file `audit.jsonl` of the folder: who, what, when, no bodies. */
  readonly audit?: boolean;
  /** Where building the programs is reported; default stderr. */
  readonly progress?: Progress;
  /** Name of the folder; default a new one. */
  readonly name?: string;
  /** The cluster goes on when this process ends. */
  readonly detached?: boolean;
}

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
  const obstacle = options.node === 'real' ? realNodeObstacle() : undefined;
  if (obstacle !== undefined) throw new Error(obstacle);
  const programs = [...CONTROL_PLANE_PROGRAMS, ...(options.node === 'real' ? NODE_PROGRAMS : [])];
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
    ownNetwork: options.node === 'real',
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
