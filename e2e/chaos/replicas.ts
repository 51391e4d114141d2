/** A scene with two managers that elect a leader, each process behind a proxy of its own; one that ends is started again. */
import { join } from 'node:path';
import type { TestCluster } from '../cluster/cluster.ts';
import { startApiProxy, type ApiProxy, type SeenWrite } from '../lib/api-proxy.ts';
import { isAlive, ROOT, startManager, type RunningManager } from '../lib/manager.ts';
import { isReady, waitFor } from '../lib/objects.ts';
import { until } from '../lib/until.ts';
import { leaderOf } from '../stories/failover/replicas.ts';
import { PATIENCE_SECONDS } from './patience.ts';
import type { ChaosOperator } from './operators.ts';
import { CATALOG, Scene } from './scene.ts';

/** The shortest that there may be. */
const LEASE_SECONDS = '5';
const PATIENT = { timeoutSeconds: PATIENCE_SECONDS };
const NAMES = ['one', 'two'];
const PROGRAM = ['--import', join(ROOT, 'e2e/chaos/moved-clock.ts'), join(ROOT, 'cmd/manager/main.ts')];

/** One process of a manager. */
export interface Replica {
  /** As the lease has it: `one` or `two`. */
  readonly name: string;
  /** How many of that name there were before. */
  readonly number: number;
  readonly proxy: ApiProxy;
  readonly manager: RunningManager;
}

export class Replicas implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly #scene: Scene;
  readonly #clockMoves: number;
  /** Those that have ended, too. */
  readonly #all: Replica[] = [];
  #isOver = false;

  private constructor(scene: Scene, clockMoves: number) {
    this.cluster = scene.cluster;
    this.#scene = scene;
    this.#clockMoves = clockMoves;
  }

  /** In a cluster that has nothing of Slipway yet. @param clockMoves Seconds by which SIGUSR2 moves a clock. */
  static async open(cluster: TestCluster, operators: readonly ChaosOperator[], clockMoves: number): Promise<Replicas> {
    const scene = await Scene.open(cluster, operators);
    const replicas = new Replicas(scene, clockMoves);
    await Promise.all(NAMES.map((name) => replicas.#run(name, 1)));
    await waitFor(cluster, { kind: 'catalog', name: CATALOG }, isReady);
    await replicas.quiet();
    await scene.remember();
    return replicas;
  }

  /** The process that holds the lease. */
  async leader(): Promise<Replica> {
    return until(
      'a replica leads',
      async () => {
        const pod = (await leaderOf(this.cluster))?.pod;
        return this.#all.findLast(({ name, manager }) => name === pod && isAlive(manager));
      },
      PATIENT,
    );
  }

  /** The process that waits for the lease of that one. */
  follower(leader: Replica): Promise<Replica> {
    const waits = (): Replica | undefined =>
      this.#all.findLast(({ name, manager }) => name !== leader.name && isAlive(manager));
    return until('a replica follows', waits, PATIENT);
  }

  /** Like a kubelet, it starts another process when that one ends: also one that lost its lease because the machine is busy. */
  async #run(name: string, number: number): Promise<void> {
    const replica = await this.#start(name, number);
    this.#all.push(replica);
    if (this.#isOver) return void replica.manager.stop();
    void replica.manager.ended.then(() => (this.#isOver ? undefined : this.#run(name, number + 1)));
  }

  async #start(name: string, number: number): Promise<Replica> {
    const proxy = await startApiProxy(this.cluster);
    const env = {
      ...proxy.environment,
      POD_NAME: name,
      SLIPWAY_DATA_FOLDER: join(this.cluster.folder, 'replicas', name),
      SLIPWAY_LEASE_SECONDS: LEASE_SECONDS,
      CHAOS_CLOCK_MOVES: String(this.#clockMoves),
    };
    return { name, number, proxy, manager: await startManager(this.cluster, env, PROGRAM) };
  }

  /** Every write since then, in the order of the answers; `by` names the process. */
  writesSince(milliseconds: number): readonly (SeenWrite & { readonly by: string })[] {
    const writes = this.#all.flatMap(({ name, number, proxy }) =>
      proxy.writes.map((write) => ({ ...write, by: `${name}-${number}` })),
    );
    return writes.filter(({ at }) => at >= milliseconds).toSorted((a, b) => a.at - b.at);
  }

  /** Resolves when no manager has written anything for a while. */
  async quiet(milliseconds = 1000): Promise<void> {
    const began = Date.now();
    const last = (): number => Math.max(began, ...this.#all.map(({ proxy }) => proxy.writes.at(-1)?.at ?? 0));
    await until('the managers write nothing', () => Date.now() - last() >= milliseconds, PATIENT);
  }

  /** Removes everything that has come since it was opened. */
  async clear(): Promise<void> {
    await this.#scene.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const { manager, proxy } of this.#all) {
      await manager.stop();
      await proxy[Symbol.asyncDispose]();
    }
  }
}
