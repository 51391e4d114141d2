/**
 * The command behind `make demo`: does the main job before one's eyes, on a real control plane and a real
 * registry that it starts and stops itself. Ends with exit code 0 only if every step came out as told.
 */
import { join } from 'node:path';
import { startCluster, type TestCluster } from '../cluster/cluster.ts';
import { installSlipway, ROOT, startManager } from '../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor, type Judged } from '../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../lib/publish.ts';
import { expectUnchanged, snapshot } from '../lib/snapshot.ts';

const EXAMPLES = join(ROOT, 'bundles/examples/beacon-operator');
const NAMESPACE = 'lights';
const SUBSCRIPTION = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE };

const started = performance.now();
let steps = 0;

/** Tells a step, does it, and tells how long it took. */
async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
  const began = performance.now();
  print(`\n${++steps}. ${what}`);
  const result = await run();
  print(`   done in ${seconds(began)}`);
  return result;
}

async function demo(): Promise<void> {
  print('Slipway installs, upgrades and removes an operator.');
  await using cluster = await step('A control plane and a registry come up on loopback', () => startCluster());
  await step('The CRDs and rights of deploy/ are applied; the manager starts with them', () => installSlipway(cluster));
  const manager = await startManager(cluster);
  try {
    await tell(cluster);
  } finally {
    await manager.stop();
  }
  print(`\nAll of it worked, in ${seconds(started)}. To go on by hand: make cluster-up, then docs/tutorial.md`);
}

async function tell(cluster: TestCluster): Promise<void> {
  await step('The author publishes beacon-operator 1.0.0 and a catalog that offers it', () =>
    publish(cluster, ['1.0.0']),
  );
  await kubectl(cluster, ['create', 'namespace', NAMESPACE]);
  await kubectl(cluster, [
    '-n',
    NAMESPACE,
    'wait',
    '--for=create',
    '--timeout=30s',
    'serviceaccount/default',
    'configmap/kube-root-ca.crt',
  ]);
  const before = await snapshot(cluster);
  await step('kubectl apply -f catalog.yaml', () => applyCatalog(cluster));
  await step('kubectl apply -f subscription.yaml: the operator is installed', () => subscribe(cluster));
  await step('1.1.0 and 2.0.0 are published: the operator is upgraded by itself, hop by hop', () => upgrade(cluster));
  await step('kubectl delete subscription: the operator is removed', () => remove(cluster));
  await step('The cluster holds what it held before', () => expectUnchanged(cluster, before));
}

async function publish({ registry }: TestCluster, versions: readonly string[]): Promise<void> {
  const published = [];
  for (const [index, version] of versions.entries()) {
    const image = await publishBundle(join(EXAMPLES, version), `${registry}/beacon-operator:v${version}`);
    published.push({ version, image, ...(index > 0 && { replaces: versions[index - 1] as string }) });
  }
  const catalog = await publishCatalog(packageDocuments('beacon-operator', published), `${registry}/catalog:latest`);
  print(`   ${catalog.slice(0, catalog.indexOf('@') + 20)}… offers ${versions.join(', ')}`);
}

async function applyCatalog(cluster: TestCluster): Promise<void> {
  await kubectl(
    cluster,
    ['apply', '-f', '-'],
    catalogOf('examples', `${cluster.registry}/catalog:latest`, { interval: '10s' }),
  );
  show(await waitFor(cluster, { kind: 'catalog', name: 'examples' }, isReady));
}

async function subscribe(cluster: TestCluster): Promise<void> {
  const spec = { package: 'beacon-operator', onFailure: { bakeTime: '1s' } };
  await kubectl(cluster, ['apply', '-f', '-'], subscriptionTo('beacon', NAMESPACE, spec));
  show(await waitFor(cluster, SUBSCRIPTION, runs('1.0.0')));
  await showDeployment(cluster);
}

async function upgrade(cluster: TestCluster): Promise<void> {
  await publish(cluster, ['1.0.0', '1.1.0', '2.0.0']);
  const token = JSON.stringify({
    metadata: { annotations: { 'slipway.dev/reconcile-requested-at': new Date().toISOString() } },
  });
  await kubectl(cluster, ['patch', 'catalog', 'examples', '--type=merge', '-p', token]);
  show(await waitFor(cluster, SUBSCRIPTION, runs('2.0.0')));
  await showDeployment(cluster);
}

async function remove(cluster: TestCluster): Promise<void> {
  await showEvents(cluster);
  await kubectl(cluster, ['-n', NAMESPACE, 'delete', 'subscription', 'beacon', '--timeout=60s']);
  await kubectl(cluster, ['delete', 'catalog', 'examples']);
}

async function showDeployment(cluster: TestCluster): Promise<void> {
  print(indent(await kubectl(cluster, ['-n', NAMESPACE, 'get', 'deployment', 'beacon-operator', '-o', 'wide'])));
}

async function showEvents(cluster: TestCluster): Promise<void> {
  const columns = 'custom-columns=TYPE:.type,REASON:.reason,WHAT:.note';
  const fields = 'regarding.kind=Subscription';
  print(
    indent(
      await kubectl(cluster, [
        '-n',
        NAMESPACE,
        'get',
        'events.events.k8s.io',
        '--field-selector',
        fields,
        '-o',
        columns,
      ]),
    ),
  );
}

function kubectl(cluster: TestCluster, args: readonly string[], input?: string): Promise<string> {
  return cluster.kubectl(args, input);
}

function show(object: Judged): void {
  print(`   ${condition(object, 'Ready')?.message}`);
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '   ');
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

await demo();
