/** The Subscriptions of all routes, each in a namespace of its own: created, changed and checked together. */
import type { Revision } from '../../../api/revision.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { condition, list, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces } from '../../lib/writes.ts';
import { versionOf, type Route } from './routes.ts';

const NAME = 'operator';
const TIMEOUT_SECONDS = 120;

type OfFleet = Judged & { readonly metadata: { readonly namespace: string } };

export interface Fleet {
  /** Resolves when the objects that Kubernetes makes in every namespace exist. */
  makeNamespaces(): Promise<void>;
  /** Applies all Subscriptions at once, so that they are worked on side by side. */
  subscribe(spec: (route: Route) => object): Promise<void>;
  awaitVersion(route: Route, bundle: string): Promise<void>;
  /** The same for all, and nothing is left to be done, such as a CRD to be pruned; by one question at a time: many at once would take the processors from those who work. */
  awaitAll(bundle: (route: Route) => string): Promise<void>;
  /** How many Subscriptions run the bundle that is named for them. */
  countRunning(bundle: (route: Route) => string): Promise<number>;
  /** The Revisions of a Subscription by number. */
  revisions(route: Route): Promise<readonly Revision[]>;
}

export function createFleet(cluster: TestCluster, routes: readonly Route[]): Fleet {
  async function apply(manifests: readonly object[]): Promise<void> {
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }));
  }

  /** The Subscriptions that do not run the bundle named for them. */
  async function lacking(bundle: (route: Route) => string): Promise<readonly Judged[]> {
    const runsIt = runsBundle(bundle);
    return (await listAll()).filter((one) => !runsIt(one));
  }

  /** Those, and those that run it while something is left to be done. */
  async function unfinished(bundle: (route: Route) => string): Promise<readonly Judged[]> {
    const runsIt = runsBundle(bundle);
    return (await listAll()).filter((one) => !runsIt(one) || condition(one, 'Reconciling') !== undefined);
  }

  function listAll(): Promise<readonly OfFleet[]> {
    return list<OfFleet>(cluster, 'subscription');
  }

  function runsBundle(bundle: (route: Route) => string): (one: OfFleet) => boolean {
    const wanted = new Map(routes.map((route) => [route.package, runs(versionOf(route, bundle(route)))]));
    return (one) => wanted.get(one.metadata.namespace)?.(one) === true;
  }

  return {
    makeNamespaces: () =>
      makeNamespaces(
        cluster,
        routes.map(({ package: name }) => name),
      ),
    subscribe: (spec) => apply(routes.map((route) => describeSubscription(route, spec(route)))),
    async awaitVersion(route, bundle) {
      const wanted = { kind: 'subscription', name: NAME, namespace: route.package, timeoutSeconds: TIMEOUT_SECONDS };
      await waitFor(cluster, wanted, runs(versionOf(route, bundle)));
    },
    async awaitAll(bundle) {
      await until('all are as wanted', async () => (await unfinished(bundle)).length === 0, {
        timeoutSeconds: TIMEOUT_SECONDS,
        explain: async () => JSON.stringify(await unfinished(bundle), undefined, 2),
      });
    },
    async countRunning(bundle) {
      return routes.length - (await lacking(bundle)).length;
    },
    async revisions({ package: namespace }) {
      const revisions = await list<Revision>(cluster, 'revision', { namespace });
      return revisions.toSorted((a, b) => a.spec.number - b.spec.number);
    },
  };
}

function describeSubscription({ package: name, channel }: Route, spec: object): object {
  const common = { package: name, channel, onFailure: { bakeTime: '0s' } };
  return JSON.parse(subscriptionTo(NAME, name, { ...common, ...spec })) as object;
}
