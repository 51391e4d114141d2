/**
 * One HTTP request to one place, over keep-alive agents: deadlines for connecting, headers and every stretch of
 * the body, and network failures as RegistryUnavailable. Knows neither registries nor redirects nor credentials;
 * session.ts builds on it.
 */
import { once } from 'node:events';
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { finished } from 'node:stream';
import { createSecureContext, getCACertificates } from 'node:tls';
import { ReasonedError } from '../api/errors.ts';
import { guardedLookup, mayReach, outOfBounds, type Reach, reachOf } from './address.ts';
import { mismatch, unavailable } from './errors.ts';

export interface Timeouts {
  /** From sending to the answer's headers. */
  readonly headersMs: number;
  /** Longest pause between two pieces of a body. */
  readonly stallMs: number;
  /** A body must arrive at this rate, measured over `stallMs`; defeats servers that send a byte a second. */
  readonly minBytesPerSecond: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { headersMs: 30_000, stallMs: 30_000, minBytesPerSecond: 1024 };

export interface TransportOptions {
  readonly timeouts: Timeouts;
  readonly userAgent: string;
  /** PEM certificates trusted in addition to the system's. */
  readonly ca?: string | readonly string[];
  /** Variables `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`; absent means no proxy. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes, or a function that starts a stream of exactly `length` bytes. */
  readonly body?: Uint8Array | BodyStream;
  /** Set for hosts that a registry points to: where that registry lies. */
  readonly pointedToFrom?: Reach;
  readonly signal?: AbortSignal;
}

export interface BodyStream {
  readonly length: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

export interface HttpResponse {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, guarded against stalling. Either read it to its end or discard it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Frees the connection: for the next request where little is left to read, else by closing it. */
  discard(): Promise<void>;
}

export interface Transport {
  /** Sends once. @throws RegistryUnavailable; the signal's reason where it aborts. */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): void;
}

/** A transport with its own agents; `close` ends idle connections. */
export function createTransport(options: TransportOptions): Transport {
  const agents = createAgents(options);
  const proxied = Object.entries(options.proxyEnv ?? {}).some(
    ([name, value]) => /^https?_proxy$/i.test(name) && !!value,
  );
  return {
    async send(request) {
      assertReach(request);
      return sendWithRetry(request, { options, agents, proxied });
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Reads a body to its end. @throws Error made by `tooLarge` at the first byte beyond `maxBytes`. */
export async function readBody(response: HttpResponse, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Wiring {
  readonly options: TransportOptions;
  readonly agents: Agents;
  /** Through a proxy names are resolved there, so that only literal addresses can be judged here. */
  readonly proxied: boolean;
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function createAgents({ ca, proxyEnv }: TransportOptions): Agents {
  const shared = {
    keepAlive: true,
    maxSockets: 16,
    maxFreeSockets: MAX_FREE_SOCKETS,
    scheduling: 'lifo' as const,
    ...(proxyEnv !== undefined && { proxyEnv: proxyEnv as NodeJS.ProcessEnv }),
  };
  const secureContext =
    ca === undefined ? undefined : createSecureContext({ ca: [...getCACertificates('default'), ...[ca].flat()] });
  return {
    http: new HttpAgent(shared),
    https: new HttpsAgent({ ...shared, ...(secureContext !== undefined && { secureContext }) }),
  };
}

function assertReach({ url, pointedToFrom }: HttpRequest): void {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (pointedToFrom !== undefined && isIP(literal) !== 0 && !mayReach(pointedToFrom, reachOf(literal))) {
    throw outOfBounds(url.hostname);
  }
}

/**
 * A kept-alive connection may have been closed by the other side meanwhile: that alone is tried again at once, as
 * often as there can be such connections.
 */
async function sendWithRetry(request: HttpRequest, wiring: Wiring): Promise<HttpResponse> {
  for (let stale = 0; ; stale += 1) {
    try {
      return await sendOnce(request, wiring);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      if (stale === MAX_FREE_SOCKETS) throw error.cause;
    }
  }
}

const MAX_FREE_SOCKETS = 4;

class StaleConnection extends Error {}

async function sendOnce(request: HttpRequest, { options, agents, proxied }: Wiring): Promise<HttpResponse> {
  const { url, signal } = request;
  signal?.throwIfAborted();
  const secure = url.protocol === 'https:';
  const client = (secure ? httpsRequest : httpRequest)(url, {
    method: request.method,
    agent: secure ? agents.https : agents.http,
    headers: {
      'user-agent': options.userAgent,
      'accept-encoding': 'identity',
      ...bodyHeaders(request),
      ...request.headers,
    },
    ...(request.pointedToFrom !== undefined && !proxied && { lookup: guardedLookup(request.pointedToFrom) }),
    ...(signal !== undefined && { signal }),
  });
  client.on('error', () => {}); // seen by whoever waits for the answer or reads its body
  const timer = startTimer(client, options.timeouts.headersMs);
  try {
    const answered = once(client, 'response') as Promise<[IncomingMessage]>;
    answered.catch(() => {}); // awaited below; a failure while the body is sent must not be unhandled
    await sendBody(client, request.body, timer);
    const [message] = await answered;
    return describeResponse(request, message, options.timeouts);
  } catch (error) {
    client.destroy();
    throw sendError(error, request, client);
  } finally {
    timer.stop();
  }
}

function bodyHeaders({ method, body }: HttpRequest): Record<string, string> {
  if (body !== undefined) return { 'content-length': String(body.length) };
  return ['POST', 'PUT', 'PATCH'].includes(method) ? { 'content-length': '0' } : {};
}

interface Timer {
  restart(): void;
  stop(): void;
}

function startTimer(client: ClientRequest, ms: number): Timer {
  const expire = (): void => {
    client.destroy(new TimedOut());
  };
  let handle = setTimeout(expire, ms);
  return {
    restart() {
      clearTimeout(handle);
      handle = setTimeout(expire, ms);
    },
    stop() {
      clearTimeout(handle);
    },
  };
}

class TimedOut extends Error {}

async function sendBody(client: ClientRequest, body: HttpRequest['body'], timer: Timer): Promise<void> {
  if (body === undefined) return void client.end();
  if (body instanceof Uint8Array) return void client.end(body);
  let sent = 0;
  for await (const chunk of body.open()) {
    if (client.destroyed || client.writableEnded) return;
    sent += chunk.length;
    if (sent > body.length) break;
    if (!client.write(chunk)) await Promise.race([once(client, 'drain'), once(client, 'close')]);
    timer.restart();
  }
  if (sent !== body.length) throw mismatch('content to be sent is not as long as it was announced', false);
  client.end();
}

function sendError(error: unknown, { url, signal }: HttpRequest, client: ClientRequest): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof ReasonedError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const failure = unavailable(`${url.host} cannot be reached: ${describeFailure(error, code)}`, {
    cause: error,
    ...(isTlsFailure(code) && { hint: 'Add the certificate authority of the registry to those that are trusted' }),
  });
  const stale = client.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
  return stale ? new StaleConnection('stale', { cause: failure }) : failure;
}

function describeFailure(error: unknown, code: string | undefined): string {
  if (error instanceof TimedOut) return 'no answer in time';
  switch (code) {
    case 'ENOTFOUND':
      return 'the name is unknown (ENOTFOUND)';
    case 'ECONNREFUSED':
      return 'the connection is refused (ECONNREFUSED)';
    case 'ECONNRESET':
      return 'the connection was cut (ECONNRESET)';
    default:
      return code ?? 'the connection failed';
  }
}

function isTlsFailure(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/.test(code);
}

function describeResponse(
  { url, method, signal }: HttpRequest,
  message: IncomingMessage,
  timeouts: Timeouts,
): HttpResponse {
  message.on('error', () => {}); // whoever reads the body sees it there
  return {
    url,
    status: message.statusCode ?? 0,
    headers: message.headers,
    body: guardedBody(url, message, { timeouts, signal }),
    async discard() {
      const rest = method === 'HEAD' ? 0 : Number(message.headers['content-length'] ?? Number.NaN);
      if (message.complete || rest <= MAX_DISCARD_BYTES) await drain(message, timeouts.stallMs);
      else message.destroy();
    },
  };
}

/** What is worth reading to the end to keep a connection. */
const MAX_DISCARD_BYTES = 16 << 10;

async function drain(message: IncomingMessage, ms: number): Promise<void> {
  const timer = setTimeout(() => message.destroy(), ms);
  message.resume();
  await new Promise((resolve) => finished(message, resolve));
  clearTimeout(timer);
}

interface Guard {
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;
}

/**
 * The body, with the time spent waiting for the other side bounded; time that the reader takes does not count.
 * Over each `stallMs` of waiting at least `minBytesPerSecond` must have come.
 */
async function* guardedBody(
  url: URL,
  message: IncomingMessage,
  { timeouts, signal }: Guard,
): AsyncGenerator<Uint8Array> {
  const { stallMs, minBytesPerSecond } = timeouts;
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const since = performance.now();
      const next = await beforeDeadline(chunks, message, stallMs);
      if (next.done === true) return;
      waitedMs += performance.now() - since;
      bytes += next.value.length;
      if (waitedMs >= stallMs) {
        if (bytes < (minBytesPerSecond * waitedMs) / 1000) throw new TimedOut();
        waitedMs = 0;
        bytes = 0;
      }
      yield next.value;
    }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    const why = error instanceof TimedOut ? 'it arrives too slowly' : 'the connection was cut';
    throw unavailable(`the answer of ${url.host} is incomplete: ${why}`, { cause: error });
  } finally {
    message.destroy();
  }
}

async function beforeDeadline(
  chunks: AsyncIterator<Uint8Array>,
  message: IncomingMessage,
  ms: number,
): Promise<IteratorResult<Uint8Array>> {
  const timer = setTimeout(() => message.destroy(new TimedOut()), ms);
  try {
    return await chunks.next();
  } finally {
    clearTimeout(timer);
  }
}
