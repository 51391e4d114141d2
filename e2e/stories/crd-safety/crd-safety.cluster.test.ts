/**
 * An upgrade whose CRD would lose data of an object: refused, reported, at rest, and done once a person waives the
 * rule.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, isReady, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, publishFiles } from '../../lib/publish.ts';
import { until } from '../../lib/until.ts';
import { requestReconcile } from '../../lib/writes.ts';
import { CRD, gadgetBundle, GROUP, type GadgetVersion } from '../webhooks/gadget-operator.ts';

const cluster = useCluster();
const NAMESPACE = 'gadgets';
const VERSIONS: readonly GadgetVersion[] = [
  { version: '1.0.0', fields: ['weight'], webhooks: false },
  { version: '1.1.0', webhooks: false },
];
const subscription = { kind: 'subscription', name: 'gadgets', namespace: NAMESPACE };
const spec = { package: 'gadget-operator', onFailure: { bakeTime: '1s' } };
const AT_REST_MS = 2000;
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await publish(1);
  await cluster().kubectl(['create', 'namespace', NAMESPACE]);
  await apply(catalogOf('gadgets', `${cluster().registry}/gadgets:latest`, { interval: '10s' }));
  await waitFor(cluster(), { kind: 'catalog', name: 'gadgets' }, isReady);
  await apply(subscriptionTo('gadgets', NAMESPACE, spec));
  await waitFor(cluster(), subscription, runs('1.0.0'));
  const gadget = { apiVersion: `${GROUP}/v1`, kind: 'Gadget', metadata: { name: 'heavy', namespace: NAMESPACE } };
  await apply(JSON.stringify({ ...gadget, spec: { size: 1, weight: 2 } }));
});
afterAll(async () => {
  await manager?.stop();
});

async function apply(manifest: string): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], manifest);
}

async function publish(count: number): Promise<void> {
  const published = await Promise.all(
    VERSIONS.slice(0, count).map(async (each, index) => ({
      version: each.version,
      image: await publishFiles(gadgetBundle(each), `${cluster().registry}/gadget-operator:v${each.version}`),
      ...(index > 0 && { replaces: '1.0.0' }),
    })),
  );
  await publishCatalog(packageDocuments('gadget-operator', published), `${cluster().registry}/gadgets:latest`);
}

/** Reconciles of a Revision that the manager has ended so far. */
async function reconciles(): Promise<number> {
  const text = await (await fetch(`${manager.url}/metrics`)).text();
  const counts = text.matchAll(/^controller_runtime_reconcile_total\{.*controller="revision".*\} (?<count>\d+)$/gm);
  return [...counts].reduce((sum, { groups }) => sum + Number(groups?.['count']), 0);
}

test('is refused before anything is written, and names the rule and the object', async () => {
  await publish(2);
  await requestReconcile(cluster(), { kind: 'catalog', name: 'gadgets' });
  const told = await waitFor(cluster(), subscription, (object) => JSON.stringify(object.status).includes('CRDUnsafe'));
  expect(JSON.stringify(told.status)).toMatch(/existingFieldRemoval: the field is gone \(gadgets\/heavy\)/);
  await waitFor(cluster(), subscription, runs('1.0.0'));
  const schema = await cluster().kubectl(['get', 'crd', CRD, '-o', 'json']);
  expect(schema).toContain('"weight"');
  const deployment = await get(cluster(), 'deployment', 'gadget-manager', NAMESPACE);
  expect(JSON.stringify(deployment)).toContain('gadget:v1.0.0');
  const says = /gadget-operator\.v1\.1\.0 failed and is quarantined: .*existingFieldRemoval/;
  await until('an event reports it', async () =>
    says.test(await cluster().kubectl(['-n', NAMESPACE, 'get', 'events.events.k8s.io', '-o', 'json'])),
  );
});

test('is not tried again by itself', async () => {
  let last = -1;
  let since = 0;
  await until('the manager has come to rest', async () => {
    const now = await reconciles();
    if (now !== last) since = performance.now();
    last = now;
    // a reconcile may wait for its turn, or for the watch to report the write of the one before
    return performance.now() - since > AT_REST_MS;
  });
  const before = await get(cluster(), 'subscription', 'gadgets', NAMESPACE);
  const catalog = (): Promise<Judged> => get(cluster(), 'catalog', 'gadgets');
  const checked = (await catalog()).status?.['lastChecked'];
  await requestReconcile(cluster(), { kind: 'catalog', name: 'gadgets' });
  await until('the catalog was checked again', async () => (await catalog()).status?.['lastChecked'] !== checked);
  expect(await reconciles()).toBe(last);
  expect((await get(cluster(), 'subscription', 'gadgets', NAMESPACE)).status).toEqual(before.status);
});

test('is done once a person waives the rule on this CRD', async () => {
  const waivers = [{ crd: CRD, rule: 'existingFieldRemoval', reason: 'no program reads the weight' }];
  await apply(subscriptionTo('gadgets', NAMESPACE, { ...spec, crdUpgradeSafety: { waivers } }));
  const done = await waitFor(cluster(), subscription, runs('1.1.0'));
  expect(condition(done, 'Stalled')).toBeUndefined();
  expect(await cluster().kubectl(['get', 'crd', CRD, '-o', 'json'])).not.toContain('"weight"');
});
