import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import { createClient, type Client } from '../client/client.ts';
import { eventually } from '../testing/eventually.ts';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { createInformerFactory } from './informer-factory.ts';
import { createInformer, untilSynced, type Informer, type InformerOptions } from './informer.ts';
import { createManualClock, hastyClock } from '../testing/manual-clock.ts';
import { silentLog } from '../log.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

let api: FakeApi;
let transport: Transport;
let client: Client;
let stop: AbortController;

beforeEach(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config, { clock: hastyClock });
  client = createClient(transport, { clock: hastyClock });
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort(new Error('the test is over'));
  transport.close();
  await api.close();
});

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

function configMap(name: string, data: Record<string, string> = {}, namespace = 'a'): KubeObject {
  return { ...CONFIG_MAP, metadata: { name, namespace }, data };
}

function start(options: Partial<InformerOptions> = {}): Informer {
  const informer = createInformer({ client, ...CONFIG_MAP, clock: hastyClock, watchSeconds: 300, ...options });
  informer.start(stop.signal);
  return informer;
}

const names = (objects: readonly KubeObject[]): string[] => objects.map(keyOfObject).sort();
const onServer = (): string[] =>
  describeAll(
    api.store.list(
      { resource: api.resource('ConfigMap'), namespace: undefined, labelSelector: null },
      { limit: 0, continue: null },
    ).items,
  );
const describeAll = (objects: readonly KubeObject[]): string[] =>
  objects.map((object) => JSON.stringify([keyOfObject(object), object['data'], object.metadata.uid])).sort();

describe('the content of an informer', () => {
  test('a synced informer holds all objects, of several pages', async () => {
    for (let i = 0; i < 1203; i++) api.put(configMap(`c${i}`));
    const informer = start();
    await informer.synced;
    expect(informer.list()).toHaveLength(1203);
    expect(informer.get('a/c1000')?.metadata.name).toBe('c1000');
    // a page is asked for once more if its answer is late
    const pages = api.requests.filter(({ query }) => query.get('limit') === '500');
    expect(new Set(pages.map(({ query }) => query.get('continue'))).size).toBe(3);
  });

  test('large objects are listed in small pages, even if these expire midway: never in one piece', async () => {
    for (let i = 0; i < 35; i++) api.put(configMap(`c${i}`));
    let compacted = false;
    api.fault(({ query }) => {
      if (query.has('continue') && !compacted) {
        compacted = true;
        api.store.compact();
        api.remove(configMap('c0'));
      }
      return false;
    });
    const pages: number[] = [];
    const listPage: Client['listPage'] = async (...args) => {
      const page = await client.listPage(...args);
      pages.push(page.items.length);
      return page;
    };
    const informer = start({ client: { ...client, listPage }, pageSize: 10 });
    await informer.synced;
    expect(compacted).toBe(true);
    expect(Math.max(...pages)).toBe(10);
    expect(describeAll(informer.list())).toEqual(onServer());
  });

  test('a list whose pages expire midway is fetched again in one piece', async () => {
    for (let i = 0; i < 700; i++) api.put(configMap(`c${i}`));
    let compacted = false;
    api.fault(({ query }) => {
      if (query.has('continue') && !compacted) {
        compacted = true;
        api.store.compact();
        api.remove(configMap('c0'));
      }
      return false;
    });
    const informer = start();
    await informer.synced;
    expect(compacted).toBe(true);
    expect(describeAll(informer.list())).toEqual(onServer());
  });

  test('an informer drops managed fields, also from watch events', async () => {
    const managed = { ...configMap('x'), metadata: { name: 'x', namespace: 'a', managedFields: [{ manager: 'y' }] } };
    const informer = start();
    await informer.synced;
    api.put(managed);
    const seen = await eventually(() => informer.get('a/x'));
    expect(seen.metadata).not.toHaveProperty('managedFields');
  });

  test('a metadata-only informer fetches and keeps metadata only, under the requested kind', async () => {
    api.put(configMap('x', { big: 'value' }));
    const informer = start({ metadataOnly: true });
    await informer.synced;
    expect(informer.get('a/x')).toEqual(expect.objectContaining(CONFIG_MAP));
    expect(informer.get('a/x')).not.toHaveProperty('data');
    api.put(configMap('y', { big: 'value' }));
    expect(await eventually(() => informer.get('a/y'))).not.toHaveProperty('data');
  });

  test('an index finds objects by any of their values, and follows changes', async () => {
    api.put(configMap('x', { of: 'one,two' }));
    const informer = start({ indexes: { of: (object) => (object['data'] as { of?: string }).of?.split(',') ?? [] } });
    await informer.synced;
    expect(names(informer.byIndex('of', 'two'))).toEqual(['a/x']);
    api.put(configMap('x', { of: 'three' }));
    await eventually(() => informer.byIndex('of', 'three').length === 1);
    expect(informer.byIndex('of', 'two')).toEqual([]);
    expect(() => informer.byIndex('typo', 'x')).toThrow('typo');
  });

  test('a namespace or label selector excludes all other objects', async () => {
    api.put(configMap('x', {}, 'a'));
    api.put({ ...configMap('y', {}, 'b'), metadata: { name: 'y', namespace: 'b', labels: { app: 'y' } } });
    const [inB, labelled] = [start({ namespace: 'b' }), start({ labelSelector: 'app=y' })];
    await Promise.all([inB.synced, labelled.synced]);
    expect([names(inB.list()), names(labelled.list())]).toEqual([['b/y'], ['b/y']]);
  });
});

describe('calls of handlers', () => {
  test('an object that was deleted while no watch ran is reported as deleted, with its last known state', async () => {
    api.put(configMap('x', { v: '1' }));
    const informer = start();
    await informer.synced;
    const deleted: KubeObject[] = [];
    informer.on({ deleted: (object) => void deleted.push(object) });
    const restore = api.fault(({ query }, response) => query.get('watch') === 'true' && Boolean(response.destroy()));
    api.endWatches('drop');
    api.remove(configMap('x'));
    api.store.compact();
    restore();
    await eventually(() => deleted.length === 1);
    expect(deleted[0]).toMatchObject({ data: { v: '1' } });
    expect(informer.get('a/x')).toBeUndefined();
  });

  test('an update comes with the previous object', async () => {
    api.put(configMap('x', { v: '1' }));
    const informer = start();
    await informer.synced;
    const updates: unknown[] = [];
    informer.on({ updated: (old, object) => void updates.push([old['data'], object['data']]) });
    api.put(configMap('x', { v: '2' }));
    await eventually(() => updates.length === 1);
    expect(updates).toEqual([[{ v: '1' }, { v: '2' }]]);
  });

  test('handlers that are added late are called for every existing object, and never after their removal', async () => {
    api.put(configMap('x'));
    const informer = start();
    await informer.synced;
    const added: string[] = [];
    const off = informer.on({ added: (object) => void added.push(object.metadata.name) });
    expect(added).toEqual(['x']);
    off();
    api.put(configMap('y'));
    await eventually(() => informer.get('a/y'));
    expect(added).toEqual(['x']);
  });

  test('a handler that throws does not keep other handlers from being called', async () => {
    const informer = start();
    const added: string[] = [];
    informer.on({
      added: () => {
        throw new Error('a defect');
      },
    });
    informer.on({ added: (object) => void added.push(object.metadata.name) });
    await informer.synced;
    api.put(configMap('x'));
    await eventually(() => added.length === 1);
    expect(informer.get('a/x')).toBeDefined();
  });

  test('an object that was deleted and re-created while no watch ran is an update to another uid', async () => {
    api.put(configMap('x'));
    const informer = start();
    await informer.synced;
    const uids: unknown[] = [];
    informer.on({ updated: (old, object) => void uids.push(old.metadata.uid === object.metadata.uid) });
    const restore = api.fault(({ query }, response) => query.get('watch') === 'true' && Boolean(response.destroy()));
    api.endWatches('drop');
    api.remove(configMap('x'));
    api.put(configMap('x'));
    api.store.compact();
    restore();
    await eventually(() => uids.length === 1);
    expect(uids).toEqual([false]);
  });
});

/** A client that waits for its answer even on a fast clock. */
function patientClient(): AsyncDisposable & { readonly client: Client } {
  const own = createTransport(api.config);
  return { client: createClient(own), [Symbol.asyncDispose]: async () => own.close() };
}

describe('a kind that cannot be watched', () => {
  const broken = (): KubeObject => {
    throw new TypeError('x is undefined');
  };
  test.each([
    { told: 'debug', times: 3, status: 500, because: 'servers are restarted' },
    { told: 'warn', times: 5, status: 403, because: 'callers wait for its objects' },
    { told: 'debug', times: 5, status: 404, because: 'its CRD was removed' },
    { told: 'error', times: 1, transform: broken, because: 'that is a defect' },
  ])(
    'the failure to watch a kind is logged as $told after $times failures: $because',
    async ({ told, times, status, transform }) => {
      const clock = createManualClock();
      const levels: string[] = [];
      const at = (level: string) => () => void levels.push(level);
      const log = { ...silentLog, debug: at('debug'), warn: at('warn'), error: at('error') };
      api.put(configMap('x'));
      if (status !== undefined)
        api.fault(
          (request, response) => request.path === '/api/v1/configmaps' && Boolean(response.writeHead(status).end()),
        );
      await using patient = patientClient();
      start({ client: patient.client, clock, log, ...(transform !== undefined && { transform }) });
      for (let failures = 1; failures <= times; failures += 1) {
        await eventually(() => levels.length === failures && clock.timers === 1);
        clock.advance(30);
      }
      expect(levels.at(times - 1)).toBe(told);
    },
  );
});

describe('a kind that the account may not watch', () => {
  const CONFIG_MAPS = '/api/v1/configmaps';

  /** Advances the clock once for each failure. */
  async function fail(clock: ReturnType<typeof createManualClock>, times: number, count: () => number): Promise<void> {
    for (let failures = 1; failures <= times; failures += 1) {
      await eventually(() => count() === failures && clock.timers === 1);
      clock.advance(300);
    }
  }

  test('a forbidden kind is logged once, however often it is refused, and again after a successful watch', async () => {
    const clock = createManualClock();
    const levels: string[] = [];
    const at = (level: string) => () => void levels.push(level);
    const log = { ...silentLog, debug: at('debug'), warn: at('warn') };
    const allow = api.fault(({ path }, response) => path === CONFIG_MAPS && Boolean(response.writeHead(403).end()));
    await using patient = patientClient();
    const informer = start({ client: patient.client, clock, log });
    await fail(clock, 20, () => levels.length);
    expect(levels.filter((level) => level === 'warn')).toHaveLength(1);
    allow();
    await informer.synced;
    api.put(configMap('x'));
    await eventually(() => informer.get('a/x') !== undefined);
    levels.length = 0;
    api.fault(({ path }, response) => path === CONFIG_MAPS && Boolean(response.writeHead(403).end()));
    api.endWatches('end');
    await fail(clock, 8, () => levels.length);
    expect(levels.filter((level) => level === 'warn')).toHaveLength(1);
  });

  test('a forbidden kind is logged again if the server answers something else in between', async () => {
    const clock = createManualClock();
    const told: number[] = [];
    let failures = 0;
    const fault = { status: 403 };
    const log = { ...silentLog, debug: () => void failures++, warn: () => void told.push((failures++, fault.status)) };
    api.fault(({ path }, response) => path === CONFIG_MAPS && Boolean(response.writeHead(fault.status).end()));
    await using patient = patientClient();
    start({ client: patient.client, clock, log });
    await fail(clock, 8, () => failures);
    await eventually(() => failures === 9 && clock.timers === 1);
    fault.status = 500;
    clock.advance(300);
    await eventually(() => failures === 10);
    expect(told).toEqual([403, 500]);
  });
});

describe('waiting for several kinds', () => {
  const late = { apiVersion: 'late.example.com/v1', kind: 'Late' } as const;

  test('waiting for several kinds ends with the last of them', async () => {
    const informers = [start(), start({ namespace: 'b' })];
    await untilSynced(informers, { seconds: 1000, signal: stop.signal });
    expect(informers.every(({ hasSynced }) => hasSynced)).toBe(true);
  });

  test('waiting for several kinds ends at the time limit, and names those that cannot be listed', async () => {
    const clock = createManualClock();
    const informers = [start(), start(late)];
    await informers[0]?.synced;
    const waiting = untilSynced(informers, { seconds: 30, signal: stop.signal, clock });
    clock.advance(30);
    await expect(waiting).rejects.toMatchObject({
      reason: 'ApiUnavailable',
      retry: 'backoff',
      message: expect.stringMatching(/^list Late\.late\.example\.com: /) as string,
    });
  });

  test('waiting for several kinds ends with an abort, and leaves no timer behind', async () => {
    const clock = createManualClock();
    const impatient = new AbortController();
    const waiting = untilSynced([start(late)], { seconds: 30, signal: impatient.signal, clock });
    impatient.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    expect(clock.timers).toBe(0);
  });
});

describe('the end of an informer', () => {
  test('an abort is final: it cancels a running back-off', async () => {
    const clock = createManualClock();
    api.fault((request, response) => request.path.startsWith('/api/v1') && Boolean(response.writeHead(500).end()));
    const informer = start({ clock });
    await eventually(() => clock.timers === 1);
    stop.abort(new Error('over'));
    await expect(informer.synced).rejects.toThrow('over');
    const before = api.requests.length;
    clock.advance(3600);
    expect([clock.timers, api.requests.length]).toEqual([0, before]);
  });
});

test('a kind that is served late is watched as soon as its group is announced, not after the back-off', async () => {
  const clock = createManualClock();
  const late = { apiVersion: 'late.example.com/v1', kind: 'Late' } as const;
  const informer = createInformer({ client, ...late, clock });
  informer.start(stop.signal);
  await eventually(() => clock.timers === 1);
  api.serve({ ...late, plural: 'lates', namespaced: true, verbs: ['list', 'watch'], subresources: [] });
  api.put({ ...late, metadata: { name: 'x', namespace: 'a' } });
  client.discovery.announce('another.example.com');
  expect(clock.timers).toBe(1);
  client.discovery.announce('late.example.com');
  await informer.synced;
  expect(names(informer.list())).toEqual(['a/x']);
});

test('an informer ends with its last user, and starts again for a later one', async () => {
  const factory = createInformerFactory({ client, clock: hastyClock });
  factory.start(stop.signal);
  const [first, second] = [factory.informer(CONFIG_MAP), factory.informer(CONFIG_MAP)];
  await first.synced;
  factory.release(first);
  api.put(configMap('a'));
  await eventually(() => second.get('a/a') !== undefined);
  factory.release(second);
  const third = factory.informer(CONFIG_MAP);
  await third.synced;
  api.put(configMap('b'));
  await eventually(() => third.get('a/b') !== undefined);
  expect([third === second, second.get('a/b')]).toEqual([false, undefined]);
});

test('two requests for the same objects share one watch; other selections have their own', async () => {
  const factory = createInformerFactory({ client });
  const first = factory.informer(CONFIG_MAP);
  const again = factory.informer({ ...CONFIG_MAP, indexes: { name: ({ metadata }) => [metadata.name] } });
  const other = factory.informer({ ...CONFIG_MAP, namespace: 'b' });
  factory.start(stop.signal);
  await factory.synced();
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  await eventually(() => api.watches === 2);
  api.put(configMap('x'));
  await eventually(() => first.byIndex('name', 'x').length === 1);
});

test('the store equals the server, and handlers saw consistent changes, after any sequence of changes and failures', async () => {
  const name = fc.constantFrom('p', 'q', 'r');
  const action = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), name, value: fc.nat(3) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
    fc.record({ do: fc.constantFrom('compact', 'end', 'drop', 'bookmark', 'error', 'throttle', 'pause') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      for (const object of api.store.list(
        { resource: api.resource('ConfigMap'), namespace: undefined, labelSelector: null },
        { limit: 0, continue: null },
      ).items)
        api.remove(object);
      const controller = new AbortController();
      const failures: unknown[] = [];
      const log = { ...silentLog, error: (fields: object) => void failures.push(fields) };
      const informer = createInformer({ client, ...CONFIG_MAP, clock: hastyClock, log });
      const mirror = new Map<string, KubeObject>();
      informer.on({
        added(object) {
          expect(mirror.has(keyOfObject(object))).toBe(false);
          mirror.set(keyOfObject(object), object);
        },
        updated(old, object) {
          expect(mirror.get(keyOfObject(old))).toBe(old);
          mirror.set(keyOfObject(object), object);
        },
        deleted: (object) => expect(mirror.delete(keyOfObject(object))).toBe(true),
      });
      informer.start(controller.signal);
      for (const step of actions) await perform(step);
      await eventually(
        () => informer.hasSynced && JSON.stringify(describeAll(informer.list())) === JSON.stringify(onServer()),
      );
      expect(describeAll([...mirror.values()])).toEqual(onServer());
      expect(failures).toEqual([]);
      controller.abort(new Error('done'));
    }),
    { numRuns: runsOf(60) },
  );
}, 60_000);

async function perform(step: { do: string; name?: string; value?: number }): Promise<void> {
  switch (step.do) {
    case 'put':
      api.put(configMap(step.name ?? '', { v: String(step.value) }));
      break;
    case 'remove':
      if (onServer().some((line) => line.includes(`a/${step.name}`))) api.remove(configMap(step.name ?? ''));
      break;
    case 'compact':
      api.store.compact();
      break;
    case 'end':
    case 'drop':
      api.endWatches(step.do);
      break;
    case 'bookmark':
      api.bookmark();
      break;
    case 'pause':
      await new Promise((resolve) => setTimeout(resolve, 3));
      break;
    default:
      failOnce(step.do === 'error' ? 500 : 429);
  }
}

function failOnce(status: number): void {
  const restore = api.fault((_request, response) => {
    restore();
    response.writeHead(status, status === 429 ? { 'retry-after': '1' } : {}).end();
    return true;
  });
}
