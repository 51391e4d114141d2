/** A cluster with Slipway, published operators and a Catalog, to which it returns after everything that is played on it. */
import type { TestCluster } from '../cluster/cluster.ts';
import { installSlipway } from '../lib/manager.ts';
import { catalogOf, list, pathOf } from '../lib/objects.ts';
import { publishCatalog } from '../lib/publish.ts';
import { snapshot } from '../lib/snapshot.ts';
import { until } from '../lib/until.ts';
import { apply, makeNamespaces } from '../lib/writes.ts';
import { PATIENCE_SECONDS } from './patience.ts';
import { publishOperator, type ChaosOperator } from './operators.ts';

export const CATALOG = 'chaos';

export class Scene {
  readonly cluster: TestCluster;
  readonly operators: readonly ChaosOperator[];
  #before: ReadonlySet<string> = new Set();

  private constructor(cluster: TestCluster, operators: readonly ChaosOperator[]) {
    this.cluster = cluster;
    this.operators = operators;
  }

  /**
   * In a cluster that has nothing of Slipway yet; publishes the operators, by the address at which the manager reaches the
   * registry, and makes their namespaces.
   */
  static async open(
    cluster: TestCluster,
    operators: readonly ChaosOperator[],
    registry = cluster.registry,
  ): Promise<Scene> {
    await installSlipway(cluster);
    const packages = operators.map((operator) => publishOperator(registry, operator));
    const ref = await publishCatalog((await Promise.all(packages)).flat(), `${registry}/catalog:latest`);
    const names = operators.map(({ name }) => name);
    await makeNamespaces(cluster, names);
    await apply(cluster, catalogOf(CATALOG, ref));
    return new Scene(cluster, operators);
  }

  /** The present objects are those to which each `clear` returns. */
  async remember(): Promise<void> {
    this.#before = await snapshot(this.cluster);
  }

  /**
   * Removes everything that has come since, by force if the manager does not do it. Resolves to the objects that the
   * uninstall has left, and a line if it did not end.
   *
   * @param usual The objects that it may leave, so that no time is given to the garbage collector for them.
   */
  async clear(usual: ReadonlySet<string> = new Set()): Promise<readonly string[]> {
    const uninstalled = until('no Subscription is left', () => this.#unsubscribeAll(), {
      timeoutSeconds: PATIENCE_SECONDS,
    });
    const stuck = await uninstalled.then(
      () => [],
      async () => {
        await this.#release();
        return ['a Subscription or Revision that was released by force'];
      },
    );
    const left = await this.#awaitRest(usual);
    await until('nothing is left', () => this.#removeRest(), { timeoutSeconds: PATIENCE_SECONDS });
    await this.cluster.kubectl(['delete', 'events', '-A', '--all', '--wait=false']);
    return [...stuck, ...left];
  }

  /** The objects that stay; those of Kubernetes, and those that the garbage collector deletes, go by themselves. */
  async #awaitRest(usual: ReadonlySet<string>): Promise<readonly string[]> {
    let left: readonly string[] = [];
    const isUsual = async (): Promise<boolean> => {
      const rest = (await snapshot(this.cluster)).difference(this.#before).difference(usual);
      left = [...rest].filter((line) => !MADE_BY_OTHERS.has(manifestOf(line).kind));
      return left.length === 0;
    };
    await until('only the usual objects are left', isUsual, { timeoutSeconds: COLLECTED_WITHIN_SECONDS }).catch(
      () => undefined,
    );
    return left;
  }

  async #unsubscribeAll(): Promise<boolean> {
    const left = await list<Leftover>(this.cluster, 'subscription');
    for (const { metadata } of left.filter((one) => one.metadata.deletionTimestamp === undefined)) {
      const path = pathOf('subscription', metadata.name, metadata.namespace);
      await this.cluster.request('PATCH', path, { spec: { uninstall: { customResources: 'Delete' } } });
      await this.cluster.request('DELETE', path);
    }
    return left.length === 0;
  }

  async #release(): Promise<void> {
    for (const kind of ['subscription', 'revision'])
      for (const { metadata } of await list<Leftover>(this.cluster, kind)) {
        const path = pathOf(kind, metadata.name, metadata.namespace);
        await this.cluster.request('PATCH', path, { metadata: { finalizers: [] } });
      }
  }

  async #removeRest(): Promise<boolean> {
    const rest = [...(await snapshot(this.cluster)).difference(this.#before)];
    const deletable = rest.map(manifestOf).filter(({ kind }) => !MADE_BY_OTHERS.has(kind));
    if (deletable.length > 0) {
      const items = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: deletable });
      await this.cluster.kubectl(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], items);
    }
    return rest.length === 0;
  }
}

interface Leftover {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly deletionTimestamp?: string };
}

/** On a busy machine the garbage collector takes its time. */
const COLLECTED_WITHIN_SECONDS = 15;

/** They go with their owner. */
const MADE_BY_OTHERS = new Set(['Pod', 'ReplicaSet', 'Endpoints', 'EndpointSlice', 'APIService', 'IPAddress']);

/** Of a line of `snapshot`. */
function manifestOf(line: string): { readonly kind: string; readonly metadata: object; readonly apiVersion: string } {
  const [namespace, kind = '', apiVersion = '', name] = line.split(' ');
  return { apiVersion, kind, metadata: { name, ...(namespace !== '<none>' && { namespace }) } };
}
