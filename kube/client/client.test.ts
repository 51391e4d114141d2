import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../api/cluster.ts';
import type { KubeObject } from '../../api/object.ts';
import { createClient, type Client } from './client.ts';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { resource } from '../testing/fake-kinds.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

let api: FakeApi;
let transport: Transport;
let client: Client;

beforeEach(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config);
  client = createClient(transport, { clock: createManualClock() });
});

afterEach(async () => {
  transport.close();
  await api.close();
});

const configMap = (name: string, data: unknown = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a' },
  data,
});
const ref = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name });
const sent = (method: string) => api.requests.filter((request) => request.method === method);

test('a client implements the Cluster interface of apply/', () => {
  const cluster: Cluster = client;
  expect(cluster).toBe(client);
});

describe('objects', () => {
  test('a created object can be read, listed, patched, updated and deleted', async () => {
    const created = await client.create(configMap('x', { v: '1' }));
    expect(await client.get(ref('x'))).toEqual(created);
    await client.patch(ref('x'), { data: { w: '2' } });
    const read = (await client.get(ref('x'))) as KubeObject;
    expect(read['data']).toEqual({ v: '1', w: '2' });
    await client.update({ ...read, data: { v: '3' } });
    expect((await client.list({ apiVersion: 'v1', kind: 'ConfigMap' })).map((object) => object['data'])).toEqual([
      { v: '3' },
    ]);
    expect(await client.delete(ref('x'))).toBeUndefined();
    expect(await client.get(ref('x'))).toBeUndefined();
  });

  test('fields that are not read are left out of a list, and the API server is not asked for that', async () => {
    await client.create(configMap('x', { big: 'y' }));
    const { items } = await client.listPage({ apiVersion: 'v1', kind: 'ConfigMap' }, { unread: ['data'] });
    expect(items).toMatchObject([{ metadata: { name: 'x' }, data: null }]);
    expect(sent('GET').every(({ path }) => !path.includes('unread'))).toBe(true);
  });

  test('of a list with `keep`, only the kept parts of a page are there when the next one is asked for', async () => {
    for (let number = 0; number < 201; number += 1) await client.create(configMap(`x${number}`, { big: 'y' }));
    const steps: string[] = [];
    api.fault(({ method }) => {
      if (method === 'GET') steps.push('asked');
      return false;
    });
    const kept = await client.list(
      { apiVersion: 'v1', kind: 'ConfigMap' },
      {
        keep: ({ apiVersion, kind, metadata }) => {
          if (steps.at(-1) !== 'kept') steps.push('kept');
          return { apiVersion, kind, metadata };
        },
      },
    );
    expect(kept).toHaveLength(201);
    expect(kept.every((object) => !('data' in object))).toBe(true);
    expect(steps.filter((step, at) => step === 'kept' || steps[at + 1] === 'kept')).toEqual(
      Array.from({ length: 3 }, () => ['asked', 'kept']).flat(),
    );
  });

  test('of a list with `keep`, the managers of fields are not even parsed', async () => {
    await client.apply(configMap('x', { big: 'y' }));
    const read = async (some: Parameters<typeof client.list>[1]): Promise<unknown> =>
      (await client.list({ apiVersion: 'v1', kind: 'ConfigMap' }, some)).map(({ metadata }) => metadata);
    expect(await read({})).toMatchObject([{ managedFields: [{}] }]);
    expect(await read({ keep: (object) => object })).toMatchObject([{ name: 'x', managedFields: null }]);
  });

  test('an integer beyond 2^53 comes back as it was', async () => {
    await client.create(configMap('x', { big: 9_007_199_254_740_993n }));
    api.fault((request, response) => {
      if (request.method !== 'GET') return false;
      response.end('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"big":9007199254740993}}');
      return true;
    });
    expect(sent('POST')[0]?.body).toContain('9007199254740993');
    expect((await client.get(ref('x')))?.['data']).toEqual({ big: 9_007_199_254_740_993n });
  });

  test('a stale resourceVersion is a Conflict, a name in use is AlreadyExists', async () => {
    const created = await client.create(configMap('x'));
    await client.patch(ref('x'), { data: { v: '2' } });
    await expect(client.update({ ...created, data: {} })).rejects.toMatchObject({
      reason: 'Conflict',
      statusReason: 'Conflict',
    });
    await expect(client.create(configMap('x'))).rejects.toMatchObject({ code: 409, statusReason: 'AlreadyExists' });
  });

  test('deleting an object that is gone or was replaced succeeds and deletes nothing', async () => {
    expect(await client.delete(ref('x'))).toBeUndefined();
    await client.create(configMap('x'));
    expect(await client.delete(ref('x'), { uid: 'another' })).toBeUndefined();
    expect(await client.get(ref('x'))).toBeDefined();
  });

  test('a dry run of a deletion is sent as one', async () => {
    await client.create(configMap('x'));
    await client.delete(ref('x'), { uid: 'another', dryRun: true });
    expect(JSON.parse(sent('DELETE')[0]?.body ?? '')).toMatchObject({
      dryRun: ['All'],
      preconditions: { uid: 'another' },
    });
  });

  test('a deletion that meets another object is a Conflict if the account may not read that object', async () => {
    await client.create(configMap('x'));
    api.fault(({ method }, response) => method === 'GET' && Boolean(response.writeHead(403).end()));
    await expect(client.delete(ref('x'), { uid: 'another' })).rejects.toMatchObject({ reason: 'Conflict' });
  });

  test('deleting an object that a finalizer holds returns it', async () => {
    await client.create({ ...configMap('x'), metadata: { name: 'x', namespace: 'a', finalizers: ['a/b'] } });
    expect((await client.delete(ref('x')))?.metadata.deletionTimestamp).toBeDefined();
  });

  test.each([
    { name: '', because: 'that path is the whole collection' },
    { name: '..', because: 'that path is the collection above' },
    { name: 'a/b', because: 'that path is another resource' },
    { name: 'x'.repeat(254), because: 'names are shorter' },
  ])('a name such as $name is refused before anything is sent: $because', async ({ name }) => {
    await expect(client.delete(ref(name))).rejects.toMatchObject({ reason: 'ObjectInvalid', retry: 'never' });
    await expect(client.create(configMap(name))).rejects.toMatchObject({ reason: 'ObjectInvalid', retry: 'never' });
    expect([...sent('DELETE'), ...sent('POST')]).toEqual([]);
  });

  test('an object of a namespaced kind without a namespace is refused before anything is sent', async () => {
    await expect(client.apply({ ...configMap('x'), metadata: { name: 'x' } })).rejects.toMatchObject({
      reason: 'ObjectInvalid',
    });
    expect(sent('PATCH')).toEqual([]);
  });
});

describe('server-side apply', () => {
  test('an apply sends the field manager, and the object unchanged', async () => {
    const object = configMap('x', { unknown: { deep: [1, null, { __proto__x: true }] } });
    await client.apply(object, { force: true, dryRun: true });
    const [request] = sent('PATCH');
    expect(request?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ fieldManager: 'slipway', force: 'true', dryRun: 'All' });
    expect(JSON.parse(request?.body ?? '')).toEqual(object);
  });

  test('patchStatus writes to the status subresource', async () => {
    await client.create(configMap('x'));
    await client.patchStatus(ref('x'), { status: { ready: true } });
    expect(sent('PATCH').map(({ path }) => path)).toEqual(['/api/v1/namespaces/a/configmaps/x/status']);
  });
});

describe('kinds', () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'a', name: 'x' };

  test('kinds are discovered once, in two requests', async () => {
    await Promise.all([
      client.get(ref('x')),
      client.get(ref('y')),
      client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }),
    ]);
    expect(api.requests.filter(({ path }) => ['/api', '/apis'].includes(path))).toHaveLength(2);
  });

  test('objects of a kind that is not served do not exist, and cannot be written', async () => {
    expect(await client.get(widget)).toBeUndefined();
    expect(await client.list(widget)).toEqual([]);
    expect(await client.delete(widget)).toBeUndefined();
    expect(await client.isNamespaced(widget)).toBeUndefined();
    await expect(client.apply({ ...widget, metadata: { name: 'x', namespace: 'a' } })).rejects.toMatchObject({
      reason: 'ApplyFailed',
      code: 404,
    });
  });

  test('a kind that was added later is found without an announcement', async () => {
    expect(await client.isNamespaced(widget)).toBeUndefined();
    api.serve(resource('example.com/v1', 'Widget', 'widgets'));
    expect(await client.isNamespaced(widget)).toBe(true);
  });

  test('repeated requests for a missing kind cost few discoveries until an announcement', async () => {
    for (let i = 0; i < 100; i++) await client.get(widget);
    expect(api.requests.length).toBeLessThanOrEqual(12);
    api.serve(resource('example.com/v1', 'Widget', 'widgets', false));
    client.discovery.invalidate();
    expect(await client.isNamespaced(widget)).toBe(false);
  });

  test('an API whose server does not answer is unavailable, never empty', async () => {
    api.stale('example.com/v1', true);
    for (const ask of [client.get(widget), client.list(widget), client.delete(widget), client.isNamespaced(widget)]) {
      await expect(ask).rejects.toMatchObject({ reason: 'ApiUnavailable', retry: 'backoff' });
    }
  });

  test('a kind whose requests fail is an error, never empty', async () => {
    await client.discovery.list();
    api.fault((_request, response) => Boolean(response.writeHead(503).end()));
    await expect(client.list({ apiVersion: 'v1', kind: 'ConfigMap' })).rejects.toMatchObject({
      reason: 'ApiUnavailable',
    });
    await expect(client.get(ref('x'))).rejects.toMatchObject({ reason: 'ApiUnavailable' });
  });
});

describe('answers that no API server gives', () => {
  test.each([
    '<html>',
    '{"kind":',
    'null',
    '[]',
    '{}',
    '{"metadata":{},"items":[]}',
    '{"kind":"PodList","metadata":{}}',
  ])('%s is ApiUnavailable, neither nothing nor a defect', async (text) => {
    await client.discovery.list();
    api.fault((_request, response) => Boolean(response.end(text)));
    await expect(client.list({ apiVersion: 'v1', kind: 'ConfigMap' })).rejects.toMatchObject({
      reason: 'ApiUnavailable',
    });
    client.discovery.invalidate();
    await expect(client.get(ref('x'))).rejects.toMatchObject({ reason: 'ApiUnavailable' });
  });
});

describe('checking a right', () => {
  const access = { verb: 'create', group: 'example.com', resource: 'widgets', namespace: 'ops' };

  test.each([
    { code: 201, status: { allowed: true }, told: true, because: 'the account has the right' },
    { code: 201, status: { allowed: false }, told: false, because: 'the account lacks the right' },
    { code: 201, status: {}, told: false, because: 'a review without a permission means no' },
    { code: 403, status: {}, told: undefined, because: 'the account may not ask' },
  ])('allows answers $told: $because', async ({ code, status, told }) => {
    api.fault(({ path }, response) => {
      if (path !== '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews') return false;
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status }));
      return true;
    });
    expect(await client.as({ user: 'system:serviceaccount:a:b' }).allows(access)).toBe(told);
    const [asked] = sent('POST');
    expect(asked?.headers['impersonate-user']).toBe('system:serviceaccount:a:b');
  });
});

describe('acting as another user', () => {
  test("every request of an impersonating client carries user and groups; other clients' requests do not", async () => {
    const tenant = client.as({ user: 'system:serviceaccount:a:b', groups: ['g1', 'g2'] });
    await tenant.create(configMap('x'));
    await client.create(configMap('y'));
    expect(sent('POST').map(({ headers }) => [headers['impersonate-user'], headers['impersonate-group']])).toEqual([
      ['system:serviceaccount:a:b', 'g1, g2'],
      [undefined, undefined],
    ]);
  });
});
