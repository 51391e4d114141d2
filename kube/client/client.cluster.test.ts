import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { useCluster } from '../../e2e/lib/cluster.ts';
import { isSample } from '../../e2e/lib/sample.ts';
import { checkApiServerRules } from '../testing/api-server-rules.ts';
import { createClient, type Client } from './client.ts';
import { inClusterConfig } from '../transport/config.ts';
import { eventually } from '../testing/eventually.ts';
import { createEventRecorder } from '../events/events.ts';
import { loadKubeconfig } from '../kubeconfig/kubeconfig.ts';
import type { RequestFacts } from '../transport/api-request.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

const cluster = useCluster();

let transport: Transport;
let client: Client;

beforeAll(async () => {
  const { config } = await loadKubeconfig(cluster().kubeconfig);
  transport = createTransport(config);
  client = createClient(transport);
});

afterAll(() => transport.close());

const NAMESPACE = 'default';
const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE },
  data,
});
const ref = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name });

describe('the real API server behaves as clients rely on', () => checkApiServerRules(() => client));

/** A CRD with fields that typed clients lose. */
const CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: 'self.size != 13', message: 'not thirteen' }],
                properties: {
                  size: { type: 'integer', format: 'int64', default: 1, enum: [1, 2, 13, 9_007_199_254_740_993n] },
                  port: { 'x-kubernetes-int-or-string': true },
                  items: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    ],
  },
};

describe('objects', () => {
  test('an applied object can be read, patched, listed and deleted', async () => {
    await client.apply(configMap('life', { a: '1' }));
    await client.patch(ref('life'), { data: { b: '2' } });
    expect((await client.get(ref('life')))?.['data']).toEqual({ a: '1', b: '2' });
    const listed = await client.list(ref('life'), { namespace: NAMESPACE, fieldSelector: 'metadata.name=life' });
    expect(listed.map(({ kind }) => kind)).toEqual(['ConfigMap']);
    expect(await client.delete(ref('life'))).toBeUndefined();
    expect(await client.get(ref('life'))).toBeUndefined();
  });

  test('an apply answers with the metadata only if the caller asks for it', async () => {
    const created = await client.apply(configMap('brief', { a: '1' }), { metadataOnly: true });
    const changed = await client.apply(configMap('brief', { a: '2' }), { metadataOnly: true });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'brief' } });
    expect([created, changed].filter((answer) => 'data' in answer)).toEqual([]);
    expect(changed.metadata.uid).toBe(created.metadata.uid);
    expect(await client.get(ref('brief'))).toMatchObject({ data: { a: '2' } });
    await client.delete(ref('brief'));
  });

  test('the server validates a dry run, which changes nothing', async () => {
    await client.apply(configMap('dry'), { dryRun: true });
    await client.create(configMap('dry'), { dryRun: true });
    expect(await client.get(ref('dry'))).toBeUndefined();
  });

  test('deleting an object that finalizers hold returns its metadata', async () => {
    await client.create({
      ...configMap('held'),
      metadata: { name: 'held', namespace: NAMESPACE, finalizers: ['example.com/x'] },
    });
    const held = await client.delete(ref('held'));
    expect(held?.metadata).toMatchObject({ deletionTimestamp: expect.any(String), finalizers: expect.any(Array) });
    expect(held).not.toHaveProperty('data');
    await client.patch(ref('held'), { metadata: { finalizers: null } });
    expect(await client.get(ref('held'))).toBeUndefined();
  });

  test('a deletion with a uid leaves another object of that name alone', async () => {
    const { metadata } = await client.create(configMap('twin'));
    expect(await client.delete(ref('twin'), { uid: '00000000-0000-0000-0000-000000000000' })).toBeUndefined();
    expect((await client.get(ref('twin')))?.metadata.uid).toBe(metadata.uid);
    await expect(client.delete(ref('twin'), { resourceVersion: '1' })).rejects.toMatchObject({ reason: 'Conflict' });
  });
});

describe('server-side apply', () => {
  test('apply keeps every field of a CRD, and integers beyond 2^53, and the CRD is served soon afterwards', async () => {
    const applied = await client.apply(CRD);
    const read = (await client.get({ ...CRD, name: 'widgets.example.com' })) as KubeObject;
    expect((read['spec'] as { versions: unknown }).versions).toEqual((CRD['spec'] as { versions: unknown }).versions);
    expect(applied.metadata.uid).toBe(read.metadata.uid);
    await eventually(async () => {
      client.discovery.invalidate();
      return client.isNamespaced({ apiVersion: 'example.com/v1', kind: 'Widget' });
    });
  });

  test('apply keeps fields of a custom resource that its schema does not name', async () => {
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: NAMESPACE },
      extra: { deep: [1, 'two'] },
      spec: { size: 9_007_199_254_740_993n },
    };
    await eventually(() => client.apply(widget).catch(() => false));
    expect(await client.get({ ...widget, namespace: NAMESPACE, name: 'w' })).toMatchObject({
      extra: widget.extra,
      spec: widget.spec,
    });
    await client.patchStatus(widget, { status: { ready: true } });
    expect((await client.get({ ...widget, namespace: NAMESPACE, name: 'w' }))?.['status']).toEqual({ ready: true });
    await expect(client.apply({ ...widget, spec: { size: 13 } })).rejects.toMatchObject({
      reason: 'ObjectInvalid',
      retry: 'never',
    });
  });

  test('a field of another manager is a Collision that names it, unless force is used', async () => {
    await client.apply(configMap('owned', { a: '1' }), { fieldManager: 'other' });
    await expect(client.apply(configMap('owned', { a: '2' }))).rejects.toMatchObject({
      reason: 'Collision',
      causes: [expect.objectContaining({ field: '.data.a' }) as object],
    });
    await client.apply(configMap('owned', { a: '2' }), { force: true });
    expect((await client.get(ref('owned')))?.['data']).toEqual({ a: '2' });
  });
});

describe('refusals', () => {
  test('a stale resourceVersion is a Conflict, a name in use is AlreadyExists', async () => {
    const first = await client.create(configMap('stale'));
    await client.patch(ref('stale'), { data: { a: '1' } });
    await expect(client.update(first)).rejects.toMatchObject({
      reason: 'Conflict',
      code: 409,
      statusReason: 'Conflict',
    });
    await expect(client.create(configMap('stale'))).rejects.toMatchObject({ code: 409, statusReason: 'AlreadyExists' });
  });

  test('a write to a namespace that is being deleted fails with another reason than missing rights', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } };
    await client.create(namespace);
    await client.create({
      ...configMap('last'),
      metadata: { name: 'last', namespace: 'leaving', finalizers: ['example.com/x'] },
    });
    await client.delete({ ...namespace, name: 'leaving' });
    await expect(
      client.apply({ ...configMap('late'), metadata: { name: 'late', namespace: 'leaving' } }),
    ).rejects.toMatchObject({ reason: 'NamespaceTerminating' });
    await client.patch({ ...ref('last'), namespace: 'leaving' }, { metadata: { finalizers: null } });
  });

  test('acting as an account without rights is Forbidden, and the message names account and action', async () => {
    const tenant = client.as({ user: 'system:serviceaccount:default:nobody', groups: ['system:authenticated'] });
    const refused = await tenant.apply(configMap('no')).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ reason: 'Forbidden' });
    expect((refused as Error).message).toContain('system:serviceaccount:default:nobody');
  });

  test('an API whose server is down is unavailable, never empty, and other APIs go on', async () => {
    const service = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.away.example.com' },
      spec: {
        group: 'away.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { name: 'none', namespace: NAMESPACE },
      },
    };
    await client.create(service);
    const thing = { apiVersion: 'away.example.com/v1', kind: 'Thing' };
    await eventually(async () => {
      client.discovery.invalidate();
      return client.list(thing).then(
        () => false,
        (error: unknown) => (error as { reason?: string }).reason === 'ApiUnavailable',
      );
    });
    await expect(client.get({ ...thing, namespace: NAMESPACE, name: 'x' })).rejects.toMatchObject({
      reason: 'ApiUnavailable',
    });
    expect(await client.get(ref('owned'))).toBeDefined();
    await client.delete({ ...service, name: service.metadata.name });
  });
});

describe('credentials', () => {
  // the API server remembers for ten seconds that a token is good
  test.skipIf(isSample)(
    'a token that rotates on disk is picked up, and a revoked one is read again at once',
    async () => {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'pod', namespace: NAMESPACE } };
      await client.apply(account);
      const folder = await cluster().podFiles(NAMESPACE, 'pod');
      const { hostname, port } = new URL(cluster().server);
      const podSeen: RequestFacts[] = [];
      const pod = createTransport(inClusterConfig({ host: hostname, port, folder }), {
        onRequest: (facts) => void podSeen.push(facts),
      });
      const whoAmI = async (): Promise<string> => {
        const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
        const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
        const response = await pod.request({ method: 'POST', path, body });
        return (JSON.parse(response.text()) as { status: { userInfo: { username: string } } }).status.userInfo.username;
      };
      expect(await whoAmI()).toBe('system:serviceaccount:default:pod');
      const revoked = readFileSync(`${folder}/token`, 'utf8');
      await client.delete({ ...account, namespace: NAMESPACE, name: 'pod' });
      await client.apply(account);
      await cluster().podFiles(NAMESPACE, 'pod');
      expect(readFileSync(`${folder}/token`, 'utf8')).not.toBe(revoked);
      await eventually(async () => (await whoAmI()) && podSeen.some(({ status }) => status === 401));
      expect(podSeen.filter(({ status }) => status === 401)).toHaveLength(1);
      expect(await whoAmI()).toBe('system:serviceaccount:default:pod');
      pod.close();
    },
  );
});

test('the API server accepts events and their series, also about cluster-scoped objects', async () => {
  const recorder = createEventRecorder({ client, controller: 'slipway.dev/manager', instance: 'test' });
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n'.repeat(253) } };
  for (let i = 0; i < 3; i++) {
    recorder.record({
      regarding: configMap('x'),
      type: 'Warning',
      reason: 'ApplyFailed',
      action: 'Apply',
      note: 'é'.repeat(2000),
    });
    recorder.record({
      regarding: node,
      related: configMap('x'),
      type: 'Normal',
      reason: 'Installing',
      action: 'Install',
      note: 'x',
    });
  }
  await recorder.flush();
  const events = (await client.list({ apiVersion: 'events.k8s.io/v1', kind: 'Event' })).filter(
    (event) => event['reportingController'] === 'slipway.dev/manager',
  );
  expect(
    events
      .map((event) => [event['reason'], (event['series'] as { count: number }).count])
      .sort(([a], [b]) => String(a).localeCompare(String(b))),
  ).toEqual([
    ['ApplyFailed', 3],
    ['Installing', 3],
  ]);
  expect(recorder.dropped).toBe(0);
});
