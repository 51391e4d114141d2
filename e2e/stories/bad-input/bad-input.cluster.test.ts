/** Bad input, each with its clear condition and event, and no effect on other objects. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import {
  catalogOf,
  condition,
  get,
  isReady,
  list,
  runs,
  subscriptionTo,
  waitFor,
  type Judged,
} from '../../lib/objects.ts';
import {
  packageDocuments,
  publishBundle,
  publishCatalog,
  publishCatalogText,
  push,
  readTree,
} from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { startRegistryProxy, type Fault, type Meddle, type RegistryProxy } from '../../lib/registry-proxy.ts';
import { sampleOf } from '../../lib/sample.ts';
import { until } from '../../lib/until.ts';
import * as writes from '../../lib/writes.ts';

const cluster = useCluster();
const example = join(ROOT, 'bundles/examples/beacon-operator/1.0.0');
const NAMESPACE = 'bad';
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster(), { SLIPWAY_REGISTRY_TIMEOUT: '1' });
  await cluster().kubectl(['create', 'namespace', NAMESPACE]);
});
afterAll(async () => {
  await manager?.stop();
});

/** Waits until the object says Ready=False for that reason, and an event about this very object has the same reason. */
interface Told {
  readonly reason: string;
  readonly regarding: { readonly uid: string };
}

async function expectReason(kind: string, name: string, reason: string, says = /./): Promise<Judged> {
  const namespaced = kind === 'subscription' ? { namespace: NAMESPACE } : {};
  const object = await waitFor(
    cluster(),
    { kind, name, ...namespaced },
    (one) => condition(one, 'Ready')?.reason === reason,
  );
  expect(condition(object, 'Ready')).toMatchObject({ status: 'False', message: expect.stringMatching(says) as string });
  const where = kind === 'subscription' ? NAMESPACE : 'default';
  await until(`an event reports ${reason} about ${name}`, async () => {
    const events = await list<Told>(cluster(), 'event', { namespace: where });
    return events.some(({ regarding, reason: told }) => regarding.uid === object.metadata.uid && told === reason);
  });
  return object;
}

/** An operator that has nothing to do with any of this, and the state that it is to stay in. */
const BYSTANDER = { kind: 'subscription', name: 'bystander', namespace: 'good' };
let untouched = '';

async function stateOfBystander(): Promise<string> {
  const { kind, name, namespace } = BYSTANDER;
  const subscription = await get(cluster(), kind, name, namespace);
  const deployments = await list(cluster(), 'deployment', { namespace });
  return JSON.stringify([subscription, ...deployments.map(({ metadata: { uid, generation } }) => [uid, generation])]);
}

beforeAll(async () => {
  const { registry } = cluster();
  const documents = ['bystander', 'passer-by'].map(async (name) => {
    const image = await publishTiny(registry, { name, version: '1.0.0' });
    return packageDocuments(name, [{ version: '1.0.0', image }]);
  });
  await publishCatalog((await Promise.all(documents)).flat(), `${registry}/bystander-c:latest`);
  await cluster().kubectl(['create', 'namespace', BYSTANDER.namespace]);
  await apply(catalogOf('bystander', `${registry}/bystander-c:latest`));
  await apply(subscriptionTo(BYSTANDER.name, BYSTANDER.namespace, { package: 'bystander' }));
  await waitFor(cluster(), BYSTANDER, runs('1.0.0'));
  untouched = await until('nothing more happens to the bystander', async () => {
    const before = await stateOfBystander();
    await pause(1500);
    return (await stateOfBystander()) === before ? before : undefined;
  });
});

function apply(manifest: string): Promise<void> {
  return writes.apply(cluster(), manifest);
}

/** Requests the reconcile that the interval would bring in minutes. */
function lookAgain(name: string): Promise<void> {
  return writes.requestReconcile(cluster(), { kind: 'catalog', name });
}

/** The failure of one test must not affect the next one, nor other users. */
afterEach(async () => {
  expect(await stateOfBystander()).toBe(untouched);
  for (const { metadata } of await list(cluster(), 'subscription', { namespace: NAMESPACE }))
    await remove('subscription', metadata.name);
});

function remove(kind: string, name: string): Promise<void> {
  return writes.remove(cluster(), { kind, name, ...(kind === 'subscription' && { namespace: NAMESPACE }) });
}

describe('a Subscription', () => {
  beforeAll(async () => {
    const { registry } = cluster();
    const image = await publishBundle(example, `${registry}/beacon:v1.0.0`);
    await publishCatalog(packageDocuments('beacon-operator', [{ version: '1.0.0', image }]), `${registry}/good:latest`);
    await apply(catalogOf('good', `${registry}/good:latest`));
    await waitFor(cluster(), { kind: 'catalog', name: 'good' }, isReady);
  });

  test.each([
    {
      because: 'no catalog has the package',
      spec: { package: 'unheard-of' },
      reason: 'PackageNotFound',
      says: /unheard-of/,
    },
    {
      because: 'the package has no such channel',
      spec: { package: 'beacon-operator', channel: 'nightly' },
      reason: 'ChannelNotFound',
      says: /nightly.*stable/,
    },
    {
      because: 'no bundle is in the range',
      spec: { package: 'beacon-operator', version: '>=7.0.0' },
      reason: 'VersionNotFound',
      says: />=7\.0\.0/,
    },
    {
      because: 'the range cannot be read',
      spec: { package: 'beacon-operator', version: 'newest please' },
      reason: 'InvalidVersionRange',
      says: /newest please/,
    },
    {
      because: 'the catalog does not exist',
      spec: { package: 'beacon-operator', catalog: 'nowhere' },
      reason: 'CatalogNotFound',
      says: /nowhere/,
    },
    {
      because: 'the account does not exist',
      spec: { package: 'beacon-operator', serviceAccountName: 'nobody' },
      reason: 'ServiceAccountNotFound',
      says: /nobody/,
    },
  ])('says so where $because', async ({ spec, reason, says }) => {
    await apply(subscriptionTo('wrong', NAMESPACE, spec));
    await expectReason('subscription', 'wrong', reason, says);
    await remove('subscription', 'wrong');
  });

  test('names the missing right of its ServiceAccount', async () => {
    await cluster().kubectl(['-n', NAMESPACE, 'create', 'serviceaccount', 'powerless']);
    await apply(subscriptionTo('wrong', NAMESPACE, { package: 'beacon-operator', serviceAccountName: 'powerless' }));
    await expectReason('subscription', 'wrong', 'Forbidden', /powerless/);
    await remove('subscription', 'wrong');
  });

  test('does not take what belongs to another', async () => {
    await cluster().kubectl(['-n', NAMESPACE, 'create', 'service', 'clusterip', 'beacon-metrics', '--tcp=80']);
    await apply(subscriptionTo('wrong', NAMESPACE, { package: 'beacon-operator' }));
    await expectReason('subscription', 'wrong', 'Collision', /beacon-metrics/);
    await expect(cluster().kubectl(['get', 'crd', 'beacons.example.slipway.dev'])).rejects.toThrow(/NotFound/);
    await cluster().kubectl(['-n', NAMESPACE, 'delete', 'service', 'beacon-metrics']);
    await remove('subscription', 'wrong');
  });

  test('reports that a namespace that it should watch is being deleted', async () => {
    await cluster().kubectl(['create', 'namespace', 'closing']);
    await apply(held('closing'));
    await cluster().kubectl(['delete', 'namespace', 'closing', '--wait=false']);
    await apply(subscriptionTo('wrong', NAMESPACE, { package: 'passer-by', watchNamespaces: ['closing'] }));
    await expectReason('subscription', 'wrong', 'NamespaceTerminating', /closing/);
    await remove('subscription', 'wrong');
    await release('closing');
  });
});

describe('a bundle image', () => {
  const changed = (edit: (files: Map<string, Uint8Array>) => void): ReadonlyMap<string, Uint8Array> => {
    const files = readTree(example);
    edit(files);
    return files;
  };
  const CSV = 'manifests/beacon-operator.clusterserviceversion.yaml';

  test.each(
    sampleOf(
      [
        {
          because: 'it is no bundle',
          files: new Map([['etc/motd', Buffer.from('hello')]]),
          reason: 'BundleInvalid',
          says: /annotations\.yaml/,
        },
        {
          because: 'it has no ClusterServiceVersion',
          files: changed((files) => files.delete(CSV)),
          reason: 'BundleInvalid',
          says: /ClusterServiceVersion/,
        },
        {
          because: 'its YAML is broken',
          files: changed((files) => files.set(CSV, Buffer.from('spec: [unclosed'))),
          reason: 'BundleInvalid',
          says: /beacon-operator\.clusterserviceversion\.yaml/,
        },
        {
          because: 'it has a kind that no bundle may have',
          files: changed((files) =>
            files.set('manifests/job.yaml', Buffer.from('apiVersion: batch/v1\nkind: Job\nmetadata: {name: sneaky}\n')),
          ),
          reason: 'BundleUnsupported',
          says: /Job/,
        },
      ],
      { every: 2 },
    ),
  )('is refused where $because', async ({ files, reason, says }) => {
    const { registry } = cluster();
    const image = await push(`${registry}/broken:v1`, { files, labels: {} });
    await publishCatalog(
      packageDocuments('broken', [{ version: '1.0.0', image }]),
      `${registry}/broken-catalog:latest`,
    );
    await apply(catalogOf('broken', `${registry}/broken-catalog:latest`));
    await apply(subscriptionTo('broken', NAMESPACE, { package: 'broken' }));
    await expectReason('subscription', 'broken', reason, says);
    await remove('subscription', 'broken');
    await remove('catalog', 'broken');
  });

  test('a bundle image that the catalog names and the registry lacks is reported', async () => {
    const { registry } = cluster();
    const image = `${registry}/beacon@sha256:${'0'.repeat(64)}`;
    await publishCatalog(packageDocuments('gone', [{ version: '1.0.0', image }]), `${registry}/gone-catalog:latest`);
    await apply(catalogOf('gone', `${registry}/gone-catalog:latest`));
    await apply(subscriptionTo('gone', NAMESPACE, { package: 'gone' }));
    await expectReason('subscription', 'gone', 'ImageNotFound');
    await remove('subscription', 'gone');
    await remove('catalog', 'gone');
  });
});

describe('a catalog', () => {
  test('with broken JSON is refused, and a good one later is taken', async () => {
    const { registry } = cluster();
    await publishCatalogText('{"schema": "olm.package", "name": ', `${registry}/torn:latest`);
    await apply(catalogOf('torn', `${registry}/torn:latest`));
    await expectReason('catalog', 'torn', 'CatalogInvalid');
    await publishCatalog([{ schema: 'olm.package', name: 'a', defaultChannel: 'b' }], `${registry}/torn:latest`);
    await lookAgain('torn');
    await waitFor(cluster(), { kind: 'catalog', name: 'torn' }, isReady);
    await publishCatalogText('}{', `${registry}/torn:latest`);
    await lookAgain('torn');
    const stale = await waitFor(
      cluster(),
      { kind: 'catalog', name: 'torn' },
      (one) => condition(one, 'Ready')?.reason === 'CatalogStale',
    );
    expect(condition(stale, 'Ready')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('last good content'),
    });
    await remove('catalog', 'torn');
  });

  describe('of a registry that misbehaves', () => {
    let server: Server;
    let status = 200;
    let body: Buffer = Buffer.alloc(0);
    beforeAll(async () => {
      server = createServer((request, response) => {
        if (status === 0) return; // never answers
        response
          .writeHead(request.url === '/v2/' ? 200 : status, {
            'content-type': 'application/vnd.oci.image.manifest.v1+json',
            'docker-content-digest': `sha256:${'1'.repeat(64)}`,
          })
          .end(request.method === 'HEAD' ? undefined : body);
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    });
    afterAll(() => void server.close());

    test.each(
      sampleOf(
        [
          { because: 'it refuses the credentials', answer: 401, reason: 'RegistryDenied' },
          { because: 'it has no such image', answer: 404, reason: 'ImageNotFound' },
          { because: 'it asks to slow down', answer: 429, reason: 'RegistryThrottled' },
          { because: 'it is broken', answer: 500, reason: 'RegistryUnavailable' },
          { because: 'it answers with another content than asked for', answer: 200, reason: 'DigestMismatch' },
        ],
        { every: 2 },
      ),
    )('reports that $because', async ({ answer, reason }) => {
      status = answer;
      body = Buffer.from('{"schemaVersion":2}');
      const { port } = server.address() as AddressInfo;
      await apply(catalogOf('poor', `localhost:${port}/catalog:latest`));
      await expectReason('catalog', 'poor', reason);
      await remove('catalog', 'poor');
    });

    test('reports that the registry is down', async () => {
      await apply(catalogOf('down', 'localhost:1/catalog:latest'));
      await expectReason('catalog', 'down', 'RegistryUnavailable');
      await remove('catalog', 'down');
    });
  });

  describe('of a registry that is well again after a while', () => {
    let proxy: RegistryProxy;
    beforeAll(async () => {
      proxy = await startRegistryProxy(cluster().registry);
      await publishWeak('a digest of its own');
    });
    /** Behind the proxy, and with content that no manager has pulled before. */
    const publishWeak = async (note: string): Promise<void> => {
      const { registry } = cluster();
      const files = readTree(example).set('tests/note', Buffer.from(note));
      const image = await push(`${registry}/weak-bundle:v1.0.0`, { files, labels: {} });
      const version = { version: '1.0.0', image: image.replace(registry, proxy.address) };
      await publishCatalog(packageDocuments('weak-operator', [version]), `${registry}/weak:latest`);
    };
    afterEach(async () => {
      proxy.meddle();
      await remove('catalog', 'weak');
    });
    afterAll(() => proxy[Symbol.asyncDispose]());

    const once = (path: RegExp, fault: Fault): Meddle => {
      let left = 1;
      return (asked) => (path.test(asked) && left-- > 0 ? fault : undefined);
    };
    const always = (path: RegExp, fault: Fault) => (): Meddle => (asked) => (path.test(asked) ? fault : undefined);
    const manifest = /\/weak\/manifests\//;
    const blob = /\/weak\/blobs\//;

    test.each([
      { because: 'each answer takes a while', meddle: always(/./, { kind: 'delay', milliseconds: 300 }) },
      { because: 'the content stalls once on its way', meddle: () => once(blob, { kind: 'stall', afterBytes: 100 }) },
    ])('is served although $because', async ({ meddle }) => {
      proxy.meddle(meddle());
      await apply(catalogOf('weak', `${proxy.address}/weak:latest`));
      await waitFor(cluster(), { kind: 'catalog', name: 'weak' }, isReady);
    });

    test.each(
      sampleOf(
        [
          {
            because: 'it never answers',
            meddle: always(manifest, { kind: 'silence' }),
            reason: 'RegistryUnavailable',
          },
          {
            because: 'the content stalls again and again',
            meddle: always(blob, { kind: 'stall', afterBytes: 0 }),
            reason: 'RegistryUnavailable',
          },
          {
            because: 'it has lost the content',
            meddle: always(blob, { kind: 'refuse', status: 404 }),
            reason: 'ImageNotFound',
          },
          {
            because: 'it fails over the content',
            meddle: always(blob, { kind: 'refuse', status: 500 }),
            reason: 'RegistryUnavailable',
          },
          {
            because: 'it asks to come again in a second',
            meddle: always(manifest, { kind: 'refuse', status: 429, headers: { 'retry-after': '1' } }),
            reason: 'RegistryThrottled',
          },
          {
            because: 'the content is changed on its way',
            meddle: always(blob, { kind: 'alter' }),
            reason: 'DigestMismatch',
          },
        ],
        { every: 3 },
      ),
    )('reports that $because, and serves the Catalog when that is over', async ({ meddle, reason }) => {
      proxy.meddle(meddle());
      await apply(catalogOf('weak', `${proxy.address}/weak:latest`));
      await expectReason('catalog', 'weak', reason);
      proxy.meddle();
      await waitFor(cluster(), { kind: 'catalog', name: 'weak' }, isReady);
    });

    test.each(
      sampleOf(
        [
          { because: 'refuses the credentials', fault: { kind: 'refuse', status: 401 }, reason: 'RegistryDenied' },
          {
            because: 'asks to come again in a second',
            fault: { kind: 'refuse', status: 429, headers: { 'retry-after': '1' } },
            reason: 'RegistryThrottled',
          },
          { because: 'is broken', fault: { kind: 'refuse', status: 500 }, reason: 'RegistryUnavailable' },
          { because: 'changes the content on its way', fault: { kind: 'alter' }, reason: 'DigestMismatch' },
        ] as const,
        { every: 3 },
      ),
    )('a bundle whose registry $because is reported, and installed when that is over', async (row) => {
      await publishWeak(row.because);
      const path = row.fault.kind === 'alter' ? /\/weak-bundle\/blobs\// : /\/weak-bundle\/manifests\//;
      proxy.meddle(always(path, row.fault)());
      await apply(catalogOf('weak', `${proxy.address}/weak:latest`));
      await apply(subscriptionTo('weak', NAMESPACE, { package: 'weak-operator' }));
      await expectReason('subscription', 'weak', row.reason, /weak-bundle/);
      proxy.meddle();
      await waitFor(cluster(), { kind: 'subscription', name: 'weak', namespace: NAMESPACE }, runs('1.0.0'));
    });

    test('keeps the Subscriptions of others going while a bundle stalls', async () => {
      await publishWeak('it stalls');
      proxy.meddle(always(/\/weak-bundle\/blobs\//, { kind: 'stall', afterBytes: 0 })());
      await apply(catalogOf('weak', `${proxy.address}/weak:latest`));
      await waitFor(cluster(), { kind: 'catalog', name: 'weak' }, isReady);
      await apply(subscriptionTo('stuck', NAMESPACE, { package: 'weak-operator' }));
      await expectReason('subscription', 'stuck', 'RegistryUnavailable');
      await apply(subscriptionTo('free', NAMESPACE, { package: 'passer-by' }));
      await waitFor(cluster(), { kind: 'subscription', name: 'free', namespace: NAMESPACE }, runs('1.0.0'));
      proxy.meddle();
      await waitFor(cluster(), { kind: 'subscription', name: 'stuck', namespace: NAMESPACE }, runs('1.0.0'));
    });
  });
});

test('a namespace that is being deleted is left alone', async () => {
  await cluster().kubectl(['create', 'namespace', 'leaving']);
  await apply(held('leaving'));
  await apply(subscriptionTo('late', 'leaving', { package: 'beacon-operator' }));
  await waitFor(cluster(), { kind: 'subscription', name: 'late', namespace: 'leaving' }, runs('1.0.0'));
  await cluster().kubectl(['delete', 'namespace', 'leaving', '--wait=false']);
  await until('the Subscription is gone with all that it made', async () => {
    const left = await cluster().kubectl([
      '-n',
      'leaving',
      'get',
      'subscriptions,revisions,deployments,secrets',
      '-o',
      'name',
      '--ignore-not-found',
    ]);
    return left.trim() === '';
  });
  await expect(cluster().kubectl(['get', 'crd', 'beacons.example.slipway.dev'])).rejects.toThrow(/NotFound/);
  await release('leaving');
});

/** What keeps a namespace from going. */
function held(namespace: string): string {
  const metadata = { name: 'keeper', namespace, finalizers: ['example.slipway.dev/hold'] };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

async function release(namespace: string): Promise<void> {
  const patch = '{"metadata":{"finalizers":null}}';
  await cluster().kubectl(['-n', namespace, 'patch', 'configmap', 'keeper', '--type=merge', '-p', patch]);
}
