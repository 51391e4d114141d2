/** A catalog without a build: pushing a tag to a repository publishes an upgrade. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { condition, get, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { push } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';

const cluster = useCluster();
const CATALOG = { kind: 'catalog', name: 'team' };
const SUBSCRIPTION = { kind: 'subscription', name: 'gadget', namespace: 'default' };
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
});
afterAll(async () => {
  await manager?.stop();
});

async function publish(version: string): Promise<void> {
  await publishTiny(cluster().registry, { name: 'gadget', version });
}

async function look(): Promise<void> {
  await cluster().kubectl([
    'annotate',
    'catalog',
    'team',
    '--overwrite',
    `slipway.dev/reconcile-requested-at=${Date.now()}`,
  ]);
}

describe('a Catalog of repositories', () => {
  test('offers each tag that is a version', async () => {
    await publish('1.0.0');
    await publish('2.0.0-rc.1');
    await push(`${cluster().registry}/gadget:latest`, { files: new Map(), labels: {} });
    const source = { repositories: [{ repository: `${cluster().registry}/gadget` }] };
    await apply({ kind: 'Catalog', metadata: { name: 'team' }, spec: { source } });
    const catalog = await waitFor(cluster(), CATALOG, isReady);
    expect(catalog.status?.['bundles']).toBe(2);
    await cluster().kubectl(['apply', '-f', '-'], subscriptionTo('gadget', 'default', { package: 'gadget' }));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
  });

  test('publishes an upgrade when a tag is pushed', async () => {
    await publish('1.1.0');
    await look();
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
  });

  test('leaves out a tag whose bundle cannot be read, and reports it; the others are offered', async () => {
    await push(`${cluster().registry}/gadget:v1.2.0`, { files: new Map([['readme', Buffer.from('')]]), labels: {} });
    await publish('1.3.0');
    await look();
    await waitFor(cluster(), SUBSCRIPTION, runs('1.3.0'));
    await until('an event reports the tag', async () => {
      const notes = await cluster().kubectl(['get', 'events.events.k8s.io', '-o', 'jsonpath={.items[*].note}']);
      return notes.includes('gadget:v1.2.0');
    });
  });

  test('keeps serving its last content when the repository is gone', async () => {
    const source = { repositories: [{ repository: `${cluster().registry}/nowhere` }] };
    await apply({ kind: 'Catalog', metadata: { name: 'team' }, spec: { source } });
    await waitFor(cluster(), CATALOG, (one) => condition(one, 'Ready')?.reason === 'CatalogStale');
    const subscription = await get(cluster(), 'subscription', 'gadget', 'default');
    expect(condition(subscription, 'Ready')?.status).toBe('True');
    await cluster().kubectl(['delete', 'subscription', 'gadget', '--timeout=180s']);
  });
});

async function apply(object: object): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'slipway.dev/v1alpha1', ...object }));
}
