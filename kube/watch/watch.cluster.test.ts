import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import { useCluster } from '../../e2e/lib/cluster.ts';
import { isSample } from '../../e2e/lib/sample.ts';
import { isExpired } from '../../api/api-answers.ts';
import { createClient, type Client, type WatchEvent } from '../client/client.ts';
import { listConsistently } from '../client/list-objects.ts';
import type { ConnectionConfig } from '../transport/config.ts';
import { eventually } from '../testing/eventually.ts';
import { startFaultProxy, type FaultProxy } from '../testing/fault-proxy.ts';
import { createInformer, type Informer } from './informer.ts';
import { loadKubeconfig } from '../kubeconfig/kubeconfig.ts';
import type { RequestFacts } from '../transport/api-request.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

const cluster = useCluster({ only: ['kube-apiserver'] });
const NAMESPACE = 'default';
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

let config: ConnectionConfig;
let direct: Transport;
let client: Client;

beforeAll(async () => {
  ({ config } = await loadKubeconfig(cluster().kubeconfig));
  direct = createTransport(config);
  client = createClient(direct);
});

afterAll(() => direct.close());

/** A client behind a fault proxy, and an informer over it. */
let proxy: FaultProxy;
let proxied: Transport;
let stop: AbortController;
let seen: RequestFacts[];

beforeEach(async () => {
  proxy = await startFaultProxy(config.server);
  seen = [];
  proxied = createTransport(
    { ...config, server: proxy.server, tlsServerName: 'localhost' },
    { onRequest: (facts) => void seen.push(facts) },
  );
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort(new Error('the test is over'));
  proxied.close();
  await proxy[Symbol.asyncDispose]();
});

function configMap(name: string, data: Record<string, string> = {}): KubeObject {
  return { ...CONFIG_MAP, metadata: { name, namespace: NAMESPACE, labels: { test: 'watch' } }, data };
}

async function follow(options: { idleSeconds?: number; watchSeconds?: number } = {}): Promise<Informer> {
  const informer = createInformer({
    client: createClient(proxied),
    ...CONFIG_MAP,
    labelSelector: 'test=watch',
    ...options,
  });
  informer.start(stop.signal);
  await informer.synced;
  return informer;
}

const put = (name: string, data: Record<string, string> = {}): Promise<KubeObject> =>
  client.apply(configMap(name, data), { force: true });
const remove = (name: string): Promise<unknown> => client.delete({ ...CONFIG_MAP, namespace: NAMESPACE, name });
const versions = (objects: readonly KubeObject[]): string[] =>
  objects.map((object) => `${keyOfObject(object)} ${object.metadata.resourceVersion}`).sort();

async function agrees(informer: Informer): Promise<void> {
  await eventually(async () => {
    const wanted = versions(await client.list(CONFIG_MAP, { labelSelector: 'test=watch' }));
    return JSON.stringify(versions(informer.list())) === JSON.stringify(wanted);
  });
}

async function readAll(watch: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of watch) events.push(event);
  return events;
}

/** Makes etcd forget all old versions, as Kubernetes does every five minutes. */
async function compact(): Promise<void> {
  const pid = cluster().processes().get('etcd');
  const url = /--listen-client-urls=(http:[^\0]+)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1];
  const { resourceVersion } = await client.listPage(CONFIG_MAP, { limit: 1 });
  const body = JSON.stringify({ revision: resourceVersion, physical: true });
  const response = await fetch(`${url}/v3/kv/compaction`, { method: 'POST', body });
  expect(response.status).toBe(200);
}

describe('interrupted watches', () => {
  test('a dropped watch resumes where it was, without a new list', async () => {
    const informer = await follow();
    await put('drop', { v: '1' });
    await eventually(() => informer.get(`${NAMESPACE}/drop`));
    const lists = seen.filter(({ path }) => path.endsWith('configmaps')).length;
    for (let i = 0; i < 5; i++) {
      proxy.drop();
      await put('drop', { v: `after ${i}` });
      await agrees(informer);
    }
    const later = seen.filter(({ path }) => path.endsWith('configmaps')).length - lists;
    expect(later).toBeGreaterThanOrEqual(5);
    await remove('drop');
    await agrees(informer);
  });

  test('a silently stalled watch is noticed and replaced', async () => {
    const informer = await follow({ idleSeconds: 2 });
    await put('stall', { v: '1' });
    await eventually(() => informer.get(`${NAMESPACE}/stall`));
    proxy.stall();
    await put('stall', { v: '2' });
    await remove('stall');
    await agrees(informer);
    expect(informer.get(`${NAMESPACE}/stall`)).toBeUndefined();
  });

  test('after a time without a server all changes are known, including deletions', async () => {
    await put('gone');
    const informer = await follow();
    const deleted: string[] = [];
    informer.on({ deleted: ({ metadata }) => void deleted.push(metadata.name) });
    proxy.block();
    await remove('gone');
    await put('new');
    proxy.restore();
    await agrees(informer);
    expect(deleted).toEqual(['gone']);
  });

  test('a watch that the server ends is resumed', async () => {
    const informer = await follow({ watchSeconds: 1 });
    await eventually(
      () => seen.filter(({ path, status }) => path.endsWith('configmaps') && status === 200).length >= 4,
    );
    await put('goes-on');
    await agrees(informer);
  });
});

describe('expired versions', () => {
  test.skipIf(isSample)('a watch from a version that etcd has compacted fails as expired', async () => {
    const { metadata } = await put('old', { v: '1' });
    await put('old', { v: '2' });
    await compact();
    await cluster().restart('kube-apiserver');
    const watch = client.watch(CONFIG_MAP, {
      resourceVersion: String(Number(metadata.resourceVersion) - 1),
      namespace: NAMESPACE,
    });
    const error = await readAll(watch).catch((error: unknown) => error);
    expect(isExpired(error)).toBe(true);
  });

  test('an informer whose version has expired lists again, and reports deletions', async () => {
    await put('lost', { v: '1' });
    const informer = await follow();
    const deleted: unknown[] = [];
    informer.on({ deleted: (object) => void deleted.push(object['data']) });
    proxy.block();
    await remove('lost');
    for (let i = 0; i < 5; i++) await put('busy', { v: String(i) });
    await compact();
    await cluster().restart('kube-apiserver');
    proxy.restore();
    await agrees(informer);
    expect(deleted).toEqual([{ v: '1' }]);
  });

  test('a list whose continue token expires midway is complete and consistent', async () => {
    const names = Array.from({ length: 620 }, (_, i) => `page-${i}`);
    await Promise.all(names.map((name) => client.create(configMap(name))));
    let pages = 0;
    let expired = 0;
    const list = await listConsistently(async (page) => {
      pages += 1;
      if (pages === 2) {
        await remove('page-0');
        await compact();
        await cluster().restart('kube-apiserver');
      }
      return client.listPage(CONFIG_MAP, { ...page, namespace: NAMESPACE }).catch((error: unknown) => {
        if (isExpired(error)) expired += 1;
        throw error;
      });
    });
    expect([expired, pages]).toEqual([1, 3]);
    const found = new Set(list.items.map(({ metadata }) => metadata.name));
    expect(names.slice(1).every((name) => found.has(name)) && !found.has('page-0')).toBe(true);
  });
});

test.skipIf(isSample)('bookmarks advance an idle watch', async () => {
  const { metadata } = await put('quiet');
  const { resourceVersion = '' } = metadata;
  const options = { resourceVersion, labelSelector: 'test=nothing', timeoutSeconds: 6 };
  const watching = readAll(client.watch(CONFIG_MAP, options));
  const over = watching.then(() => true);
  for (let i = 0; !(await Promise.race([over, pause(200, false)])); i++) await put('elsewhere', { v: String(i) });
  const events = await watching;
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['BOOKMARK']));
  expect(Number(events.at(-1)?.object.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
});

test('when the API server is restarted, informers go on and writes succeed once it is back', async () => {
  const informer = await follow();
  const restarting = cluster().restart('kube-apiserver', 'SIGKILL');
  const writing = eventually(() =>
    createClient(proxied)
      .apply(configMap('restart'), { force: true })
      .catch(() => false),
  );
  await restarting;
  await writing;
  await agrees(informer);
  expect(informer.get(`${NAMESPACE}/restart`)).toBeDefined();
});
