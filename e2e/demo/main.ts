/**
 * The command behind `make demo`: runs an install, an upgrade and a removal step by step, on a real control plane, a
 * real registry and, if the machine can have one, a real node, all of which it starts and stops itself. Ends with exit
 * code 0 only if every step had the announced outcome.
 */
import { realNodeObstacle, startCluster, type TestCluster } from '../cluster/cluster.ts';
import { beaconImage, PACKAGE, publishImages, publishReleases, RELEASES } from '../lib/beacon-operator.ts';
import { installSlipway, startManager } from '../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor, type Judged } from '../lib/objects.ts';
import { expectUnchanged, snapshot } from '../lib/snapshot.ts';
import { done, print, show, step } from './narrate.ts';
import { lightBeacon, showBothVersions, showWebhooks } from './beacons.ts';

const NAMESPACE = 'lights';
const SUBSCRIPTION = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE };

/** Why the operator's Pods only pretend to run; undefined if they do run. */
const obstacle = realNodeObstacle();

async function demo(): Promise<void> {
  print('Slipway installs, upgrades and removes an operator.');
  if (obstacle !== undefined) print(`No Pods really run here, since there can be no real node: ${obstacle}`);
  const node = obstacle === undefined ? 'real' : 'fake';
  await using cluster = await step('A control plane, a registry and a node come up', () => startCluster({ node }));
  await step('The CRDs and rights of deploy/ are applied; the manager starts with them', () => installSlipway(cluster));
  const manager = await startManager(cluster);
  try {
    await tell(cluster);
  } finally {
    await manager.stop();
  }
  done('All of it worked', 'To go on by hand: make cluster-up, then docs/tutorial.md');
}

async function tell(cluster: TestCluster): Promise<void> {
  if (obstacle === undefined)
    await step("The author builds the operator's image", async () => void (await beaconImage()));
  await step('The author publishes beacon-operator 1.0.0 and a catalog that offers it', () => publish(cluster, 1));
  await createNamespace(cluster);
  const before = await snapshot(cluster);
  await step('kubectl apply -f catalog.yaml', () => applyCatalog(cluster));
  await step('kubectl apply -f subscription.yaml: the operator is installed', () => subscribe(cluster));
  if (obstacle === undefined) {
    await step('kubectl apply -f beacon.yaml: the operator lights a Beacon of version 1', () => lightBeacon(cluster));
  }
  await step('1.1.0 and 2.0.0 are published: the operator is upgraded by itself, hop by hop', () => upgrade(cluster));
  if (obstacle === undefined) {
    await step('The Beacon is still there, now served in two versions', () => showBothVersions(cluster));
    await step('The API server asks the new release before it stores a Beacon', () => showWebhooks(cluster));
  }
  await step('kubectl delete subscriptions.slipway.dev: the operator is removed, its Beacons first', () =>
    remove(cluster),
  );
  await step('The cluster holds what it held before', () => expectUnchanged(cluster, before));
}

/** Publishes so many of the releases, and a catalog that offers them. */
async function publish(cluster: TestCluster, count: number): Promise<void> {
  const releases = RELEASES.slice(0, count);
  if (obstacle === undefined) await publishImages(cluster, releases);
  const catalog = await publishReleases(cluster, releases);
  const versions = releases.map(({ version }) => version).join(', ');
  print(`   ${catalog.slice(0, catalog.indexOf('@') + 20)}… offers ${versions}`);
}

async function createNamespace({ kubectl }: TestCluster): Promise<void> {
  await kubectl(['create', 'namespace', NAMESPACE]);
  // one after the other: kubectl gives up if two objects are not there yet
  for (const object of ['serviceaccount/default', 'configmap/kube-root-ca.crt'])
    await kubectl(['-n', NAMESPACE, 'wait', '--for=create', '--timeout=180s', object]);
}

async function applyCatalog(cluster: TestCluster): Promise<void> {
  const manifest = catalogOf('examples', `${cluster.registry}/catalog:latest`, { interval: '10s' });
  await cluster.kubectl(['apply', '-f', '-'], manifest);
  reportStatus(await waitFor(cluster, { kind: 'catalog', name: 'examples' }, isReady));
}

async function subscribe(cluster: TestCluster): Promise<void> {
  const spec = { package: PACKAGE, onFailure: { bakeTime: '1s' }, uninstall: { customResources: 'Delete' } };
  await cluster.kubectl(['apply', '-f', '-'], subscriptionTo('beacon', NAMESPACE, spec));
  reportStatus(await waitFor(cluster, SUBSCRIPTION, runs('1.0.0')));
  await showDeployment(cluster);
}

async function upgrade(cluster: TestCluster): Promise<void> {
  await publish(cluster, RELEASES.length);
  const request = `slipway.dev/reconcile-requested-at=${new Date().toISOString()}`;
  await cluster.kubectl(['annotate', 'catalog', 'examples', '--overwrite', request]);
  reportStatus(await waitFor(cluster, SUBSCRIPTION, runs('2.0.0')));
  await showDeployment(cluster);
}

async function remove(cluster: TestCluster): Promise<void> {
  await showEvents(cluster);
  await cluster.kubectl(['-n', NAMESPACE, 'delete', 'subscription', 'beacon', '--timeout=180s']);
  await cluster.kubectl(['delete', 'catalog', 'examples']);
}

async function showDeployment({ kubectl }: TestCluster): Promise<void> {
  show(await kubectl(['-n', NAMESPACE, 'get', 'deployment', PACKAGE, '-o', 'wide']));
}

async function showEvents({ kubectl }: TestCluster): Promise<void> {
  const columns = 'custom-columns=TYPE:.type,REASON:.reason,WHAT:.note';
  const about = ['--field-selector', 'regarding.kind=Subscription'];
  show(
    await kubectl(['-n', NAMESPACE, 'get', 'events.events.k8s.io', ...about, '--sort-by=.eventTime', '-o', columns]),
  );
}

function reportStatus(object: Judged): void {
  print(`   ${condition(object, 'Ready')?.message}`);
}

await demo();
