/** A scene with one manager behind a proxy, which can be killed and started again, and is started again if it loses the lead. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startMeasured } from '../bench/stage.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { startApiProxy, type ApiProxy } from '../lib/api-proxy.ts';
import { isAlive, startManager, type RunningManager } from '../lib/manager.ts';
import { isReady, waitFor } from '../lib/objects.ts';
import { until } from '../lib/until.ts';
import type { ChaosOperator } from './operators.ts';
import { PATIENCE_SECONDS } from './patience.ts';
import { CATALOG, Scene } from './scene.ts';

export interface StageOptions {
  /** The address at which the manager reaches the registry; the cluster's own if absent. */
  readonly registry?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Bundled, and with the options of Node from the image: only then is its memory that of users. */
  readonly asInImage?: boolean;
  /**
   * Whether it leads by a lease. A process that loses the lead ends and is started again, as by a kubelet; one that was
   * killed leaves a lease that its successor waits for.
   */
  readonly elects?: boolean;
}

const ELECTION = {
  yes: { SLIPWAY_LEADER_ELECT: 'true', SLIPWAY_LEASE_SECONDS: '15' },
  no: { SLIPWAY_LEADER_ELECT: 'false' },
};
/** Its last line in the log if it has lost the lead. */
const LOST = 'another replica leads; ending';

export class Stage implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly proxy: ApiProxy;
  readonly #scene: Scene;
  readonly #start: () => Promise<RunningManager>;
  readonly #elects: boolean;
  /** Why a process ended that was neither killed nor stopped, in the order of the ends. */
  readonly #ends: string[] = [];
  /** The process that is being killed or stopped. */
  #doomed: RunningManager | undefined;
  #manager: Promise<RunningManager>;

  private constructor(scene: Scene, proxy: ApiProxy, { env = {}, asInImage = false, elects = false }: StageOptions) {
    this.cluster = scene.cluster;
    this.proxy = proxy;
    this.#scene = scene;
    const all = { ...ELECTION[elects ? 'yes' : 'no'], ...proxy.environment, ...env };
    this.#start = () => (asInImage ? startMeasured(scene, all) : startManager(scene.cluster, all));
    this.#elects = elects;
    this.#manager = this.#run();
  }

  /** In a cluster that has nothing of Slipway yet. */
  static async open(
    cluster: TestCluster,
    operators: readonly ChaosOperator[],
    options: StageOptions = {},
  ): Promise<Stage> {
    const scene = await Scene.open(cluster, operators, options.registry);
    const stage = new Stage(scene, await startApiProxy(cluster), options);
    await waitFor(cluster, { kind: 'catalog', name: CATALOG, timeoutSeconds: PATIENCE_SECONDS }, isReady);
    await stage.quiet();
    await scene.remember();
    return stage;
  }

  /** SIGKILL; resolves when the process has ended. */
  async kill(): Promise<void> {
    this.#doomed = await this.#manager;
    await this.#doomed.kill('SIGKILL');
  }

  /** Another process takes the place of the one that has ended, with its data folder. */
  startAgain(): void {
    this.#manager = this.#run();
  }

  #run(): Promise<RunningManager> {
    const started = this.#start();
    const manager = this.#elects ? started.then(awaitLead) : started;
    // errors are thrown by the next use
    started.then((one) => this.#attend(one)).catch(() => undefined);
    manager.catch(() => undefined);
    return manager;
  }

  async #attend(manager: RunningManager): Promise<void> {
    const code = await manager.ended;
    if (manager === this.#doomed) return;
    this.#ends.push(manager.log().includes(LOST) ? LOST : `the manager ended by itself with exit code ${code}`);
    this.startAgain();
  }

  /** Since the last call: how often a process lost the lead, and a line for each that ended by itself for another reason. */
  takeEnds(): { readonly lost: number; readonly others: readonly string[] } {
    const ends = this.#ends.splice(0);
    const others = ends.filter((end) => end !== LOST);
    return { lost: ends.length - others.length, others };
  }

  /** The manager that runs now, once it is ready and leads. */
  manager(): Promise<RunningManager> {
    return this.#manager;
  }

  /** Resolves when the manager has written nothing for a while. */
  async quiet(milliseconds = 1000): Promise<void> {
    const began = Date.now();
    await this.#manager;
    const last = (): number => Math.max(began, this.proxy.writes.at(-1)?.at ?? 0);
    await until('the manager writes nothing', () => Date.now() - last() >= milliseconds, {
      timeoutSeconds: PATIENCE_SECONDS,
    });
  }

  /**
   * Removes everything that has come since the stage was opened; no request is disturbed any more. Resolves to the objects
   * that the uninstall has left: see Scene.
   */
  async clear(usual?: ReadonlySet<string>): Promise<readonly string[]> {
    this.proxy.meddle();
    await this.#manager;
    return this.#scene.clear(usual);
  }

  /** The next pull is from the registry, as no process has the bundles of before. */
  async forgetBundles(): Promise<void> {
    await this.kill();
    rmSync(join(this.cluster.folder, 'manager/data/bundles'), { recursive: true });
    this.startAgain();
    await this.quiet();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager.then(
      (manager) => {
        this.#doomed = manager;
        return manager.stop();
      },
      () => undefined,
    );
    await this.proxy[Symbol.asyncDispose]();
  }
}

/** A process whose predecessor was killed waits for its lease to expire; until then it writes nothing. */
async function awaitLead(manager: RunningManager): Promise<RunningManager> {
  const leads = (): boolean => /"this replica leads"/.test(manager.log()) || !isAlive(manager);
  await until('the manager leads', leads, { timeoutSeconds: PATIENCE_SECONDS });
  return manager;
}
