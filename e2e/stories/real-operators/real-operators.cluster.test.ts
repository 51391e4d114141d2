/**
 * Real operators as they are published: installed in an older version, upgraded along the graph, cleanly away. `make stories`
 * begins three edges below each head; `make test` does so with some packages, and with one edge of the others.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, waitFor } from '../../lib/objects.ts';
import { byExtent } from '../../lib/sample.ts';
import { hasShared } from '../../lib/shared.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { EDGES, PACKAGES } from './packages.ts';
import { publishRoutes } from './publish-routes.ts';
import { loadRoutes, versionOf } from './routes.ts';

/** In the sample these begin as far below the head: what is special about them shows on the way. */
const FAR: ReadonlySet<string> = new Set(['dns-operator', 'kairos-operator', 'dell-csm-operator']);
const isFar = byExtent({ all: () => true, sample: (name: string): boolean => FAR.has(name) });
const BY_EDGES = Object.entries(Object.groupBy(PACKAGES, (wish) => (isFar(wish.package) ? EDGES : 1)));
const routes = hasShared ? BY_EDGES.flatMap(([edges, wishes]) => loadRoutes(wishes, Number(edges))) : [];

describe.skipIf(!hasShared)('real operators, side by side', () => {
  const cluster = useCluster();
  let manager: RunningManager;
  let fleet: Fleet;
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    const catalog = publishRoutes(routes, cluster().registry);
    fleet = createFleet(cluster(), routes);
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await fleet.makeNamespaces();
    before = await snapshot(cluster());
    await cluster().kubectl(['apply', '-f', '-'], catalogOf('real', await catalog));
    await waitFor(cluster(), { kind: 'catalog', name: 'real' }, isReady);
  });
  afterAll(async () => {
    await manager?.stop();
  });

  describe('pinned to an older version', () => {
    beforeAll(() => fleet.subscribe((route) => ({ version: versionOf(route, route.pin) })));

    test.each(routes)('$pin becomes Ready', async (route) => {
      await fleet.awaitVersion(route, route.pin);
    });
  });

  describe('without the pin', () => {
    beforeAll(() => fleet.subscribe(() => ({})));

    test.each(routes)('$pin arrives at $head, step by step along the edges of its channel', async (route) => {
      await fleet.awaitVersion(route, route.head);
      const bundles = (await fleet.revisions(route)).map(({ spec }) => spec.bundle);
      expect(bundles.at(0)).toBe(route.pin);
      expect(bundles.at(-1)).toBe(route.head);
      for (const [index, to] of bundles.slice(1).entries()) {
        const from = bundles[index] as string;
        expect(route.leads(from, to), `an edge from ${from} to ${to}`).toBe(true);
      }
    });

    test.each(routes)('every Deployment of $head is there and available', async (route) => {
      const where = ['-n', route.package];
      await cluster().kubectl([...where, 'wait', '--for=condition=Available', '--timeout=10s', 'deployment', '--all']);
      const [newest] = (await fleet.revisions(route)).toReversed();
      const intended = newest?.status?.inventory?.filter(({ kind }) => kind === 'Deployment').map(({ name }) => name);
      const names = 'jsonpath={.items[*].metadata.name}';
      const found = await cluster().kubectl([...where, 'get', 'deployments', '-o', names]);
      expect(found.split(' ').toSorted()).toEqual(intended?.toSorted());
    });
  });

  test('leave nothing behind when they are deleted', async () => {
    await cluster().kubectl(['delete', 'subscriptions', '-A', '--all', '--timeout=180s']);
    await cluster().kubectl(['delete', 'catalog', 'real']);
    await expectUnchanged(cluster(), before);
  });
});
