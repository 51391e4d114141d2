/** The store keeps little of each object, the newest events alone, and all others as the API server has them. */
import { expect, test } from 'vitest';
import { API_VERSION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import type { WatchEvent } from '../../kube/client/client.ts';
import type { ListPageOptions } from '../../kube/client/list-objects.ts';
import { eventually } from '../../kube/testing/eventually.ts';
import { untilSynced } from '../../kube/watch/informer.ts';
import type { FollowingClient } from './newest-client.ts';
import { EVENT_BOUNDS } from './newest-events.ts';
import { scopesOfCluster } from './scopes.ts';
import { LiveStore } from './store.ts';

const LARGE = 'x'.repeat(1_000_000);

function event(namespace: string, version: number, parts: object = {}): KubeObject {
  const metadata = { name: `e${version}`, namespace, resourceVersion: `${version}` };
  return { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata, note: 'a', ...parts };
}

/** A store over these objects, which lists them in pages of the size that it asks for. */
async function storeOver(objects: readonly KubeObject[], changes: readonly WatchEvent[] = []) {
  const listed: { readonly kind: string; readonly limit: number | undefined }[] = [];
  const client = {
    discovery: { onAnnounce: () => () => undefined },
    async listPage({ kind }: { readonly kind: string }, { limit = 500, ...options }: ListPageOptions = {}) {
      listed.push({ kind, limit });
      const from = Number(options.continue ?? 0);
      const own = objects.filter((one) => one.kind === kind);
      const items = own.slice(from, from + limit);
      return { resourceVersion: '1', items, ...(from + limit < own.length && { continue: `${from + limit}` }) };
    },
    async *watch({ kind }: { readonly kind: string }, _: object, signal: AbortSignal) {
      if (kind === 'Event') yield* changes;
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  } as unknown as FollowingClient;
  const store = new LiveStore({ client, scopes: scopesOfCluster('slipway-system') });
  const over = new AbortController();
  store.start(over.signal);
  await untilSynced(store.caches, { seconds: 20, signal: over.signal });
  return { store, listed, [Symbol.dispose]: () => over.abort(new Error('the test ends')) };
}

const names = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);

test('large objects of a tenant are kept in a few kilobytes, and listed in small pages', async () => {
  const metadata = { name: 's', namespace: 'tenant', resourceVersion: '1' };
  const spec = { package: 'gadget', config: { annotations: { a: LARGE } } };
  const objects = [
    ...[1, 2, 3, 4, 5].map((version) => event('tenant', version, { note: LARGE })),
    { apiVersion: API_VERSION, kind: 'Subscription', metadata, spec },
  ];
  using scene = await storeOver(objects);
  const { store, listed } = scene;
  await eventually(() => store.list('events').length === 5);
  expect(JSON.stringify(store.list('events')).length).toBeLessThan(5 * 4096);
  expect(JSON.stringify(store.list('subscriptions')).length).toBeLessThan(4096);
  expect(Math.max(...listed.map(({ limit }) => limit ?? Infinity))).toBeLessThanOrEqual(100);
});

test('of a namespace with many events the newest are kept, and those of another one stay', async () => {
  const most = EVENT_BOUNDS.perNamespace;
  const many = Array.from({ length: most + 500 }, (_, at) => event('tenant', at + 1));
  using scene = await storeOver([...many, event('ops', 1)]);
  const { store } = scene;
  await eventually(() => store.list('events').length > 0);
  const kept = store.list('events');
  const ofTenant = kept.filter(({ metadata }) => metadata.namespace === 'tenant');
  expect(names(kept.filter(({ metadata }) => metadata.namespace === 'ops'))).toEqual(['e1']);
  expect(ofTenant.length).toBeGreaterThanOrEqual(most / 2);
  expect(ofTenant.length).toBeLessThanOrEqual(most);
  expect(names(ofTenant)).toContain(`e${most + 500}`);
  expect(names(ofTenant)).not.toContain('e1');
  expect(store.cutEvents).toEqual(['tenant']);
});

test('events that come later are bounded, too, and those that are given up leave the views', async () => {
  const most = EVENT_BOUNDS.perNamespace;
  const changes = Array.from({ length: 3 * most }, (_, at): WatchEvent => ({
    type: 'ADDED',
    object: event('tenant', at + 2),
  }));
  const later: readonly WatchEvent[] = [
    {
      type: 'DELETED',
      object: event('ops', 1, { metadata: { name: 'e1', namespace: 'ops', resourceVersion: '9000' } }),
    },
    { type: 'DELETED', object: event('tenant', 2) },
    { type: 'BOOKMARK', object: event('tenant', 9001) },
    { type: 'ADDED', object: event('ops', 9002) },
  ];
  using scene = await storeOver([event('ops', 1)], [...changes, ...later]);
  const { store } = scene;
  await eventually(() => names(store.list('events')).includes('e9002'));
  const kept = store.list('events').filter(({ metadata }) => metadata.namespace === 'tenant');
  expect(kept.length).toBeLessThanOrEqual(most);
  expect(names(kept)).toContain(`e${3 * most + 1}`);
  expect(names(store.list('events'))).not.toContain('e1');
  expect(store.cutEvents).toEqual(['tenant']);
});
