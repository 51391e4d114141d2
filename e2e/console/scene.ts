/**
 * A cluster for people who see the console for the first time: real operators of the reference data, one that is up to
 * date, one that is held at an older version, and one whose upgrade waits for approval.
 */
import type { TestCluster } from '../cluster/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor } from '../lib/objects.ts';
import { sharedRows } from '../lib/shared.ts';
import { apply, makeNamespaces } from '../lib/writes.ts';
import { serveManager, type ManagerService } from './manager-service.ts';
import { publishRoutes } from '../stories/real-operators/publish-routes.ts';
import { loadRoutes, versionOf, type CatalogDocument, type Route } from '../stories/real-operators/routes.ts';

const CATALOG = 'community';
const TIMEOUT_SECONDS = 180;

/** The operators of the scene, and the state of each. */
export const OPERATORS = {
  /** Its next version waits for approval. */
  waiting: 'k8gb',
  /** Its spec names an older version. */
  pinned: 'limitador-operator',
  current: 'dns-operator',
  /** In the catalog only. */
  offered: 'trident-operator',
} as const;

/** State: the manager that runs, and its Service. */
export class ConsoleScene {
  readonly routes: ReadonlyMap<string, Route>;
  readonly #cluster: TestCluster;
  #manager: RunningManager | undefined;
  #service: ManagerService | undefined;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
    const routes = loadRoutes(
      Object.values(OPERATORS).map((name) => ({ package: name })),
      1,
    );
    this.routes = new Map(routes.map((route) => [route.package, route]));
  }

  /** Resolves when every operator is in its state. */
  async setUp(): Promise<void> {
    const cluster = this.#cluster;
    await installSlipway(cluster);
    const published = this.#publish();
    this.#manager = await startManager(cluster);
    this.#service = await serveManager(cluster, this.#manager);
    await makeNamespaces(cluster, Object.values(OPERATORS));
    await apply(cluster, catalogOf(CATALOG, await published));
    await waitFor(cluster, { kind: 'catalog', name: CATALOG, timeoutSeconds: TIMEOUT_SECONDS }, isReady);
    await Promise.all([
      this.#subscribe(OPERATORS.current, {}, 'head'),
      this.#subscribe(OPERATORS.pinned, { version: this.version(OPERATORS.pinned, 'pin') }, 'pin'),
      this.#subscribe(OPERATORS.waiting, { version: this.version(OPERATORS.waiting, 'pin') }, 'pin'),
    ]);
    await apply(cluster, this.#subscription(OPERATORS.waiting, { approval: 'Manual' }));
    await waitFor(cluster, this.#wanted(OPERATORS.waiting), (object) =>
      ['ApprovalRequired', 'AwaitingApproval'].includes(condition(object, 'UpgradeAvailable')?.reason ?? ''),
    );
  }

  /** Path of the kubeconfig of an administrator. Only after `setUp`. */
  get kubeconfig(): string {
    return this.#service!.kubeconfig;
  }

  async tearDown(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.#manager?.stop();
  }

  /** The version to begin with, or the newest. */
  version(operator: string, which: 'pin' | 'head'): string {
    const route = this.routes.get(operator)!;
    return versionOf(route, route[which]);
  }

  /** Resolves when an operator runs in a version. */
  async awaitVersion(operator: string, which: 'pin' | 'head'): Promise<void> {
    await waitFor(this.#cluster, this.#wanted(operator), runs(this.version(operator, which)));
  }

  /** The whole catalog of the reference data; only bundles on the routes have images. */
  async #publish(): Promise<string> {
    const others = sharedRows<CatalogDocument>('corpus', 'dev-set-catalog.json.xz').filter(
      (one) => !this.routes.has(one.package ?? one.name),
    );
    return publishRoutes([...this.routes.values()], this.#cluster.registry, others);
  }

  async #subscribe(operator: string, spec: object, which: 'pin' | 'head'): Promise<void> {
    await apply(this.#cluster, this.#subscription(operator, spec));
    await this.awaitVersion(operator, which);
  }

  #subscription(operator: string, spec: object): string {
    return subscriptionTo(operator, operator, { package: operator, ...spec });
  }

  #wanted(operator: string) {
    return { kind: 'subscription', name: operator, namespace: operator, timeoutSeconds: TIMEOUT_SECONDS };
  }
}
