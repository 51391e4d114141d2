/**
 * The example operator really runs: its Beacons are lit, converted, checked and extinguished by it, over every upgrade;
 * releases that fail say how they fail, and never take down the one that works.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { publishImages, publishReleases, RELEASES, PACKAGE } from '../../lib/beacon-operator.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';

const NAMESPACE = 'lights';
const SUBSCRIPTION = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE, timeoutSeconds: 120 };

const obstacle = realNodeObstacle();

describe.skipIf(obstacle !== undefined)(obstacle ?? 'the example operator', () => {
  const cluster = useCluster({ node: 'real' });
  let manager: RunningManager;
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await publishImages(cluster(), RELEASES);
    for (const name of [NAMESPACE, 'harbour']) {
      await kubectl(['create', 'namespace', name]);
      const objects = ['serviceaccount/default', 'configmap/kube-root-ca.crt'];
      await kubectl(['-n', name, 'wait', '--for=create', '--timeout=30s', ...objects]);
    }
    before = await snapshot(cluster());
    await offer('1.0.0');
    await apply(catalogOf('examples', `${cluster().registry}/catalog:latest`, { interval: '10s' }));
    await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
  }, 600_000);
  afterAll(async () => {
    if (process.env['SLIPWAY_SHOW_LOG']) console.error(manager?.log());
    await manager?.stop();
  });

  test('lights the Beacons of the one namespace that it is told to watch', async () => {
    await subscribe({ watchNamespaces: [NAMESPACE] });
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    await apply(beacon('north', NAMESPACE, { colour: 'red' }));
    await apply(beacon('far', 'harbour', { colour: 'white' }));
    await isLit('v1', NAMESPACE, 'north', '1.0.0');
    expect((await get('v1', 'harbour', 'far')).status).toBeUndefined();
  });

  test('lights those of all namespaces when nobody limits it', async () => {
    await subscribe({});
    await isLit('v1', 'harbour', 'far', '1.0.0');
  });

  test('goes on with those Beacons in the next release', async () => {
    await offer('1.0.0', '1.1.0');
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
    await isLit('v1', NAMESPACE, 'north', '1.1.0');
    await isLit('v1', 'harbour', 'far', '1.1.0');
  });

  /** Publishes a catalog with these releases and has it looked at. */
  async function offer(...versions: readonly string[]): Promise<void> {
    await publishReleases(cluster(), RELEASES.filter(({ version }) => versions.includes(version)));
    if ((await kubectl(['get', 'catalogs', '-o', 'name'])) === '') return;
    await kubectl(['annotate', 'catalog', 'examples', '--overwrite', `slipway.dev/reconcile-requested-at=${Date.now()}`]);
  }

  async function subscribe(spec: object): Promise<void> {
    const onFailure = { bakeTime: '1s', progressDeadline: '30s' };
    await apply(subscriptionTo('beacon', NAMESPACE, { package: PACKAGE, onFailure, ...spec }));
  }

  async function isLit(version: string, namespace: string, name: string, release: string): Promise<void> {
    let last: Lit | undefined;
    await until(
      `Beacon ${name} is lit by ${release}`,
      async () => {
        last = await get(version, namespace, name);
        return last.status?.lit === true && last.status.release === release;
      },
      { explain: () => JSON.stringify(last) },
    );
  }

  async function get(version: string, namespace: string, name: string): Promise<Lit> {
    const kind = `beacons.${version}.example.slipway.dev`;
    return JSON.parse(await kubectl(['-n', namespace, 'get', kind, name, '-o', 'json'])) as Lit;
  }

  function apply(manifest: string): Promise<string> {
    return kubectl(['apply', '-f', '-'], manifest);
  }

  function kubectl(args: readonly string[], input?: string): Promise<string> {
    return cluster().kubectl(args, input);
  }
});

interface Lit {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: { readonly lit?: boolean; readonly release?: string };
}

function beacon(name: string, namespace: string, spec: object, version = 'v1'): string {
  return JSON.stringify({
    apiVersion: `example.slipway.dev/${version}`,
    kind: 'Beacon',
    metadata: { name, namespace },
    spec,
  });
}
