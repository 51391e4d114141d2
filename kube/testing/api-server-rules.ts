/**
 * The contract of the fake API server: the rules that clients rely on, checked on the fake and on the real server, so
 * that both behave alike.
 */
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Client, WatchEvent } from '../client/client.ts';
import { checkChanging } from './rules/changing.ts';
import { checkCreating } from './rules/creating.ts';
import { checkDeleting } from './rules/deleting.ts';
import { NAMESPACE } from './rules/objects.ts';
import { checkReading } from './rules/reading.ts';

/** Declares the tests; `connect` returns a client with all rights when they run. */
export function checkApiServerRules(connect: () => Client): void {
  checkObjectRules(connect);
  checkVersionRules(connect);
}

/** The rules of single requests and of whole lists, which need no watch. */
export function checkObjectRules(connect: () => Client): void {
  beforeAll(() => connect().create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }));
  checkCreating(connect);
  checkChanging(connect);
  checkDeleting(connect);
  checkReading(connect);
}

function checkVersionRules(connect: () => Client): void {
  test('a version grows with each change, and an empty change keeps it', async () => {
    const client = connect();
    const created = await client.create(configMap('versions', { a: '1' }));
    const patched = await client.patch(refTo('versions'), { data: { a: '2' } });
    const same = await client.patch(refTo('versions'), { data: { a: '2' } });
    expect(versionOf(patched)).toBeGreaterThan(versionOf(created));
    expect(versionOf(same)).toBe(versionOf(patched));
    expect(same.metadata.uid).toBe(created.metadata.uid);
  });

  test('a merge patch removes what it sets to null, and leaves the rest', async () => {
    const client = connect();
    await client.create(configMap('merge', { a: '1', b: '2' }));
    expect((await client.patch(refTo('merge'), { data: { a: null } }))['data']).toEqual({ b: '2' });
  });

  test('an apply creates a missing object and keeps fields of other managers', async () => {
    const client = connect();
    await client.apply(configMap('applied', { a: '1' }));
    await client.patch(refTo('applied'), { metadata: { annotations: { 'example.com/by': 'others' } } });
    const applied = await client.apply(configMap('applied', { a: '2' }), { force: true });
    expect(applied['data']).toEqual({ a: '2' });
    expect(applied.metadata.annotations).toEqual({ 'example.com/by': 'others' });
  });

  test('writes to a missing object, with an old version, or under a used name are refused, each with its own reason', async () => {
    const client = connect();
    const first = await client.create(configMap('refused'));
    await client.patch(refTo('refused'), { data: { a: '1' } });
    await expect(client.update(first)).rejects.toMatchObject({
      code: 409,
      statusReason: 'Conflict',
      reason: 'Conflict',
    });
    const stale = { metadata: { resourceVersion: first.metadata.resourceVersion } };
    await expect(client.patch(refTo('refused'), stale)).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
    await expect(client.create(configMap('refused'))).rejects.toMatchObject({
      code: 409,
      statusReason: 'AlreadyExists',
    });
    await expect(client.patch(refTo('missing'), {})).rejects.toMatchObject({ code: 404, objectName: 'missing' });
  });

  test('a deletion waits for finalizers, and one for another uid does nothing', async () => {
    const client = connect();
    const held = configMap('held');
    await client.create({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/x'] } });
    expect(await client.delete(refTo('held'), { uid: '00000000-0000-0000-0000-000000000000' })).toBeUndefined();
    expect((await client.get(refTo('held')))?.metadata.deletionTimestamp).toBeUndefined();
    expect((await client.delete(refTo('held')))?.metadata.deletionTimestamp).toBeDefined();
    await client.patch(refTo('held'), { metadata: { finalizers: null } });
    expect(await client.get(refTo('held'))).toBeUndefined();
  });

  test('the pages of a list are one consistent snapshot', async () => {
    const client = connect();
    for (const name of ['p1', 'p2', 'p3']) await client.create(configMap(name, {}, { test: 'pages' }));
    const first = await client.listPage(KIND, { labelSelector: 'test=pages', limit: 2 });
    await client.delete(refTo('p3'));
    const rest = await client.listPage(KIND, { labelSelector: 'test=pages', limit: 2, ...next(first) });
    expect([...first.items, ...rest.items].map(({ metadata }) => metadata.name)).toEqual(['p1', 'p2', 'p3']);
    expect([rest.continue, rest.resourceVersion]).toEqual([undefined, first.resourceVersion]);
  });

  test('a selector asks for a value, for any value, and for objects without the label', async () => {
    const client = connect();
    await client.create(configMap('s1', {}, { test: 'selected', more: 'yes' }));
    await client.create(configMap('s2', {}, { test: 'selected' }));
    const namesOf = async (labelSelector: string): Promise<readonly string[]> =>
      (await client.list(KIND, { labelSelector })).map(({ metadata }) => metadata.name);
    expect(await namesOf('test=selected')).toEqual(['s1', 's2']);
    expect(await namesOf('test=selected,more')).toEqual(['s1']);
    expect(await namesOf('test=selected,!more')).toEqual(['s2']);
    expect(await namesOf('test=selected,!test')).toEqual([]);
  });

  test('a watch replays later changes, as its selector sees them', async () => {
    const client = connect();
    const { resourceVersion } = await client.listPage(KIND, { limit: 1 });
    await client.create(configMap('seen', { v: '1' }, { test: 'watched' }));
    await client.patch(refTo('seen'), { data: { v: '2' } });
    await client.patch(refTo('seen'), { metadata: { labels: { test: null } } });
    await client.patch(refTo('seen'), { metadata: { labels: { test: 'watched' } } });
    await client.delete(refTo('seen'));
    const events = await take(5, client.watch(KIND, { resourceVersion, labelSelector: 'test=watched' }));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED']);
    const versions = events.map(({ object }) => versionOf(object));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });

  test('metadata can be fetched alone: in a list and in a watch', async () => {
    const client = connect();
    const { resourceVersion } = await client.listPage(KIND, { limit: 1 });
    await client.create(configMap('bare', { big: 'x' }, { test: 'bare' }));
    const [listed] = await client.list(KIND, { labelSelector: 'test=bare', metadataOnly: true });
    const watch = client.watch(KIND, { resourceVersion, labelSelector: 'test=bare', metadataOnly: true });
    const [event] = await take(1, watch);
    for (const object of [listed, event?.object]) {
      expect(object).toMatchObject({ ...KIND, metadata: { name: 'bare' } });
      expect(object).not.toHaveProperty('data');
    }
  });
}

const KIND = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

function configMap(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): KubeObject {
  return { ...KIND, metadata: { name, namespace: 'default', labels }, data };
}

function refTo(name: string): typeof KIND & { readonly namespace: string; readonly name: string } {
  return { ...KIND, namespace: 'default', name };
}

function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}

function next(page: { readonly continue?: string }): { readonly continue?: string } {
  return page.continue === undefined ? {} : { continue: page.continue };
}

/** The first events of a watch, without bookmarks. */
async function take(count: number, watch: AsyncIterable<WatchEvent>): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of watch) {
    if (event.type !== 'BOOKMARK') events.push(event);
    if (events.length === count) break;
  }
  return events;
}
