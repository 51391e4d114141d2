import { setImmediate } from 'node:timers/promises';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { ApiError } from '../../api/api-error.ts';
import { eventually } from '../testing/eventually.ts';
import { createManualClock, hastyClock, type ManualClock } from '../testing/manual-clock.ts';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { createFakeCertificate } from '../testing/fake-certificate.ts';
import type { RequestFacts } from './api-request.ts';
import { isTooLarge } from './attempts.ts';
import { createTransport, type RootTransport, type Transport } from './transport.ts';

let api: FakeApi;
let transport: Transport;

beforeEach(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config, { random: () => 0 });
});

afterEach(async () => {
  transport.close();
  await api.close();
});

const LIST = { method: 'GET', path: '/api/v1/configmaps' } as const;
const CREATE = { method: 'POST', path: '/api/v1/namespaces/a/configmaps' } as const;
const configMap = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'a' } });

/** Answers the first `times` requests with a status. */
function failFirst(times: number, status: number, headers: Record<string, string> = {}): void {
  let left = times;
  api.fault((_request, response) => {
    if (left === 0) return false;
    left -= 1;
    response.writeHead(status, headers).end('not now');
    return true;
  });
}

async function readToEnd(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

describe('connections', () => {
  test('consecutive requests use one connection', async () => {
    for (let i = 0; i < 10; i++) await transport.request(LIST);
    expect(new Set(api.requests.map(({ port }) => port)).size).toBe(1);
  });

  test.each([
    { characters: 64 * 1024 - 1, because: 'it is sent in one piece' },
    { characters: 64 * 1024 + 1, because: 'a second piece has one byte' },
    { characters: 900_000, because: 'the connection takes it piece by piece' },
    { characters: 300_000, letter: 'ä', because: 'length is counted in bytes' },
  ])('a body of $characters characters arrives whole: $because', async ({ characters, letter = 'x' }) => {
    const text = letter.repeat(characters);
    const body = JSON.stringify({ ...(JSON.parse(configMap) as object), data: { text } });
    const { status } = await transport.request({ ...CREATE, body });
    const stored = await transport.request({ method: 'GET', path: `${CREATE.path}/x` });
    expect([status, JSON.parse(stored.text())]).toMatchObject([201, { data: { text } }]);
  });

  test('a connection that the server has closed is replaced without an error for the caller', async () => {
    await transport.request(LIST);
    api.fault((request, response) => {
      if (request.port !== api.requests[0]?.port) return false;
      response.destroy();
      return true;
    });
    expect((await transport.request(LIST)).status).toBe(200);
  });

  test('an answer that switches protocols counts as a broken connection', async () => {
    failFirst(1, 101, { connection: 'upgrade', upgrade: 'other' });
    expect((await transport.request(LIST)).status).toBe(200);
  });

  test('a server that is down is ApiUnavailable with a message without ports', async () => {
    const { server } = api.config;
    await api.close();
    const failed = await transport.request({ ...LIST, timeoutSeconds: 1 }).catch((error: unknown) => error as ApiError);
    expect(failed).toMatchObject({ reason: 'ApiUnavailable', retry: 'backoff', code: 0 });
    expect((failed as ApiError).message).not.toContain(new URL(server).port);
  });

  test.each([
    { answered: false, firstAttempts: 2, attempts: 2, because: 'its address may be wrong' },
    { answered: true, firstAttempts: 2, attempts: 6, because: 'it has answered before' },
    { answered: false, firstAttempts: undefined, attempts: 6, because: 'the caller has set no number' },
  ])('a server that is down is tried $attempts times: $because', async ({ answered, firstAttempts, attempts }) => {
    let broken = 0;
    const onRequest = ({ status }: RequestFacts): void => void (broken += status === 0 ? 1 : 0);
    const options = { clock: hastyClock, onRequest, ...(firstAttempts !== undefined && { firstAttempts }) };
    const counted = createTransport(api.config, options);
    if (answered) await counted.request(LIST);
    await api.close();
    await expect(counted.request(LIST)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    expect(broken).toBe(attempts);
    counted.close();
  });

  test('no request is repeated once the transport is closed', async () => {
    await api.close();
    const clock = createManualClock();
    const failed = createTransport(api.config, { clock, onRequest: () => closed.resolve() });
    const closed = Promise.withResolvers<void>();
    const request = failed.request(LIST);
    await closed.promise;
    await setImmediate();
    failed.close();
    await expect(request).rejects.toMatchObject({ reason: 'ApiUnavailable' });
  });

  test('a server without TLS is refused before anything is sent', () => {
    expect(() => createTransport({ server: 'http://127.0.0.1:1', token: () => 'secret' })).toThrow(ApiError);
  });

  test('a certificate of another authority is refused, and the token is not sent', async () => {
    const { cert } = await createFakeCertificate();
    const wary = createTransport({ ...api.config, ca: cert, token: () => 'secret' });
    await expect(wary.request({ ...LIST, timeoutSeconds: 1 })).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    expect(api.requests).toHaveLength(0);
    wary.close();
  });

  test('when the authority rotates, the new certificates are read and used at once', async () => {
    let { ca } = api.config;
    let readings = 0;
    const rotating = createTransport({
      ...api.config,
      ca: ({ fresh = false } = {}) => {
        if (fresh) readings += 1;
        return fresh && readings > 0 ? ((ca = next.cert), next.cert) : String(ca);
      },
    });
    const next = await createFakeCertificate();
    await rotating.request(LIST);
    api.setCertificate(next);
    api.fault((request, response) => {
      if (request.port !== api.requests[0]?.port) return false;
      response.destroy();
      return true;
    });
    expect((await rotating.request(LIST)).status).toBe(200);
    expect(readings).toBe(1);
    rotating.close();
  });
});

describe('repeating', () => {
  test.each([429, 503])('a %i with Retry-After is repeated after that time, also for a create', async (status) => {
    failFirst(2, status, { 'retry-after': '0' });
    expect((await transport.request({ ...CREATE, body: configMap })).status).toBe(201);
    expect(api.requests).toHaveLength(3);
  });

  test('a Retry-After beyond the deadline is passed to the caller as the retry delay', async () => {
    failFirst(1, 429, { 'retry-after': '30' });
    await expect(transport.request({ ...LIST, timeoutSeconds: 5 })).rejects.toMatchObject({
      reason: 'ApiUnavailable',
      retry: { afterSeconds: 30 },
    });
  });

  test('a server error without Retry-After is not repeated here', async () => {
    failFirst(1, 500);
    await expect(transport.request(LIST)).rejects.toMatchObject({ reason: 'ApiUnavailable', code: 500 });
    expect(api.requests).toHaveLength(1);
  });

  test('a create whose connection broke after sending is not repeated: it may have taken effect', async () => {
    api.fault((_request, response) => Boolean(response.destroy()));
    await expect(transport.request({ ...CREATE, body: configMap })).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    expect(api.requests).toHaveLength(1);
  });

  test('a read whose connection breaks is repeated a limited number of times', async () => {
    api.fault((_request, response) => Boolean(response.destroy()));
    const hasty = createTransport(api.config, { clock: hastyClock, random: () => 0 });
    await expect(hasty.request({ ...LIST, timeoutSeconds: 600 })).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    // the server has not seen an attempt whose connection broke before the request
    expect(api.requests.length).toBeGreaterThan(1);
    expect(api.requests.length).toBeLessThanOrEqual(6);
    hasty.close();
  });
});

describe('time', () => {
  test('an answer that is longer than the request allows is an error of its own, and is not asked for again', async () => {
    api.fault((_, response) => {
      response.end('x'.repeat(101));
      return true;
    });
    const longer = await transport.request({ ...LIST, mostBytes: 100 }).catch((error: unknown) => error);
    expect([isTooLarge(longer), isTooLarge(new Error('lost'))]).toEqual([true, false]);
    expect(longer).toMatchObject({ reason: 'ApiUnavailable', message: expect.stringMatching(/larger than 100 bytes$/) as string }); // prettier-ignore
    expect(api.requests).toHaveLength(1);
    expect((await transport.request({ ...LIST, mostBytes: 101 })).body).toHaveLength(101);
  });

  test('an answer that does not come within the deadline is ApiUnavailable', async () => {
    api.fault(() => true);
    await expect(transport.request({ ...LIST, timeoutSeconds: 0.2 })).rejects.toMatchObject({
      reason: 'ApiUnavailable',
    });
  });

  test('a body that stops in the middle counts against the deadline', async () => {
    api.fault((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{');
      return true;
    });
    await expect(transport.request({ ...LIST, timeoutSeconds: 0.3 })).rejects.toMatchObject({
      reason: 'ApiUnavailable',
    });
  });

  test('a server that accepts the connection and sends nothing counts against the deadline', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const muted = createTransport({ server: `https://127.0.0.1:${port}` });
    await expect(muted.request({ ...LIST, timeoutSeconds: 0.2 })).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    muted.close();
    silent.close();
  });

  test('an abort ends a request at once, with its own reason, and no attempt follows', async () => {
    api.fault(() => true);
    const controller = new AbortController();
    const pending = transport.request({ ...LIST, signal: controller.signal });
    await eventually(() => api.requests.length === 1);
    const why = new Error('shutting down');
    controller.abort(why);
    await expect(pending).rejects.toBe(why);
    expect(api.requests).toHaveLength(1);
  });
});

describe('waiting for a connection', () => {
  /** Leaves requests unanswered on every connection of the pool. */
  async function takeAllConnections(): Promise<{ readonly free: AbortController; readonly ended: Promise<unknown> }> {
    const free = new AbortController();
    let seen = 0;
    const restore = api.fault(() => (seen += 1) > 0);
    const ended = Promise.allSettled(
      Array.from({ length: 32 }, () => transport.request({ ...LIST, signal: free.signal })),
    );
    await eventually(() => seen === 32);
    restore();
    return { free, ended };
  }

  test('waiting for a connection counts against the deadline', async () => {
    const { free, ended } = await takeAllConnections();
    await expect(transport.request({ ...LIST, timeoutSeconds: 0.2 })).rejects.toMatchObject({
      reason: 'ApiUnavailable',
    });
    free.abort();
    await ended;
    expect(api.requests).toHaveLength(32);
  });

  test('an abort ends the wait for a connection at once, and leaves the connection to other requests', async () => {
    const { free, ended } = await takeAllConnections();
    const impatient = new AbortController();
    const pending = transport.request({ ...LIST, signal: impatient.signal });
    await setImmediate();
    const why = new Error('shutting down');
    impatient.abort(why);
    await expect(pending).rejects.toBe(why);
    const patient = transport.request(LIST);
    free.abort();
    await ended;
    expect((await patient).status).toBe(200);
  });
});

test('if one connection is silently dead, the next request does not use another of the same age', async () => {
  await Promise.all(Array.from({ length: 8 }, () => transport.request(LIST)));
  const old = new Set(api.requests.map(({ port }) => port));
  let noticed = false;
  api.fault(({ port }) => !noticed || old.has(port));
  await expect(transport.request({ ...LIST, timeoutSeconds: 0.2 })).rejects.toMatchObject({ reason: 'ApiUnavailable' });
  noticed = true;
  expect((await transport.request({ ...LIST, timeoutSeconds: 10 })).status).toBe(200);
});

describe('silence', () => {
  let clock: ManualClock;
  let steady: RootTransport;

  beforeEach(() => {
    clock = createManualClock();
    steady = createTransport(api.config, { clock, random: () => 0 });
  });
  afterEach(() => steady.close());

  /** Lets the first attempt, which gets no answer, time out. */
  async function loseFirst(pending: Promise<unknown>): Promise<void> {
    pending.catch(() => undefined);
    await eventually(() => api.requests.length === 1);
    clock.advance(20);
    await eventually(() => clock.timers === 2);
    clock.advance(1);
  }

  test('a read without an answer is sent once more over another connection, long before its deadline', async () => {
    api.fault(() => api.requests.length === 1);
    const pending = steady.request(LIST);
    await loseFirst(pending);
    expect((await pending).status).toBe(200);
    expect(new Set(api.requests.map(({ port }) => port)).size).toBe(2);
  });

  test('a read without an answer is not sent a third time: a server may take its time', async () => {
    api.fault(() => true);
    const pending = steady.request(LIST);
    await loseFirst(pending);
    await eventually(() => api.requests.length === 2);
    clock.advance(38);
    expect(clock.timers).toBe(1);
    clock.advance(1);
    await expect(pending).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    expect(api.requests).toHaveLength(2);
  });

  test('a create without an answer is not sent once more: it may have taken effect', async () => {
    api.fault(() => true);
    const pending = steady.request({ ...CREATE, body: configMap });
    await eventually(() => api.requests.length === 1);
    expect(clock.timers).toBe(1);
    clock.advance(60);
    await expect(pending).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    expect(api.requests).toHaveLength(1);
  });

  test('a request without an answer ends the streams that were silent as long, and no others', async () => {
    const watch = (namespace: string): ReturnType<Transport['stream']> => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      return steady.stream({ method: 'GET', path, query: { watch: true, resourceVersion: 1 } });
    };
    const { chunks: silent } = await watch('b');
    const { chunks: talking } = await watch('a');
    const events = talking[Symbol.asyncIterator]();
    clock.advance(7);
    api.put(JSON.parse(configMap) as KubeObject);
    await events.next();
    const others = readToEnd(silent);
    clock.advance(1);
    steady.distrust(10);
    expect(api.watches).toBe(2);
    steady.distrust(5);
    api.remove(JSON.parse(configMap) as KubeObject);
    await expect(others).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    expect((await events.next()).done).toBe(false);
  });
});

describe('credentials', () => {
  test('after a 401 the token is read again, and the request is repeated once', async () => {
    let token = 'old';
    api.fault((request, response) => {
      if (request.headers.authorization === 'Bearer new') return false;
      response.writeHead(401).end();
      return true;
    });
    const rotating = createTransport({
      ...api.config,
      token: ({ fresh = false } = {}) => (fresh ? (token = 'new') : token),
    });
    expect((await rotating.request({ ...CREATE, body: configMap })).status).toBe(201);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    rotating.close();
  });

  test('credentials that are refused twice are Forbidden', async () => {
    failFirst(9, 401);
    const refused = createTransport({ ...api.config, token: () => 'bad' });
    await expect(refused.request(LIST)).rejects.toMatchObject({ reason: 'Forbidden', code: 401 });
    expect(api.requests).toHaveLength(2);
    refused.close();
  });
});

describe('guard', () => {
  test('if the guard refuses, nothing is sent, and its error is the result', async () => {
    const lost = new Error('not allowed');
    const guard = (): void => {
      throw lost;
    };
    await expect(transport.request({ ...CREATE, body: configMap, guard })).rejects.toBe(lost);
    expect(api.requests).toHaveLength(0);
  });

  test('the guard is called before each attempt, not only before the first', async () => {
    failFirst(1, 429, { 'retry-after': '0' });
    let calls = 0;
    const guard = (): void => {
      calls += 1;
      if (calls === 2) throw new Error('lost meanwhile');
    };
    await expect(transport.request({ ...CREATE, body: configMap, guard })).rejects.toThrow('lost meanwhile');
    expect(api.requests).toHaveLength(1);
  });
});

describe('streams', () => {
  test('a silent stream fails after its idle time', async () => {
    const { chunks } = await transport.stream({
      ...LIST,
      query: { watch: true, resourceVersion: 1 },
      idleSeconds: 0.1,
    });
    await expect(readToEnd(chunks)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
  });

  test('a stream whose connection breaks fails; one that the server ends does not', async () => {
    const query = { watch: true, resourceVersion: 1 };
    for (const how of ['drop', 'end'] as const) {
      const { chunks } = await transport.stream({ ...LIST, query });
      await eventually(() => api.watches === 1);
      const reading = readToEnd(chunks);
      api.endWatches(how);
      if (how === 'drop') await expect(reading).rejects.toMatchObject({ reason: 'ApiUnavailable' });
      else await expect(reading).resolves.toBe('');
    }
  });

  test('an abort ends a stream with its own reason', async () => {
    const controller = new AbortController();
    const { chunks } = await transport.stream({
      ...LIST,
      query: { watch: true, resourceVersion: 1 },
      signal: controller.signal,
    });
    const reading = readToEnd(chunks);
    const why = new Error('enough');
    controller.abort(why);
    await expect(reading).rejects.toBe(why);
  });
});

test('every attempt is reported once with its status', async () => {
  const seen: RequestFacts[] = [];
  const counted = createTransport(api.config, { onRequest: (facts) => void seen.push(facts) });
  failFirst(1, 429, { 'retry-after': '0' });
  await counted.request(LIST);
  expect(seen.map(({ method, status }) => `${method} ${status}`)).toEqual(['GET 429', 'GET 200']);
  counted.close();
});
