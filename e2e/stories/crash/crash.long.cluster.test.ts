/**
 * The manager is killed in the middle of everything it does, and the end is as if it had not been. Each operator
 * begins three edges below its head.
 */
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LABEL } from '../../../api/names.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, list, type Among } from '../../lib/objects.ts';
import { hasShared } from '../../lib/shared.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { createFleet, type Fleet } from '../real-operators/fleet.ts';
import { EDGES, PACKAGES } from '../real-operators/packages.ts';
import { publishRoutes } from '../real-operators/publish-routes.ts';
import { loadRoutes, versionOf, type Route } from '../real-operators/routes.ts';
import { startRegistryProxy, type RegistryProxy } from '../../lib/registry-proxy.ts';
import { readState, type State } from '../../lib/state.ts';

const routes = hasShared ? loadRoutes(PACKAGES, EDGES) : [];
/** What Slipway has made, of any kind. */
const OWNED: Among = { selector: LABEL.owner };
const pin = (route: Route): string => route.pin;
const head = (route: Route): string => route.head;

describe.skipIf(!hasShared)('many Subscriptions at once', () => {
  const cluster = useCluster();
  let proxy: RegistryProxy;
  let catalog: string;
  let fleet: Fleet;
  let manager: RunningManager;
  let before: ReadonlySet<string>;
  let data: string;

  beforeAll(async () => {
    proxy = await startRegistryProxy(cluster().registry);
    const published = publishRoutes(routes, proxy.address);
    fleet = createFleet(cluster(), routes);
    await installSlipway(cluster());
    await fleet.makeNamespaces();
    catalog = await published;
    before = await snapshot(cluster());
  });
  afterAll(async () => {
    await manager?.stop();
    await proxy?.[Symbol.asyncDispose]();
  });

  /** Alone, so that it need not wait for the lease of the one that was killed: how that goes is tested elsewhere. */
  async function start(): Promise<void> {
    const env = { SLIPWAY_LEADER_ELECT: 'false', SLIPWAY_DATA_FOLDER: data };
    manager = await startManager(cluster(), env);
  }

  /** With nothing in its data folder, as on another node. */
  async function startAnew(): Promise<void> {
    data = mkdtempSync(join(cluster().folder, 'data-'));
    await start();
  }

  async function applyCatalog(): Promise<void> {
    await cluster().kubectl(['apply', '-f', '-'], catalogOf('real', catalog));
  }

  async function count(kind: string, among: Among = {}): Promise<number> {
    return (await list(cluster(), kind, among)).length;
  }

  async function awaitRemoval(): Promise<void> {
    await until('the Subscriptions are gone', async () => (await count('subscription')) === 0, {
      explain: () => cluster().kubectl(['get', 'subscriptions,revisions', '-A', '-o', 'wide']),
    });
    await cluster().kubectl(['delete', 'catalog', 'real']);
    await expectUnchanged(cluster(), before);
  }

  let undisturbed: State;

  test('reach their heads and are removed again, without a disturbance', async () => {
    await startAnew();
    await applyCatalog();
    await fleet.subscribe((route) => ({ version: versionOf(route, route.pin) }));
    await fleet.awaitAll(pin);
    await fleet.subscribe(() => ({}));
    await fleet.awaitAll(head);
    undisturbed = await readState(cluster());
    await cluster().kubectl(['delete', 'subscriptions', '-A', '--all', '--wait=false']);
    await awaitRemoval();
    await manager.stop();
  });

  describe('with a manager that is killed', () => {
    /** What there was when it died. */
    const remains: State[] = [];
    let end: State;

    async function kill(): Promise<void> {
      await manager.kill('SIGKILL');
      remains.push(await readState(cluster()));
    }

    test('while it pulls the catalog, are still found there', async () => {
      await startAnew();
      const pulling = proxy.holdNext(/\/real-operators\/blobs\//);
      await applyCatalog();
      await fleet.subscribe((route) => ({ version: versionOf(route, route.pin) }));
      await pulling;
      await kill();
      expect(await count('revision')).toBe(0);
      await start();
    });

    test('while it applies, are installed nevertheless', async () => {
      await until('something runs', async () => (await count('deployment', OWNED)) > 0);
      await kill();
      expect(await fleet.countRunning(pin)).toBeLessThan(routes.length);
      await start();
      await fleet.awaitAll(pin);
    });

    test('while it upgrades, arrive nevertheless', async () => {
      await fleet.subscribe(() => ({}));
      await until('an upgrade has begun', async () => (await count('revision')) > routes.length);
      await kill();
      expect(await fleet.countRunning(head)).toBeLessThan(routes.length);
      await start();
      await fleet.awaitAll(head);
      end = await readState(cluster());
    });

    test('end as if it had not been killed', () => {
      expect([...end.contents.keys()].toSorted()).toEqual([...undisturbed.contents.keys()].toSorted());
      for (const [name, content] of end.contents) expect(content, name).toEqual(undisturbed.contents.get(name));
    });

    test('keep their objects: none is created again', () => {
      expect(remains).toHaveLength(3);
      for (const { uids } of remains) {
        const replaced = [...uids].filter(([name, uid]) => end.uids.has(name) && end.uids.get(name) !== uid);
        expect(replaced).toEqual([]);
      }
    });

    test('while it removes, are gone nevertheless', async () => {
      const all = await count('deployment', OWNED);
      await cluster().kubectl(['delete', 'subscriptions', '-A', '--all', '--wait=false']);
      await until('something is gone', async () => (await count('deployment', OWNED)) < all);
      await kill();
      expect(await count('revision')).toBeGreaterThan(0);
      await start();
      await awaitRemoval();
    });

    test('leave no file of an index that is not in use', () => {
      const files = readdirSync(join(data, 'catalogs'), { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      expect(files.map(({ name }) => name)).toEqual([]);
    });
  });
});
