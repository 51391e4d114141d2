/**
 * Keeps the cluster of one file of tests for the next file that the same process runs: a start takes two seconds of the
 * processor, and bringing it back to the state of its start a twentieth of that.
 */
import { startCluster, type TestCluster } from '../cluster/cluster.ts';
import type { Checkpoint } from '../cluster/checkpoint.ts';
import { isPaused, isWorkedIn } from './processes.ts';
import { until } from './until.ts';

interface Kept {
  readonly cluster: TestCluster;
  readonly checkpoint: Checkpoint;
  readonly components: ReadonlyMap<string, number>;
  /** Names of the groups that the API server serves. */
  readonly groups: string;
}

export class ClusterKeeper {
  readonly #start: () => Promise<TestCluster>;
  #kept: Kept | undefined;
  #lent = false;

  /** @param start Of a cluster with the same options each time. */
  constructor(start: () => Promise<TestCluster> = startCluster) {
    this.#start = start;
  }

  /** The cluster that was given back, as it was at its start, or a new one. */
  async borrow(): Promise<TestCluster> {
    if (this.#lent) return await this.#start();
    this.#lent = true;
    this.#kept = (await this.#restored()) ?? (await describeStart(await this.#start()));
    return this.#kept.cluster;
  }

  /** Keeps the cluster for the next file; one that a file leaves in disorder, or with a test that failed, is stopped. */
  async giveBack(cluster: TestCluster, { failed }: { readonly failed: boolean }): Promise<void> {
    if (this.#kept?.cluster === cluster) {
      this.#lent = false;
      if (!failed && isInOrder(this.#kept)) return;
      this.#kept = undefined;
    }
    await cluster.stop();
  }

  async #restored(): Promise<Kept | undefined> {
    if (this.#kept === undefined) return undefined;
    const { cluster, checkpoint, groups } = this.#kept;
    try {
      await checkpoint.restore();
      await until('the API server serves its first groups', async () => (await groupsOf(cluster)) === groups);
      return this.#kept;
    } catch (error) {
      process.stderr.write(`the test cluster is replaced: ${String(error)}\n`);
      await cluster.stop();
      return undefined;
    }
  }
}

async function describeStart(cluster: TestCluster): Promise<Kept> {
  const [checkpoint, groups] = await Promise.all([cluster.checkpoint(), groupsOf(cluster)]);
  return { cluster, checkpoint, components: cluster.processes(), groups };
}

/** The API server and etcd are those that were started, each component runs, and no other process works in the folder. */
function isInOrder({ cluster, components }: Kept): boolean {
  const now = cluster.processes();
  const same = ['etcd', 'kube-apiserver'].every((name) => now.get(name) === components.get(name));
  const running = [...components.keys()].every((name) => now.has(name) && !isPaused(now.get(name)!));
  return same && running && !isWorkedIn(cluster.folder, new Set(now.values()));
}

interface Groups {
  readonly groups: readonly { readonly name: string }[];
}

async function groupsOf(cluster: TestCluster): Promise<string> {
  const { groups } = (await cluster.read('/apis')) as unknown as Groups;
  return groups.map(({ name }) => name).toSorted().join(); // prettier-ignore
}
