/**
 * A cluster in which the example operator runs, with Slipway, a catalog of its releases, and the daily work of its
 * users.
 */
import { afterAll, beforeAll } from 'vitest';
import type { TestCluster } from '../../cluster/cluster.ts';
import { PACKAGE, publishImages, publishReleases, type Release } from '../../lib/beacon-operator.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, list, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { servingDuring, type Serving, type ServingOptions } from '../../lib/serving.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces, requestReconcile } from '../../lib/writes.ts';

export const NAMESPACE = 'lights';
export const SUBSCRIPTION = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE };

/** A Beacon as it is read. */
export interface Lit {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: { readonly lit?: boolean; readonly release?: string };
}

/** A Beacon to apply. */
export function beacon(name: string, namespace: string, spec: object, version = 'v1', annotations = {}): string {
  return JSON.stringify({
    apiVersion: `example.slipway.dev/${version}`,
    kind: 'Beacon',
    metadata: { name, namespace, annotations },
    spec,
  });
}

export interface Lights {
  readonly cluster: () => TestCluster;
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  readonly apply: (manifest: string) => Promise<string>;
  /** Publishes a catalog with these releases and has the manager check it. */
  readonly offer: (...releases: readonly Release[]) => Promise<void>;
  readonly subscribe: (spec: object) => Promise<void>;
  readonly isLit: (version: string, namespace: string, name: string, release: string) => Promise<void>;
  readonly get: (version: string, namespace: string, name: string) => Promise<Lit>;
  /** Does something while users read and write the Beacon `north` in these versions, without a pause. */
  readonly inUse: (versions: readonly string[], work: () => Promise<unknown>) => Promise<Serving>;
  /** Kills the manager and starts it again. */
  readonly restartManager: () => Promise<void>;
}

/** A manager that is killed leaves no lease to be waited for. */
const ALONE = { SLIPWAY_LEADER_ELECT: 'false' };

/** Two namespaces, the images of these releases, and a Catalog that offers the first of them. */
export function useLights(releases: readonly Release[]): Lights {
  const cluster = useCluster({ node: 'real' });
  let manager: RunningManager;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster(), ALONE);
    await publishImages(cluster(), releases);
    await makeNamespaces(cluster(), [NAMESPACE, 'harbour']);
    await lights.offer(...releases.slice(0, 1));
  }, 600_000);
  afterAll(async () => {
    await manager?.stop();
  });

  const lights: Lights = {
    cluster,
    kubectl: (args, input) => cluster().kubectl(args, input),
    apply: (manifest) => lights.kubectl(['apply', '-f', '-'], manifest),
    async offer(...offered) {
      await publishReleases(cluster(), offered);
      if ((await list(cluster(), 'catalog')).length === 0) {
        await lights.apply(catalogOf('examples', `${cluster().registry}/catalog:latest`, { interval: '10s' }));
        await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
        return;
      }
      await requestReconcile(cluster(), { kind: 'catalog', name: 'examples' });
    },
    async subscribe(spec) {
      // Releases that work have to start within it on a busy machine.
      const onFailure = { bakeTime: '1s', progressDeadline: '90s' };
      const uninstall = { customResources: 'Delete' };
      await lights.apply(subscriptionTo('beacon', NAMESPACE, { package: PACKAGE, onFailure, uninstall, ...spec }));
    },
    async isLit(version, namespace, name, release) {
      let last: Lit | undefined;
      await until(
        `Beacon ${name} is lit by ${release}`,
        async () => {
          last = await lights.get(version, namespace, name);
          return last.status?.lit === true && last.status.release === release;
        },
        { explain: () => JSON.stringify(last) },
      );
    },
    async get(version, namespace, name) {
      const path = `/apis/example.slipway.dev/${version}/namespaces/${namespace}/beacons/${name}`;
      return (await cluster().read(path)) as unknown as Lit;
    },
    inUse: (versions, work) =>
      servingDuring(cluster(), { namespace: NAMESPACE, deployment: PACKAGE, probes: probesOf(versions) }, work),
    async restartManager() {
      await manager.kill('SIGKILL');
      manager = await startManager(cluster(), ALONE);
    },
  };
  return lights;
}

/** What a user of the operator does all day: reads Beacons, and writes them. */
function probesOf(versions: readonly string[]): ServingOptions['probes'] {
  return Object.assign({}, ...versions.map(probesIn)) as ServingOptions['probes'];
}

function probesIn(version: string): ServingOptions['probes'] {
  const north = { apiVersion: `example.slipway.dev/${version}`, kind: 'Beacon', namespace: NAMESPACE, name: 'north' };
  return {
    [`read as ${version}`]: (client) => client.get(north),
    [`write as ${version}`]: (client) =>
      client.patch(north, { metadata: { annotations: { 'probe.example/at': `${Date.now()}` } } }),
  };
}
