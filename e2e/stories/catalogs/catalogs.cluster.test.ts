/** The state of a Catalog while its registry fails, loses content, or serves content that must not be trusted. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { parseReference } from '../../../oci/reference.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, isReady, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { openRegistry } from '../../lib/publish.ts';
import { startRegistryProxy, type RegistryProxy } from '../../lib/registry-proxy.ts';
import { until } from '../../lib/until.ts';
import * as writes from '../../lib/writes.ts';

const cluster = useCluster();
const CATALOG = { kind: 'catalog', name: 'hub' };
const CREATED = '2025-12-24T12:00:00Z';
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = { name: 'team', pem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
let proxy: RegistryProxy;
let managers: RunningManager[] = [];

beforeAll(async () => {
  await installSlipway(cluster());
  proxy = await startRegistryProxy(cluster().registry);
  await start();
});
afterEach(async () => {
  proxy.meddle();
  await writes.remove(cluster(), CATALOG);
});
afterAll(async () => {
  await stopAll();
  await proxy?.[Symbol.asyncDispose]();
});

/** The manager that leads. */
function leader(): RunningManager {
  const [first] = managers;
  if (first === undefined) throw new Error('no manager runs');
  return first;
}

/** A manager of which the disk is empty; it leads where no other runs. */
async function start(): Promise<RunningManager> {
  const folder = mkdtempSync(join(cluster().folder, 'data-'));
  const manager = await startManager(cluster(), { SLIPWAY_DATA_FOLDER: folder, SLIPWAY_PLAIN_HTTP: proxy.address });
  managers.push(manager);
  return manager;
}

async function stopAll(): Promise<void> {
  await Promise.all(managers.map((manager) => manager.stop()));
  managers = [];
}

/** Moves a tag of the catalog to content with one package; returns its digest. */
async function publish(tag: string, name: string): Promise<string> {
  const text = JSON.stringify({ schema: 'olm.package', name, defaultChannel: 'stable' });
  const image = buildImage({ files: new Map([['configs/catalog.json', Buffer.from(text)]]), created: CREATED });
  const registry = openRegistry();
  try {
    return await pushImage(registry, parseReference(`${cluster().registry}/hub:${tag}`), image);
  } finally {
    registry.close();
  }
}

async function forget(digest: string): Promise<void> {
  const registry = openRegistry();
  try {
    await registry.deleteManifest(parseReference(`${cluster().registry}/hub@${digest}`));
  } finally {
    registry.close();
  }
}

function apply(ref: string, spec: object = {}): Promise<void> {
  return writes.apply(cluster(), catalogOf('hub', ref, spec));
}

function request(value: string): Promise<void> {
  return writes.requestReconcile(cluster(), CATALOG, value);
}

const serves = (digest: string) => (one: Judged) =>
  isReady(one) &&
  condition(one, 'Ready')?.reason === 'Succeeded' &&
  String(one.status?.['digest']).endsWith(`@${digest}`);

const says = (status: string, reason: string) => (one: Judged) => {
  const ready = condition(one, 'Ready');
  return ready?.status === status && ready.reason === reason && ready.observedGeneration === one.metadata.generation;
};

/** The packages that a replica hands out. */
async function handedOut(manager: RunningManager): Promise<string> {
  const answer = await fetch(`${manager.url}/catalogs/hub/api/v1/metas?schema=olm.package`);
  return answer.ok ? answer.text() : String(answer.status);
}

async function untilHandedOut(manager: RunningManager, name: string): Promise<void> {
  await until(`${name} is handed out`, async () => (await handedOut(manager)).includes(name));
}

test('the status has the time when the content was built, over restarts too', async () => {
  const digest = await publish('v1', 'first');
  await apply(`${proxy.address}/hub:v1`);
  expect((await waitFor(cluster(), CATALOG, serves(digest))).status?.['created']).toBe(CREATED);
  await stopAll();
  await untilHandedOut(await start(), 'first');
  await request('again');
  const again = await waitFor(cluster(), CATALOG, (one) => one.status?.['lastHandledReconcileAt'] === 'again');
  expect(again.status?.['created']).toBe(CREATED);
});

describe('what was served is deleted from the registry', () => {
  test('and the tag stands for something else: managers with empty disks serve that', async () => {
    const first = await publish('v1', 'first');
    await apply(`${proxy.address}/hub:v1`, { interval: '24h' });
    await waitFor(cluster(), CATALOG, serves(first));
    await stopAll();
    const second = await publish('v1', 'second');
    await forget(first);
    await start();
    await waitFor(cluster(), CATALOG, serves(second));
    await untilHandedOut(leader(), 'second');
    await untilHandedOut(await start(), 'second');
  });

  test('and is not replaced: the Catalog is not Ready until it is replaced', async () => {
    const first = await publish('v1', 'first');
    await apply(`${proxy.address}/hub:v1`, { interval: '24h' });
    await waitFor(cluster(), CATALOG, serves(first));
    await stopAll();
    await forget(first);
    await start();
    await waitFor(cluster(), CATALOG, says('False', 'ImageNotFound'));
    expect(await handedOut(leader())).toBe('404');
    const second = await publish('v1', 'second');
    await waitFor(cluster(), CATALOG, serves(second));
    await untilHandedOut(leader(), 'second');
  });
});

describe('the registry fails just when something is asked for', () => {
  test.each([
    { because: 'another digest', refOf: (digest: string) => `hub@${digest}` },
    { because: 'another tag', refOf: () => 'hub:v2' },
  ])('$because is served as soon as it can be pulled', async ({ refOf }) => {
    const [first, second] = [await publish('v1', 'first'), await publish('v2', 'second')];
    await apply(`${proxy.address}/hub:v1`);
    await waitFor(cluster(), CATALOG, serves(first));
    proxy.meddle(() => ({ kind: 'refuse', status: 503 }));
    await apply(`${proxy.address}/${refOf(second)}`);
    await waitFor(cluster(), CATALOG, says('False', 'CatalogStale'));
    expect(await handedOut(leader())).toContain('first');
    proxy.meddle();
    await waitFor(cluster(), CATALOG, serves(second));
    await untilHandedOut(leader(), 'second');
  });

  test('the check that a person requested is made as soon as possible', async () => {
    const first = await publish('v1', 'first');
    await apply(`${proxy.address}/hub:v1`, { interval: '24h' });
    await waitFor(cluster(), CATALOG, serves(first));
    const second = await publish('v1', 'second');
    proxy.meddle(() => ({ kind: 'refuse', status: 503 }));
    await request('please');
    const stale = await waitFor(cluster(), CATALOG, says('True', 'CatalogStale'));
    expect(stale.status?.['lastHandledReconcileAt']).toBeUndefined();
    proxy.meddle();
    const done = await waitFor(cluster(), CATALOG, serves(second));
    expect(done.status?.['lastHandledReconcileAt']).toBe('please');
  });
});

test('signatures that are enforced and missing: nothing is served, and each Subscription that needs it reports that', async () => {
  const digest = await publish('v1', 'first');
  await apply(`${proxy.address}/hub:v1`);
  await waitFor(cluster(), CATALOG, serves(digest));
  await untilHandedOut(leader(), 'first');
  await apply(`${proxy.address}/hub:v1`, { verify: { keys: [KEY] } });
  await waitFor(cluster(), CATALOG, says('False', 'Unsigned'));
  for (const one of managers) await untilHandedOut(one, '404');
  await cluster().kubectl(['apply', '-f', '-'], subscriptionTo('first', 'default', { package: 'first' }));
  const subscription = { kind: 'subscription', name: 'first', namespace: 'default' };
  await waitFor(
    cluster(),
    subscription,
    (one) => condition(one, 'Ready')?.message.includes('has no signature') === true,
  );
  await until('an event reports the same', async () => (await eventsOfHub()).includes('Unsigned'));
  await cluster().kubectl(['delete', 'subscription', 'first', '-n', 'default', '--timeout=180s']);
  await apply(`${proxy.address}/hub:v1`, { verify: { keys: [KEY], enforcement: 'Warn' } });
  await waitFor(cluster(), CATALOG, serves(digest));
  expect(condition(await get(cluster(), 'catalog', 'hub'), 'Ready')?.message).toContain(
    'Used without a trusted signature',
  );
  await untilHandedOut(leader(), 'first');
});

async function eventsOfHub(): Promise<readonly string[]> {
  const events = await cluster().kubectl([
    '-n',
    'default',
    'get',
    'events.events.k8s.io',
    '-o',
    'jsonpath={range .items[?(@.regarding.name=="hub")]}{.reason}{"\\n"}{end}',
  ]);
  return events.split('\n');
}
