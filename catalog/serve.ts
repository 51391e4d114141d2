/**
 * Answers HTTP requests for a catalog's content as OLM v1's catalogd does, so that its clients work unchanged:
 * `/catalogs/<name>/api/v1/all` is the whole catalog, `/catalogs/<name>/api/v1/metas?schema=&package=&name=` a part
 * of it, both as lines of JSON. cmd/manager puts it behind a server, on every replica. It changes nothing, and
 * listens nowhere itself.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { checkPreconditions } from './http/conditions.ts';
import { chooseEncoding, type Encoding } from './http/encoding.ts';
import type { Full, InFlight } from './http/in-flight.ts';
import type { BlobQuery } from './index/chunk-reader.ts';
import type { CatalogIndex } from './index/open.ts';
import { isCatalogName } from './store.ts';

export interface ServeOptions {
  /** Borrows the index in service under the name of a Catalog, until it is given back; undefined if there is none. */
  readonly borrow: (catalog: string) => Borrowed | undefined;
  /** Limit of concurrent bodies; by default none. */
  readonly bodies?: InFlight;
  /** Called for each request that was refused because of that limit. */
  readonly onFull?: (full: Full) => void;
  /** Whether the client may read the catalog: the code of the refusal if not. By default every client may. */
  readonly authorize?: (request: IncomingMessage, catalog: string) => Promise<401 | 403 | 503 | undefined>;
  /** Called for a response that failed on this side, because of a damaged index for example. */
  readonly onError?: (error: unknown, catalog: string) => void;
}

/** Content that stays open until it is released. */
export interface Borrowed {
  readonly digest: string;
  readonly index: CatalogIndex;
  readonly release: () => void;
}

/** Whether the request was for this handler; false leaves the response untouched. */
export type CatalogHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** Smaller answers are not compressed. */
const MIN_COMPRESSED_BYTES = 1400;
/** Lines are sent together until there are this many bytes. */
const BATCH_BYTES = 1 << 16;
/** Low levels: a catalog is sent more often than it is worth to squeeze out the last percent. */
const GZIP_LEVEL = 3;
const ZSTD_LEVEL = 1;
/** After this time a client that was refused for the number of others may ask again. */
const RETRY_SECONDS = 5;

/**
 * A handler of everything below `/catalogs/`. It never rejects.
 * @see https://operator-framework.github.io/operator-controller/howto/catalog-queries/
 */
export function createCatalogHandler(options: ServeOptions): CatalogHandler {
  const { borrow, authorize, onError } = options;
  return async (request, response) => {
    const target = parseTarget(request.url ?? '');
    if (target === undefined) return false;
    try {
      await answer(request, response, target);
    } catch (error) {
      if (!isClientGone(error)) onError?.(error, target.catalog);
      if (response.headersSent) response.destroy();
      else refuse(response, 500);
    }
    return true;
  };

  async function answer(request: IncomingMessage, response: ServerResponse, target: ServeTarget): Promise<void> {
    if (target.endpoint === undefined) return refuse(response, 404);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(response.setHeader('Allow', 'GET, HEAD'), 405);
    }
    const query = target.endpoint === 'all' ? {} : parseQuery(target.search);
    if (query === undefined || !isCatalogName(target.catalog)) return refuse(response, 400);
    const refused = await authorize?.(request, target.catalog);
    if (refused !== undefined) return refuse(response, refused);
    const found = borrow(target.catalog);
    if (found === undefined) return refuse(response, 404);
    try {
      await answerFrom(request, response, { ...found, query });
    } finally {
      found.release();
    }
  }

  async function answerFrom(request: IncomingMessage, response: ServerResponse, found: BlobSelection): Promise<void> {
    const validators = { etag: etagOf(found.digest), modified: found.index.modified };
    response.setHeader('ETag', validators.etag);
    response.setHeader('Last-Modified', validators.modified.toUTCString());
    response.setHeader('Vary', authorize === undefined ? 'Accept-Encoding' : 'Accept-Encoding, Authorization');
    const verdict = checkPreconditions(request.headers, validators);
    if (verdict === 304) return void response.writeHead(304).end();
    if (verdict === 412) return refuse(response, 412);
    const encoding = describeBody(request, response, found);
    if (request.method === 'HEAD') return void response.writeHead(200).end();
    const leave = options.bodies?.enter(request.socket.remoteAddress ?? '');
    if (typeof leave === 'string') {
      options.onFull?.(leave);
      return refuseFull(response);
    }
    try {
      await sendBody(response, { ...found, encoding });
    } finally {
      leave?.();
    }
  }
}

type ServeTarget = { readonly catalog: string; readonly endpoint?: 'all' | 'metas'; readonly search: string };

function parseTarget(url: string): ServeTarget | undefined {
  const [path = '', search = ''] = url.split(/\?(.*)/s, 2);
  const match = /^\/catalogs\/([^/]*)(?:\/api\/v1\/(all|metas))?/.exec(path);
  if (match === null) return undefined;
  const endpoint = match[0] === path ? (match[2] as ServeTarget['endpoint']) : undefined;
  return { catalog: match[1]!, search, ...(endpoint !== undefined && { endpoint }) };
}

/**
 * The documents that a request selects; undefined if a parameter is unknown. Of a repeated parameter, the first value
 * counts.
 */
function parseQuery(search: string): BlobQuery | undefined {
  const parameters = new URLSearchParams(search);
  const query: Record<string, string> = {};
  for (const name of new Set(parameters.keys())) {
    if (name !== 'schema' && name !== 'package' && name !== 'name') return undefined;
    query[name] = parameters.get(name)!;
  }
  return query;
}

/** Weak, as the bytes depend on the encoding. */
function etagOf(digest: string): string {
  return `W/"${digest.slice(digest.indexOf('@') + 1).replaceAll(/[^\w:.+-]/g, '_')}"`;
}

interface BlobSelection {
  readonly digest: string;
  readonly index: CatalogIndex;
  readonly query: BlobQuery;
}

interface Body extends BlobSelection {
  readonly encoding: Encoding;
}

/** The headers of a body, whether or not it is sent. */
function describeBody(request: IncomingMessage, response: ServerResponse, { index, query }: BlobSelection): Encoding {
  const size = index.size(query);
  const encoding = size > MIN_COMPRESSED_BYTES ? chooseEncoding(request.headers['accept-encoding']) : 'identity';
  response.setHeader('Content-Type', 'application/jsonl');
  if (encoding === 'identity') response.setHeader('Content-Length', size);
  else response.setHeader('Content-Encoding', encoding);
  return encoding;
}

async function sendBody(response: ServerResponse, { index, query, encoding }: Body): Promise<void> {
  response.writeHead(200);
  await pipeline([Readable.from(bodyOf(index.blobs(query))), ...compressorOf(encoding), response]);
}

/** The bytes to send; the event loop gets its turn between them. */
async function* bodyOf(lines: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const batch of batched(lines)) {
    yield batch;
    await setImmediate();
  }
}

function* batched(lines: Iterable<Uint8Array>): Generator<Uint8Array> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for (const line of lines) {
    batch.push(line);
    size += line.length;
    if (size < BATCH_BYTES) continue;
    yield Buffer.concat(batch);
    batch = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(batch);
}

/** The chunks of an index are zstd already, but many clients read only the first of several frames. */
function compressorOf(encoding: Encoding): NodeJS.ReadWriteStream[] {
  if (encoding === 'gzip') return [createGzip({ level: GZIP_LEVEL })];
  if (encoding === 'zstd') return [createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } })];
  return [];
}

/** Removes the headers of the content, because the refusal is not the requested content. */
function refuseFull(response: ServerResponse): void {
  for (const name of ['ETag', 'Last-Modified', 'Content-Length', 'Content-Encoding']) response.removeHeader(name);
  refuse(response, 503);
}

function refuse(response: ServerResponse, code: number): void {
  if (code === 503) response.setHeader('Retry-After', RETRY_SECONDS);
  if (code === 401) response.setHeader('WWW-Authenticate', 'Bearer realm="slipway"');
  const text = `${code} ${REFUSALS[code] ?? 'Error'}\n`;
  response
    .writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    .end(text);
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  412: 'Precondition Failed',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function isClientGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}
