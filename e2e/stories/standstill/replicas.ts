/** Two replicas of the manager as processes, each restarted when it ends, as a kubelet does. */
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestCluster } from '../../cluster/cluster.ts';
import { isAlive, startManager, type RunningManager } from '../../lib/manager.ts';
import { until } from '../../lib/until.ts';
import { leaderOf } from '../failover/replicas.ts';

export interface Replicas {
  /** Those that run at the moment. */
  running(): readonly RunningManager[];
  /** The one that the lease names; waits until that one runs. */
  leader(): Promise<RunningManager>;
  /** Exit codes of those that have ended by themselves, in order. */
  readonly ended: readonly (number | null)[];
  stop(): Promise<void>;
}

/** Starts them, one after the other, and resolves when both are ready. */
export async function startReplicas(cluster: TestCluster, count = 2): Promise<Replicas> {
  const slots: (RunningManager | undefined)[] = [];
  const ended: (number | null)[] = [];
  const over = new AbortController();

  async function start(slot: number): Promise<void> {
    const env = { SLIPWAY_LEASE_SECONDS: '15', SLIPWAY_DATA_FOLDER: join(cluster.folder, `data-${slot}`) };
    slots[slot] = await startManager(cluster, env);
  }

  async function keepRunning(slot: number): Promise<void> {
    const stopped = once(over.signal, 'abort').then(() => null);
    while (!over.signal.aborted) {
      const code = await Promise.race([slots[slot]!.ended, stopped]);
      if (over.signal.aborted) return;
      ended.push(code);
      await start(slot);
    }
  }

  for (let slot = 0; slot < count; slot += 1) await start(slot);
  const keeping = slots.map((_, slot) => keepRunning(slot));
  const running = (): readonly RunningManager[] =>
    slots.filter((manager) => manager !== undefined && isAlive(manager)) as readonly RunningManager[];
  return {
    running,
    leader: () => until('one of them leads', async () => findLeader(running(), await holder(cluster))),
    ended,
    async stop() {
      over.abort();
      await Promise.all(keeping);
      await Promise.all(slots.map(async (manager) => manager?.kill('SIGKILL')));
    },
  };
}

async function holder(cluster: TestCluster): Promise<string> {
  return (await leaderOf(cluster))?.identity ?? '';
}

function findLeader(running: readonly RunningManager[], identity: string): RunningManager | undefined {
  return running.find((manager) => manager.log().includes(`"identity":"${identity}"`));
}
