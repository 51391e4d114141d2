import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIndex } from './index/build.ts';
import { openIndex, type CatalogIndex } from './index/open.ts';
import { createLending } from './lending.ts';
import { createCatalogHandler, type Borrowed } from './serve.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const ETAG = `W/"${DIGEST}"`;
const documents = [
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable' },
  { schema: 'olm.channel', name: 'stable', package: 'gadget', entries: [{ name: 'gadget.v1' }] },
  { schema: 'olm.bundle', name: 'gadget.v1', package: 'gadget', image: 'x', text: 'long '.repeat(2000) },
  ...Array.from({ length: 300 }, (_, n) => ({ schema: 'filler', name: `n${n}`, text: String(n).repeat(500) })),
];
const CONTENT = documents.map((document) => `${JSON.stringify(document)}\n`).join('');

let folder = '';
let server: Server;
let index: CatalogIndex;
const errors: string[] = [];
const served = new Map<string, { digest: string; index: CatalogIndex }>();
let lending = createLending(() => undefined);

function borrow(name: string): Borrowed | undefined {
  const found = served.get(name);
  return found && { ...found, release: found.index === index ? lending.lend() : () => undefined };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-serve-'));
  const target = join(folder, 'hub.db');
  await buildIndex({ files: [{ path: 'a.json', content: Buffer.from(CONTENT) }], target });
  index = openIndex(target);
  const first = index;
  lending = createLending(() => first.close());
  served.set('hub', { digest: `registry.example/hub@${DIGEST}`, index });
  const handler = createCatalogHandler({
    borrow,
    onError: (error, name) => errors.push(`${name}: ${String(error)}`),
  });
  server = createServer((request, response) => {
    void handler(request, response).then((handled) => handled || response.writeHead(418).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
  index.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers, method, agent: false }, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
        reject,
      );
    });
    request.on('error', reject).end();
  });
}

const ALL = '/catalogs/hub/api/v1/all';
const METAS = '/catalogs/hub/api/v1/metas';

describe('the whole catalog', () => {
  it('the whole catalog is served as lines of JSON', async () => {
    const { status, headers, body } = await ask(ALL);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/jsonl',
      'content-length': String(CONTENT.length),
      etag: ETAG,
      vary: 'Accept-Encoding',
    });
    expect(headers['last-modified']).toBe(index.modified.toUTCString());
    expect(body.toString()).toBe(CONTENT);
  });

  it.each([
    { encoding: 'gzip', decompress: gunzipSync },
    { encoding: 'zstd', decompress: zstdDecompressSync },
  ])('compressed as $encoding', async ({ encoding, decompress }) => {
    const { headers, body } = await ask(ALL, { 'accept-encoding': encoding });
    expect(headers['content-encoding']).toBe(encoding);
    expect(body.length).toBeLessThan(CONTENT.length);
    expect(decompress(body).equals(Buffer.from(CONTENT))).toBe(true);
  });

  it('HEAD answers the same without the content', async () => {
    const { status, headers, body } = await ask(ALL, {}, 'HEAD');
    expect(status).toBe(200);
    expect(headers['content-length']).toBe(String(CONTENT.length));
    expect(body).toHaveLength(0);
  });

  it('a catalog is served to its end although a newer one replaces it', async () => {
    const { port } = server.address() as AddressInfo;
    const text = await new Promise<string>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path: ALL, agent: false }, (response) => {
        lending.retire();
        index = openIndex(index.path);
        lending = createLending(() => undefined);
        served.set('hub', { digest: DIGEST, index });
        buffer(response).then((body) => resolve(body.toString()), reject);
      }).end();
    });
    expect(text === CONTENT).toBe(true);
  });
});

describe('a part of the catalog', () => {
  it.each([
    { because: 'no parameter means all', query: '', count: 303 },
    { because: 'a schema', query: '?schema=olm.bundle', count: 1 },
    { because: 'a package', query: '?package=gadget', count: 2 },
    { because: 'several parameters', query: '?schema=olm.channel&package=gadget&name=stable', count: 1 },
    { because: 'no document matches', query: '?name=nothing', count: 0 },
    { because: 'an empty parameter means all', query: '?schema=', count: 303 },
    { because: 'the first value of a repeated parameter counts', query: '?name=stable&name=n1', count: 1 },
  ])('$because', async ({ query, count }) => {
    const { status, body } = await ask(METAS + query);
    expect(status).toBe(200);
    expect(body.toString().split('\n').length - 1).toBe(count);
  });

  it.each(['gzip', 'zstd'])('a large answer is compressed as %s', async (encoding) => {
    const { headers, body } = await ask(`${METAS}?schema=olm.bundle`, { 'accept-encoding': encoding });
    expect(headers['content-encoding']).toBe(encoding);
    const text = encoding === 'gzip' ? gunzipSync(body) : zstdDecompressSync(body);
    expect(JSON.parse(text.toString())).toEqual(documents[2]);
  });

  it('a small answer is not compressed', async () => {
    const { headers, body } = await ask(`${METAS}?schema=olm.package`, { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(body.toString())).toEqual(documents[0]);
  });
});

describe('refused requests', () => {
  it.each([
    { because: 'an unknown catalog', path: '/catalogs/other/api/v1/all', method: 'GET', status: 404 },
    { because: 'a name that no catalog can have', path: '/catalogs/Hub_/api/v1/all', method: 'GET', status: 400 },
    { because: 'a name that leads elsewhere', path: '/catalogs/..%2fhub/api/v1/all', method: 'GET', status: 400 },
    { because: 'an unknown parameter', path: `${METAS}?schema=olm.bundle&version=1`, method: 'GET', status: 400 },
    { because: 'an unknown endpoint', path: '/catalogs/hub/api/v1/graphql', method: 'GET', status: 404 },
    { because: 'a path below an endpoint', path: `${ALL}/x`, method: 'GET', status: 404 },
    { because: 'a catalog without an endpoint', path: '/catalogs/hub', method: 'GET', status: 404 },
    { because: 'another method', path: ALL, method: 'POST', status: 405 },
    { because: 'a path of another handler', path: '/metrics', method: 'GET', status: 418 },
  ])('$because: $status', async ({ path, method, status }) => {
    expect((await ask(path, {}, method)).status).toBe(status);
  });

  it('content that the client has is not sent again', async () => {
    const { status, headers, body } = await ask(ALL, { 'if-none-match': ETAG });
    expect(status).toBe(304);
    expect(headers.etag).toBe(ETAG);
    expect(body).toHaveLength(0);
    expect((await ask(METAS, { 'if-modified-since': index.modified.toUTCString() })).status).toBe(304);
  });

  it('content with a failed precondition is not sent', async () => {
    expect((await ask(ALL, { 'if-match': '"other"' })).status).toBe(412);
  });

  it('a damaged index gives an error, which is reported', async () => {
    const target = join(folder, 'bad.db');
    await buildIndex({ files: [{ path: 'a.json', content: Buffer.from(CONTENT) }], target });
    served.set('bad', { digest: DIGEST, index: openIndex(target) });
    truncateSync(target, 100);
    expect((await ask('/catalogs/bad/api/v1/all')).status).toBe(500);
    expect(errors.join('\n')).toContain('bad:');
  });
});
