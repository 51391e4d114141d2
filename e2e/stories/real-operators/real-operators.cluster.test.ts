/** Real operators as they are published: installed in an older version, upgraded along the graph, cleanly away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../api/revision.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { hasShared } from '../../lib/shared.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { publishRoutes } from './publish-routes.ts';
import { loadRoutes, type Route, type Wish } from './routes.ts';

/** The pins are chosen by rule, see routes.ts. None of these has webhooks, so nobody need issue certificates. */
const PACKAGES: readonly (Wish & { readonly because: string })[] = [
  { package: 'dns-operator', because: 'it has only three versions' },
  { package: 'limitador-operator', because: 'its catalog lists the versions out of order, in two channels' },
  { package: 'k8gb', because: 'it has several Deployments, and a ClusterServiceVersion of an odd apiVersion' },
  { package: 'trident-operator', because: 'its catalog is kept by hand' },
  { package: 'kairos-operator', because: 'it may skip a version that is replaced as well' },
  { package: 'dell-csm-operator', because: 'each minor version skips all patches of the one before but the last' },
  { package: 'leaksignal-operator', because: 'it brings a PriorityClass' },
  { package: 'gitlab-runner-operator', because: 'skipRange leads from any version to the head at once' },
  { package: 'project-quay', channel: 'stable-3.11', because: 'its default channel has one version only' },
  { package: 'sosivio', because: 'its versions are pre-releases, and its bundles are not named after it' },
];

const EDGES = 3;
const routes = hasShared ? loadRoutes(PACKAGES, EDGES) : [];

describe.skipIf(!hasShared)('real operators, side by side', () => {
  const cluster = useCluster();
  let manager: RunningManager;
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    const catalog = publishRoutes(routes, cluster().registry);
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await makeNamespaces();
    before = await snapshot(cluster());
    await apply([catalogOf('real', await catalog)]);
    await waitFor(cluster(), { kind: 'catalog', name: 'real' }, isReady);
  });
  afterAll(async () => {
    await manager?.stop();
  });

  async function makeNamespaces(): Promise<void> {
    await apply(
      routes.map(({ package: name }) => JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    );
    const ready = ['serviceaccount/default', 'configmap/kube-root-ca.crt'];
    await Promise.all(
      routes.map((route) =>
        cluster().kubectl(['-n', route.package, 'wait', '--for=create', '--timeout=30s', ...ready]),
      ),
    );
  }

  async function apply(manifests: readonly string[]): Promise<void> {
    const items = manifests.map((text) => JSON.parse(text) as object);
    await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  /** All at once, so that they are installed side by side. */
  async function subscribe(spec: (route: Route) => object): Promise<void> {
    await apply(
      routes.map((route) => {
        const { package: name, channel } = route;
        const common = { package: name, channel, onFailure: { bakeTime: '0s' } };
        return subscriptionTo('operator', name, { ...common, ...spec(route) });
      }),
    );
  }

  function subscriptionOf({ package: namespace }: Route): Parameters<typeof waitFor>[1] {
    return { kind: 'subscription', name: 'operator', namespace, timeoutSeconds: 120 };
  }

  describe('pinned to an older version', () => {
    beforeAll(() => subscribe((route) => ({ version: versionOf(route, route.pin) })));

    test.each(routes)('$package $pin becomes Ready', async (route) => {
      await waitFor(cluster(), subscriptionOf(route), runs(versionOf(route, route.pin)));
    });
  });

  describe('without the pin', () => {
    beforeAll(() => subscribe(() => ({})));

    test.each(routes)('$package arrives at $head, step by step along the edges of its channel', async (route) => {
      await waitFor(cluster(), subscriptionOf(route), runs(versionOf(route, route.head)));
      const bundles = await bundlesInOrder(route);
      expect(bundles.at(0)).toBe(route.pin);
      expect(bundles.at(-1)).toBe(route.head);
      for (const [index, to] of bundles.slice(1).entries()) {
        const from = bundles[index] as string;
        expect(route.leads(from, to), `an edge from ${from} to ${to}`).toBe(true);
      }
    });

    test.each(routes)('every Deployment of $package is available, in the version of the head', async (route) => {
      const where = ['-n', route.package];
      await cluster().kubectl([...where, 'wait', '--for=condition=Available', '--timeout=10s', 'deployment', '--all']);
      const [revision] = (await revisionsOf(route)).toReversed();
      const intended = revision?.status?.inventory?.filter(({ kind }) => kind === 'Deployment').map(({ name }) => name);
      const found = await cluster().kubectl([
        ...where,
        'get',
        'deployments',
        '-o',
        'jsonpath={.items[*].metadata.name}',
      ]);
      expect(found.split(' ').toSorted()).toEqual(intended?.toSorted());
    });
  });

  test('leave nothing behind when they are deleted', async () => {
    await cluster().kubectl(['delete', 'subscriptions', '-A', '--all', '--timeout=120s']);
    await cluster().kubectl(['delete', 'catalog', 'real']);
    await expectUnchanged(cluster(), before);
  });

  async function bundlesInOrder(route: Route): Promise<readonly string[]> {
    return (await revisionsOf(route)).map(({ spec }) => spec.bundle);
  }

  async function revisionsOf({ package: namespace }: Route): Promise<readonly Revision[]> {
    const text = await cluster().kubectl(['-n', namespace, 'get', 'revisions', '-o', 'json']);
    const { items } = JSON.parse(text) as { items: readonly Revision[] };
    return items.toSorted((a, b) => a.spec.number - b.spec.number);
  }
});

function versionOf({ bundles }: Route, name: string): string {
  return bundles.get(name)?.version ?? '';
}
