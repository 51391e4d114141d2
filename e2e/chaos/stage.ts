/** A scene with one manager behind a proxy, which can be killed and started again. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startMeasured } from '../bench/stage.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { startApiProxy, type ApiProxy } from '../lib/api-proxy.ts';
import { startManager, type RunningManager } from '../lib/manager.ts';
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
}

/** Alone, so that it need not wait for the lease of the one that was killed. */
const ALONE = { SLIPWAY_LEADER_ELECT: 'false' };

export class Stage implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly proxy: ApiProxy;
  readonly #scene: Scene;
  readonly #start: () => Promise<RunningManager>;
  #manager: Promise<RunningManager>;

  private constructor(scene: Scene, proxy: ApiProxy, { env = {}, asInImage = false }: StageOptions) {
    this.cluster = scene.cluster;
    this.proxy = proxy;
    this.#scene = scene;
    const all = { ...ALONE, ...proxy.environment, ...env };
    this.#start = () => (asInImage ? startMeasured(scene, all) : startManager(scene.cluster, all));
    this.#manager = this.#start();
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
    await (await this.#manager).kill('SIGKILL');
  }

  /** Another process takes the place of the one that has ended, with its data folder. */
  startAgain(): void {
    this.#manager = this.#start();
    // its error is thrown by the next use
    this.#manager.catch(() => undefined);
  }

  /** The manager that runs now, once it is ready. */
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
      (manager) => manager.stop(),
      () => undefined,
    );
    await this.proxy[Symbol.asyncDispose]();
  }
}
