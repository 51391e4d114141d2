/** A package that one Subscription has already, a Catalog that is deleted while it is in use, an authority that is none. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog, publishFiles, readTree } from '../../lib/publish.ts';
import { until } from '../../lib/until.ts';

const cluster = useCluster();
const example = join(ROOT, 'bundles/examples/beacon-operator/1.0.0');
const FIRST = { kind: 'subscription', name: 'beacon', namespace: 'lights' };
const CRD = 'beacons.example.slipway.dev';
let manager: RunningManager;

beforeAll(async () => {
  const { registry, kubectl } = cluster();
  await installSlipway(cluster());
  manager = await startManager(cluster());
  const image = await publishBundle(example, `${registry}/beacon-operator:v1.0.0`);
  const documents = packageDocuments('beacon-operator', [{ version: '1.0.0', image }]);
  for (const name of ['one', 'two']) {
    await publishCatalog(documents, `${registry}/${name}:latest`);
    await apply(catalogOf(name, `${registry}/${name}:latest`));
  }
  for (const name of ['lights', 'other']) await kubectl(['create', 'namespace', name]);
  await apply(subscriptionTo('beacon', 'lights', { package: 'beacon-operator', catalog: 'one' }));
  await waitFor(cluster(), FIRST, runs('1.0.0'));
});
afterAll(async () => {
  await manager?.stop();
});

async function apply(manifest: string): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], manifest);
}

/** The objects of the first Subscription, as they were made. */
async function objectsOfFirst(): Promise<string> {
  const names = [`crd/${CRD}`, 'deployment/beacon-operator', 'service/beacon-metrics'];
  return cluster().kubectl(['-n', 'lights', 'get', ...names, '-o', 'jsonpath={.items[*].metadata.uid}']);
}

describe('a second Subscription for a package', () => {
  test.each([
    { because: 'in the same namespace', namespace: 'lights', catalog: 'one' },
    { because: 'in another namespace', namespace: 'other', catalog: 'one' },
    { because: 'from another catalog', namespace: 'other', catalog: 'two' },
  ])('says who has it, and can be deleted as it says: $because', async ({ namespace, catalog }) => {
    const before = await objectsOfFirst();
    await apply(subscriptionTo('second', namespace, { package: 'beacon-operator', catalog }));
    const second = { kind: 'subscription', name: 'second', namespace };
    const told = await waitFor(cluster(), second, (one) => condition(one, 'Ready')?.reason === 'Collision');
    const { message = '' } = condition(told, 'Ready') ?? {};
    expect(message).toContain('Subscription lights/beacon already has package "beacon-operator"');
    expect(message).toContain('Delete this Subscription');
    await cluster().kubectl(['-n', namespace, 'delete', 'subscriptions.slipway.dev', 'second', '--timeout=180s']);
    expect(await objectsOfFirst()).toBe(before);
    expect(isReady(await get(cluster(), FIRST.kind, FIRST.name, FIRST.namespace))).toBe(true);
  });
});

describe('an authority that is none', () => {
  const conversion = `conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {caBundle: Cg==, service: {name: a, namespace: b}}}}`;

  test('is named, instead of a CRD that is waited for', async () => {
    const { registry } = cluster();
    const files = readTree(example);
    const path = 'manifests/beacons.crd.yaml';
    const text = Buffer.from(files.get(path) ?? []).toString();
    files.set(path, Buffer.from(text.replace('  scope: Namespaced\n', `  scope: Namespaced\n  ${conversion}\n`)));
    const image = await publishFiles(files, `${registry}/broken:v1.0.0`);
    await publishCatalog(
      packageDocuments('beacon-operator', [{ version: '1.0.0', image }]),
      `${registry}/three:latest`,
    );
    await apply(catalogOf('three', `${registry}/three:latest`));
    await apply(subscriptionTo('broken', 'other', { package: 'beacon-operator', catalog: 'three' }));
    const broken = { kind: 'subscription', name: 'broken', namespace: 'other' };
    const told = await waitFor(cluster(), broken, (one) => condition(one, 'Stalled')?.reason === 'InvalidCABundle');
    expect(condition(told, 'Ready')?.message).toContain('Catalog three has no other version');
    await cluster().kubectl(['-n', 'other', 'delete', 'subscriptions.slipway.dev', 'broken', '--timeout=180s']);
  });

  test('is also the verdict of the API server on a CRD that it does not serve', async () => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'lamps.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Lamp', listKind: 'LampList', plural: 'lamps', singular: 'lamp' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { caBundle: 'Cg==', service: { name: 'a', namespace: 'b' } },
          },
        },
      },
    };
    await apply(JSON.stringify(crd));
    const path = "jsonpath={.status.conditions[?(@.type=='Established')]['status','reason']}";
    await until('the API server judges it', async () => {
      const judged = await cluster().kubectl(['get', 'crd', 'lamps.example.com', '-o', path]);
      return judged === 'False InvalidCABundle';
    });
    await cluster().kubectl(['delete', 'crd', 'lamps.example.com']);
  });
});

interface Told {
  readonly regarding: { readonly name: string };
  readonly reason: string;
  readonly type: string;
}

test('a Catalog that is deleted while it is in use is reported by an event and in the column', async () => {
  await cluster().kubectl(['delete', 'catalogs.slipway.dev', 'one']);
  const told = await waitFor(
    cluster(),
    FIRST,
    (one) => condition(one, 'UpgradeAvailable')?.reason === 'CatalogNotFound',
  );
  expect(condition(told, 'Ready')).toMatchObject({ status: 'True' });
  expect(condition(told, 'Ready')?.message).toMatch(/installed and healthy, but no upgrade can be found.*one/);
  const { installed, available } = told.status as { installed: { version: string }; available?: { version: string } };
  expect(available?.version).toBe(installed.version);
  await until('an event reports it', async () => {
    const events = await list<Told>(cluster(), 'event', { namespace: 'lights' });
    return events.some(
      ({ type, reason, regarding }) => `${type} ${reason} ${regarding.name}` === 'Warning CatalogNotFound beacon',
    );
  });
});
