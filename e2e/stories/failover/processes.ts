/**
 * The replicas of the manager where no node can run them: install.yaml is applied, kwok pretends to run its Pods, and
 * for each there is a process of this machine with that Pod's name and a token that is bound to it, as a kubelet asks
 * for. So the API server knows and records them by their Pods.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCluster } from '../../cluster/cluster.ts';
import { isAlive, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { list } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';

const ACCOUNT = 'slipway-manager';
const MANAGERS = 'app.kubernetes.io/component=manager';

export interface PodProcesses {
  /** The process of a Pod; throws if it has none. */
  of(pod: string): RunningManager;
  /** Starts a process for each Pod that has none or whose process has ended, and resolves when they are ready. */
  start(): Promise<void>;
  /** Ends all of them in the usual way, so that the lease is free. */
  stop(): Promise<void>;
}

/** @param env Settings beside those of a Pod. */
export function createPodProcesses(cluster: TestCluster, env: Readonly<Record<string, string>> = {}): PodProcesses {
  const processes = new Map<string, RunningManager>();

  async function startFor(pod: string): Promise<void> {
    const settings = {
      POD_NAME: pod,
      SLIPWAY_ACCOUNT_FOLDER: await accountFolder(cluster, pod),
      SLIPWAY_DATA_FOLDER: join(cluster.folder, 'pods', pod, 'data'),
      SLIPWAY_LEASE_SECONDS: '15',
    };
    processes.set(pod, await startManager(cluster, { ...settings, ...env }));
  }

  return {
    of(pod) {
      const found = processes.get(pod);
      if (found === undefined) throw new Error(`${pod} has no process`);
      return found;
    },
    async start() {
      const missing = (await podNames(cluster)).filter((pod) => !runs(processes.get(pod)));
      await Promise.all(missing.map(startFor));
    },
    async stop() {
      await Promise.all([...processes.values()].map((manager) => manager.stop()));
      processes.clear();
    },
  };
}

function runs(manager: RunningManager | undefined): boolean {
  return manager !== undefined && isAlive(manager);
}

/** The Pods that run, by their own account. */
async function podNames(cluster: TestCluster): Promise<readonly string[]> {
  const pods = await list(cluster, 'pod', { namespace: SYSTEM, selector: MANAGERS });
  return pods.map(({ metadata: { name } }) => name);
}

/** What a Pod finds mounted. */
async function accountFolder(cluster: TestCluster, pod: string): Promise<string> {
  const folder = join(cluster.folder, 'pods', pod, 'account');
  mkdirSync(folder, { recursive: true });
  const bound = ['--bound-object-kind=Pod', `--bound-object-name=${pod}`];
  const token = await until(`${pod} has a token`, () =>
    cluster.kubectl(['-n', SYSTEM, 'create', 'token', ACCOUNT, ...bound]),
  );
  const files = { token: token.trim(), 'ca.crt': cluster.ca, namespace: SYSTEM };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}
