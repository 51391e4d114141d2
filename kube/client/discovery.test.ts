/** Callers that go away while the kinds are fetched. */
import { describe, expect, test } from 'vitest';
import { unhandledDuring } from '../testing/unhandled-rejections.ts';
import type { Transport } from '../transport/transport.ts';
import { createDiscovery, type Discovery } from './discovery.ts';

const POD = { apiVersion: 'v1', kind: 'Pod' };

function discoveryOfDeadServer() {
  const server = { asked: 0 };
  const request = async (): Promise<never> => {
    server.asked += 1;
    throw new Error('the API server is down');
  };
  const transport: Transport = { request, stream: request, close: () => undefined };
  return { server, discovery: createDiscovery(transport) };
}

describe('a caller that has gone before it asks', () => {
  const calls: readonly { name: string; call: (discovery: Discovery, signal: AbortSignal) => Promise<unknown> }[] = [
    { name: 'find', call: (discovery, signal) => discovery.find(POD, signal) },
    { name: 'need', call: (discovery, signal) => discovery.need(POD, signal) },
    { name: 'list', call: (discovery, signal) => discovery.list(signal) },
  ];

  test.each(calls)('begins no fetch, whose failure it would not handle: $name', async ({ call }) => {
    const { server, discovery } = discoveryOfDeadServer();
    const unhandled = await unhandledDuring(() =>
      expect(call(discovery, AbortSignal.abort(new RangeError('gone')))).rejects.toThrow(RangeError),
    );
    expect(unhandled).toEqual([]);
    expect(server.asked).toBe(0);
  });

  test('leaves the fetch to others', async () => {
    const { discovery } = discoveryOfDeadServer();
    const others = discovery.list().catch((error: unknown) => (error as Error).message);
    await expect(discovery.list(AbortSignal.abort(new RangeError('gone')))).rejects.toThrow(RangeError);
    expect(await others).toBe('the API server is down');
  });
});

test('a kind without verbs, of whatever API server, takes no other kind away', async () => {
  const entry = (kind: string, verbs: readonly string[] | null) => ({
    resource: `${kind.toLowerCase()}s`,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    singularResource: '',
    verbs,
  });
  const group = (name: string, resources: readonly unknown[]) => ({
    metadata: { name },
    versions: [{ version: 'v1', resources, freshness: 'Current' }],
  });
  const core = [group('', [entry('Pod', ['get'])])];
  const others = [group('metrics.example', [entry('Gauge', null)])];
  const request = async ({ path }: { readonly path: string }) => {
    const body = JSON.stringify({ kind: 'APIGroupDiscoveryList', items: path === '/api' ? core : others });
    return { status: 200, headers: {}, body: Buffer.from(body), text: () => body };
  };
  const discovery = createDiscovery({ request } as unknown as Transport);
  expect(await discovery.find(POD)).toMatchObject({ plural: 'pods', verbs: ['get'] });
  expect(await discovery.find({ apiVersion: 'metrics.example/v1', kind: 'Gauge' })).toMatchObject({ verbs: [] });
});
