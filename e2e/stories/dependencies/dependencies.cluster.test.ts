/** Operators that need each other, over two catalogs; and upgrades that wait for a person or a time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, restartCollector, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, type PackageVersion } from '../../lib/publish.ts';
import { byExtent, isSample } from '../../lib/sample.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { requestReconcile } from '../../lib/writes.ts';

const cluster = useCluster();
const SHOP = { kind: 'subscription', name: 'shop', namespace: 'market' };
const STORE = { kind: 'subscription', name: 'store', namespace: 'market' };
let manager: RunningManager;
let opening: Date;

beforeAll(async () => {
  await installSlipway(cluster());
  await restartCollector(cluster());
  manager = await startManager(cluster());
  await publishAll(['1.0.0']);
  await apply(catalogOf('platform', `${cluster().registry}/platform:latest`));
  await apply(catalogOf('apps', `${cluster().registry}/apps:latest`, { interval: '10s' }));
  for (const name of ['market', 'clock']) await cluster().kubectl(['create', 'namespace', name]);
  for (const name of ['platform', 'apps']) await waitFor(cluster(), { kind: 'catalog', name }, isReady);
});
afterAll(async () => {
  await manager?.stop();
});

/** `store` is in the catalog `platform`; its dependents, and `clock`, are in `apps`. */
async function publishAll(clockVersions: readonly string[]): Promise<void> {
  const stores = await publishVersions('store', ['1.0.0', '1.5.0', '2.0.0']);
  await publishCatalog(packageDocuments('store', stores), `${cluster().registry}/platform:latest`);
  const [shop] = await publishVersions('shop', ['1.0.0']);
  const [rival] = await publishVersions('rival', ['1.0.0']);
  const clocks = await publishVersions('clock', clockVersions);
  const apps = [
    ...packageDocuments('shop', [{ ...(shop as PackageVersion), properties: [needsStore('>=1.0.0 <2.0.0')] }]),
    ...packageDocuments('rival', [{ ...(rival as PackageVersion), properties: [needsStore('>=2.0.0')] }]),
    ...packageDocuments('clock', clocks),
  ];
  await publishCatalog(apps, `${cluster().registry}/apps:latest`);
}

async function publishVersions(name: string, versions: readonly string[]): Promise<readonly PackageVersion[]> {
  return Promise.all(
    versions.map(async (version, at) => ({
      version,
      image: await publishTiny(cluster().registry, { name, version }),
      ...(at > 0 && { replaces: versions[at - 1] as string }),
    })),
  );
}

function needsStore(versionRange: string): Property {
  return needs('store', versionRange);
}

interface Property {
  readonly type: string;
  readonly value: object;
}

function needs(packageName: string, versionRange: string): Property {
  return { type: 'olm.package.required', value: { packageName, versionRange } };
}

async function apply(manifest: string): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], manifest);
}

async function reasonOf(name: string, namespace: string): Promise<string | undefined> {
  return condition(await get(cluster(), 'subscription', name, namespace), 'Ready')?.reason;
}

describe('an upgrade', () => {
  test('waits for its maintenance window, and reports the time', async () => {
    // far enough for an installation and a new version of the catalog on a busy machine
    const soon = new Date(Date.now() + byExtent({ all: 150_000, sample: 3600_000 }));
    opening = new Date(Math.floor(soon.getTime() / 60_000) * 60_000);
    const cron = `${opening.getUTCMinutes()} ${opening.getUTCHours()} * * *`;
    const windows = [{ cron, duration: '10m', timeZone: 'UTC' }];
    await apply(subscriptionTo('clock', 'clock', { package: 'clock', windows, onFailure: { bakeTime: '0s' } }));
    await waitFor(cluster(), { kind: 'subscription', name: 'clock', namespace: 'clock' }, runs('1.0.0'));
    await publishAll(['1.0.0', '1.1.0']);
    await askAgain('catalog', 'apps');
    const waiting = await waitFor(
      cluster(),
      { kind: 'subscription', name: 'clock', namespace: 'clock' },
      (one) => condition(one, 'UpgradeAvailable')?.reason === 'OutsideWindow',
    );
    expect(waiting.status?.['nextEligibleTime']).toBe(opening.toISOString().replace('.000Z', 'Z'));
    expect(waiting.status?.installed?.version).toBe('1.0.0');
    expect(isReady(waiting)).toBe(true);
  });
});

/** Its window may open at any moment. */
const CLOCK = /\bclock\b/;

describe('an operator that depends on another', () => {
  let before: ReadonlySet<string>;

  test('is installed after it, in a version that serves it, from whatever catalog has it', async () => {
    before = await snapshot(cluster());
    await apply(subscriptionTo('shop', 'market', { package: 'shop' }));
    await waitFor(cluster(), SHOP, runs('1.0.0'));
    const store = await waitFor(cluster(), STORE, runs('1.5.0'));
    expect(store.spec['catalog']).toBe('platform');
    expect(await createdAt('store')).toBeLessThanOrEqual(await createdAt('shop'));
    const events = await until('an event reports the end', async () => {
      const all = await list<{ readonly type: string; readonly note: string }>(cluster(), 'event', SHOP);
      return all.some(({ note }) => /shop\.v1\.0\.0 is installed/.test(note)) ? all : undefined;
    });
    expect(events.filter(({ type, note }) => type === 'Warning' && /shop|store/.test(note))).toEqual([]);
  });

  test('conflicts with one that needs another version, and the condition has the reason', async () => {
    await apply(subscriptionTo('rival', 'market', { package: 'rival' }));
    const rival = await waitFor(
      cluster(),
      { ...SHOP, name: 'rival' },
      (one) => condition(one, 'Stalled')?.reason === 'ResolutionFailed',
    );
    const message = condition(rival, 'Ready')?.message ?? '';
    expect(message).toContain('store');
    expect(message).toContain('>=2.0.0');
    expect(await reasonOf('shop', 'market')).toBe('Succeeded');
    await cluster().kubectl(['-n', 'market', 'delete', 'subscription', 'rival', '--timeout=180s']);
  });

  test('is removed before its dependency if both are deleted, the dependency first', async () => {
    await cluster().kubectl(['-n', 'market', 'delete', 'subscription', 'store', '--wait=false']);
    const held = await waitFor(cluster(), STORE, (one) => condition(one, 'Stalled')?.reason === 'DeleteBlocked');
    expect(condition(held, 'Ready')?.message).toContain('Delete Subscription market/shop');
    await waitFor(cluster(), SHOP, runs('1.0.0'));
    await cluster().kubectl(['-n', 'market', 'delete', 'subscription', 'shop', '--timeout=180s']);
    await cluster().kubectl(['-n', 'market', 'wait', '--for=delete', 'subscription/store', '--timeout=180s']);
    expect(await removedAt('shop')).toBeLessThan(await removedAt('store'));
    await expectUnchanged(cluster(), before, { besides: CLOCK });
  });

  test('also removes dependencies that only it needed, if the spec asks for that', async () => {
    await apply(subscriptionTo('shop', 'market', { package: 'shop', uninstall: { dependencies: 'Delete' } }));
    await waitFor(cluster(), SHOP, runs('1.0.0'));
    await cluster().kubectl(['-n', 'market', 'delete', 'subscription', 'shop', '--timeout=180s']);
    await cluster().kubectl(['-n', 'market', 'wait', '--for=delete', 'subscription/store', '--timeout=180s']);
    await expectUnchanged(cluster(), before, { besides: CLOCK });
  });
});

describe('manual approval', () => {
  test('holds a Revision until a person approves it, and its dependencies too', async () => {
    await apply(subscriptionTo('shop', 'market', { package: 'shop', approval: 'Manual' }));
    const waiting = await waitFor(cluster(), SHOP, (one) => condition(one, 'Ready')?.reason === 'ApprovalRequired');
    expect(await cluster().kubectl(['-n', 'market', 'get', 'subscriptions', '-o', 'name'])).not.toContain('store');
    expect(condition(waiting, 'Ready')?.message).toContain('kubectl -n market patch revisions.slipway.dev');
    await approve('shop-1');
    await waitFor(cluster(), STORE, (one) => condition(one, 'Ready')?.reason === 'ApprovalRequired');
    expect(await reasonOf('shop', 'market')).toBe('DependencyNotReady');
    await approve('store-1');
    await waitFor(cluster(), SHOP, runs('1.0.0'));
  });

  async function approve(revision: string): Promise<void> {
    const patch = JSON.stringify({ spec: { approved: true } });
    await cluster().kubectl(['-n', 'market', 'patch', 'revision', revision, '--type', 'merge', '-p', patch]);
  }
});

describe('operators that pin each other exactly', () => {
  const namespace = 'harbour';
  const PARTS = ['crane', 'quay'];
  const all = ['port', ...PARTS];
  /** By version of the port, the range of both parts: the last step needs a lower version than the one before it allows. */
  const NEEDED: Readonly<Record<string, string>> = {
    '1.0.0': '1.0.0',
    '1.1.0': '1.1.0',
    '1.2.0': '>=1.1.0',
    '1.3.0': '1.2.0',
  };
  const runAll = async (version: string): Promise<void> => {
    for (const name of all) await waitFor(cluster(), { kind: 'subscription', name, namespace }, runs(version));
  };

  beforeAll(async () => {
    const parts = await Promise.all(PARTS.map((name) => publishVersions(name, ['1.0.0', '1.1.0', '1.2.0', '1.3.0'])));
    const ports = (await publishVersions('port', Object.keys(NEEDED))).map((one) => ({
      ...one,
      properties: PARTS.map((name) => needs(name, NEEDED[one.version] ?? '')),
    }));
    // The newest version of a part may follow any other at once: over the version that the last step of the port needs.
    const leaping = parts.map((versions) =>
      versions.map((one) => (one.version === '1.3.0' ? { ...one, skipRange: '<1.3.0' } : one)),
    );
    const documents = PARTS.flatMap((name, at) => packageDocuments(name, leaping[at] ?? []));
    await publishCatalog([...packageDocuments('port', ports), ...documents], `${cluster().registry}/harbour:latest`);
    await apply(catalogOf('harbour', `${cluster().registry}/harbour:latest`));
    await waitFor(cluster(), { kind: 'catalog', name: 'harbour' }, isReady);
    await cluster().kubectl(['create', 'namespace', namespace]);
  });

  test('are upgraded together, though each step of one breaks a pin of another', async () => {
    const spec = { package: 'port', catalog: 'harbour', onFailure: { bakeTime: '0s' } };
    await apply(subscriptionTo('port', namespace, { ...spec, version: '1.0.0' }));
    await runAll('1.0.0');
    await apply(subscriptionTo('port', namespace, { ...spec, version: '1.1.0' }));
    await runAll('1.1.0');
  });

  test('wait for one that is upgraded over several steps, and report the version that waits', async () => {
    await apply(
      subscriptionTo('port', namespace, { package: 'port', catalog: 'harbour', onFailure: { bakeTime: '0s' } }),
    );
    await waitFor(cluster(), { kind: 'subscription', name: 'port', namespace }, runs('1.3.0'));
    for (const name of PARTS) {
      const part = await waitFor(cluster(), { kind: 'subscription', name, namespace }, runs('1.2.0'));
      expect(condition(part, 'UpgradeAvailable')?.message).toContain(`${name}.v1.3.0 is not chosen`);
    }
  });
});

describe('a package whose next version requires another one, which brings its CRD', () => {
  const namespace = 'harvest';
  const [BARN, SILO] = ['barn', 'silo'].map((name) => ({ kind: 'subscription', name, namespace }));
  const WHEAT = '/apis/tiny.example/v1/namespaces/harvest/wheats/first';
  const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/wheats.tiny.example';
  const bringsWheat = { type: 'olm.gvk', value: { group: 'tiny.example', version: 'v1', kind: 'Wheat' } };

  async function publish(name: string, version: string, kind?: string): Promise<PackageVersion> {
    const image = await publishTiny(cluster().registry, { name, version, ...(kind !== undefined && { kind }) });
    return { version, image, properties: kind === undefined ? [needs('silo', '>=1.0.0')] : [bringsWheat] };
  }

  test('is upgraded first, and the other one takes the CRD up with its objects', async () => {
    const barns = [await publish('barn', '1.0.0', 'Wheat'), { ...(await publish('barn', '1.1.0')), replaces: '1.0.0' }];
    const silo = packageDocuments('silo', [await publish('silo', '1.0.0', 'Wheat')]);
    const catalog = await publishCatalog([...packageDocuments('barn', barns), ...silo], `${cluster().registry}/farm:latest`); // prettier-ignore
    await apply(catalogOf('farm', catalog));
    await cluster().kubectl(['create', 'namespace', namespace]);
    const spec = { package: 'barn', catalog: 'farm', onFailure: { bakeTime: '0s' } };
    await apply(subscriptionTo('barn', namespace, { ...spec, version: '1.0.0' }));
    await waitFor(cluster(), BARN!, runs('1.0.0'));
    await apply(
      JSON.stringify({ apiVersion: 'tiny.example/v1', kind: 'Wheat', metadata: { name: 'first', namespace } }),
    );
    const uids = async (): Promise<readonly unknown[]> =>
      Promise.all([WHEAT, CRD].map(async (path) => ((await cluster().read(path))['metadata'] as { uid: string }).uid));
    const before = await uids();

    await apply(subscriptionTo('barn', namespace, spec));
    await waitFor(cluster(), BARN!, runs('1.1.0'));
    await waitFor(cluster(), SILO!, runs('1.0.0'));
    expect(await uids()).toEqual(before);
    const { metadata } = (await cluster().read(CRD)) as { metadata: { annotations: Record<string, string> } };
    expect(Object.values(metadata.annotations)).toContain(`${namespace}/silo`);
  });
});

test.skipIf(isSample)('when the window opens, the upgrade begins', async () => {
  const where = { kind: 'subscription', name: 'clock', namespace: 'clock' };
  const clock = await waitFor(cluster(), where, runs('1.1.0'));
  expect(Date.now()).toBeGreaterThanOrEqual(opening.getTime());
  expect(clock.status?.['nextEligibleTime']).toBeUndefined();
});

/** The time of the event about the end of a removal, in microseconds. */
async function removedAt(name: string): Promise<number> {
  const text = await until(`an event reports that ${name} is removed`, async () => {
    const path = 'jsonpath={range .items[?(@.reason=="Uninstalling")]}{.regarding.name} {.eventTime}{"\\n"}{end}';
    const lines = await cluster().kubectl(['-n', 'market', 'get', 'events.events.k8s.io', '-o', path]);
    return lines.split('\n').find((line) => line.startsWith(`${name} `));
  });
  const [, seconds = '', micros = ''] = /^\S+ (\S+)\.(\d{6})Z$/.exec(text) ?? [];
  return Date.parse(`${seconds}Z`) * 1000 + Number(micros);
}

function askAgain(kind: string, name: string): Promise<void> {
  return requestReconcile(cluster(), { kind, name });
}

async function createdAt(deployment: string): Promise<number> {
  const path = 'jsonpath={.metadata.creationTimestamp}';
  return Date.parse(await cluster().kubectl(['-n', 'market', 'get', 'deployment', deployment, '-o', path]));
}
