/**
 * One HTTP request to one place, over keep-alive agents: deadlines for connecting, headers and every stretch of
 * the body, and network failures as RegistryUnavailable. Knows neither registries nor redirects nor credentials;
 * session.ts builds on it.
 */
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { describeConnectionFailure, type ConnectionFailure } from '../api/connection-failure.ts';
import { ReasonedError } from '../api/errors.ts';
import { untilAborted } from '../api/until-aborted.ts';
import {
  type Bounds,
  guardedLookup,
  linkLocalRefused,
  mayReach,
  type Network,
  outOfBounds,
  type Reach,
  SYSTEM_NETWORK,
} from './address.ts';
import { type AgentOptions, type Agents, createAgents, MAX_FREE_SOCKETS } from './agents.ts';
import { unavailable } from './errors.ts';
import { type BodyStream, discardBody, receiveBody, sendBody, TimedOut, type Timeouts } from './http-body.ts';

export interface HttpTransportOptions extends AgentOptions {
  readonly timeouts: Timeouts;
  readonly userAgent: string;
  /** Whether link-local addresses may be connected to; they are refused unless this is true. */
  readonly allowLinkLocal?: boolean;
  /** The system's unless given. */
  readonly network?: Network;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes, or a function that starts a stream of exactly `length` bytes. */
  readonly body?: Uint8Array | BodyStream;
  /** Set for hosts that a registry points to: the reach of that registry. */
  readonly pointedToFrom?: Reach;
  /** PEM certificates trusted for this request, in addition to those of the transport. */
  readonly ca?: string;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The reach of the address that answered; through a proxy it is known for literal addresses only. */
  readonly reach: Reach;
  /** The body, guarded against stalling. Either read it to its end or discard it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Frees the connection: for the next request if little is left to read, else by closing it. */
  discard(): Promise<void>;
}

export interface HttpTransport {
  /** Sends once. @throws RegistryUnavailable; the signal's reason when it aborts. */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): void;
}

/** A transport with its own agents; `close` ends idle connections. */
export function createTransport(options: HttpTransportOptions): HttpTransport {
  const pools = new Map<string, Agents>();
  const resolved = new WeakSet<Socket>();
  return {
    async send(request) {
      const network = options.network ?? SYSTEM_NETWORK;
      const bounds = boundsOf(request, options);
      assertInBounds(request.url, bounds, network);
      const agents = agentsFor(pools, request, options);
      return sendWithRetry(request, { options, agents, resolved, bounds, network });
    },
    close() {
      for (const agents of pools.values()) agents.close();
    },
  };
}

/** Authorities are replaced now and then; connections that trust a former one are closed after so many. */
const MAX_POOLS = 64;

/**
 * The agents for a request, by the origin of its host, a reference or a registry of some reach, and by the certificates
 * that it trusts: a connection that was opened for a named host, or under another authority, must not be reused.
 */
function agentsFor(
  pools: Map<string, Agents>,
  { pointedToFrom, ca }: HttpRequest,
  options: HttpTransportOptions,
): Agents {
  const key = JSON.stringify([pointedToFrom ?? 'named', ca]);
  const agents =
    pools.get(key) ?? createAgents(ca === undefined ? options : { ...options, ca: joined(options.ca, ca) });
  pools.delete(key);
  pools.set(key, agents);
  const [[oldest, unused] = []] = pools;
  if (pools.size > MAX_POOLS && oldest !== undefined && unused !== undefined) {
    pools.delete(oldest);
    unused.close();
  }
  return agents;
}

function joined(own: HttpTransportOptions['ca'], ca: string): readonly string[] {
  return [...[own ?? []].flat(), ca];
}

interface TransportWiring {
  readonly options: HttpTransportOptions;
  readonly agents: Agents;
  readonly bounds: Bounds;
  readonly network: Network;
  /**
   * Connections to an address that a name was resolved to here. A proxy resolves names itself, so that only literal
   * addresses can be judged through it; a host that the variables except from the proxy is judged like any other.
   */
  readonly resolved: WeakSet<Socket>;
}

function boundsOf({ pointedToFrom: from }: HttpRequest, { allowLinkLocal = false }: HttpTransportOptions): Bounds {
  return {
    admits: (reach) => (reach !== 'linkLocal' || allowLinkLocal) && (from === undefined || mayReach(from, reach)),
    refusal: from === undefined ? linkLocalRefused : outOfBounds,
  };
}

/** Of a literal address no name is resolved, so that it is judged here. */
function assertInBounds({ hostname }: URL, { admits, refusal }: Bounds, { reachOf }: Network): void {
  const literal = literalIn(hostname);
  if (literal !== undefined && !admits(reachOf(literal))) throw refusal(hostname);
}

function literalIn(hostname: string): string | undefined {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 ? undefined : literal;
}

/**
 * A kept-alive connection may have been closed by the other side meanwhile: that alone is tried again at once, as
 * often as there can be such connections.
 */
async function sendWithRetry(request: HttpRequest, wiring: TransportWiring): Promise<HttpResponse> {
  for (let stale = 0; ; stale += 1) {
    try {
      return await sendOnce(request, wiring);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      if (stale === MAX_FREE_SOCKETS) throw error.cause;
    }
  }
}

class StaleConnection extends Error {}

async function sendOnce(request: HttpRequest, wiring: TransportWiring): Promise<HttpResponse> {
  const { options, agents, resolved, bounds, network } = wiring;
  const { url, signal } = request;
  signal?.throwIfAborted();
  const guarded = guardedLookup(bounds, network);
  let isResolvedHere = false;
  const client = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: request.method,
    agent: agents.of(url),
    // Until a proxy answers, Node ends neither the request nor the connection in another way.
    timeout: options.timeouts.headersMs,
    headers: {
      'user-agent': options.userAgent,
      'accept-encoding': 'identity',
      ...bodyHeaders(request),
      ...request.headers,
    },
    lookup: (...asked) => {
      isResolvedHere = true;
      guarded(...asked);
    },
    ...(signal !== undefined && { signal }),
  });
  const answered = Promise.withResolvers<IncomingMessage>();
  answered.promise.catch(() => {}); // awaited below; a failure while the body is sent must not be unhandled
  client.on('error', answered.reject); // after the answer, the reader of its body gets the error
  // Of an answer that switches protocols, which no request asks for, Node reports the end of the connection only.
  const onNoAnswer = (): void => answered.reject(new Error('closed without an answer'));
  client.once('close', onNoAnswer);
  client.once('response', (message) => {
    client.off('close', onNoAnswer);
    answered.resolve(message);
  });
  const timer = startTimer(options.timeouts.headersMs, (late) => {
    client.destroy(late);
    // A request that waits for a connection reports its end only once it gets one.
    answered.reject(late);
  });
  try {
    let address: string | undefined;
    client.once('response', ({ socket }: IncomingMessage) => {
      if (isResolvedHere) resolved.add(socket);
      address = resolved.has(socket) ? socket.remoteAddress : literalIn(url.hostname);
    });
    if (request.body === undefined) client.end();
    else await sendBody(client, request.body, () => timer.restart());
    const message = await untilAborted(() => answered.promise, signal);
    const reach = address === undefined ? 'public' : network.reachOf(address);
    return { ...describeResponse(request, message, options.timeouts), reach };
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

function startTimer(ms: number, onLate: (late: TimedOut) => void): Timer {
  const expire = (): void => onLate(new TimedOut());
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

function sendError(error: unknown, { url, signal }: HttpRequest, client: ClientRequest): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof ReasonedError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  const { message, hint }: ConnectionFailure =
    error instanceof TimedOut ? { message: 'no answer in time' } : describeConnectionFailure(error);
  const failure = unavailable(`${url.host} cannot be reached: ${message}`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  });
  const stale = client.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
  return stale ? new StaleConnection('stale', { cause: failure }) : failure;
}

function describeResponse(
  { url, method, signal }: HttpRequest,
  message: IncomingMessage,
  timeouts: Timeouts,
): Omit<HttpResponse, 'reach'> {
  message.on('error', () => {}); // the reader of the body gets the error
  return {
    url,
    status: message.statusCode ?? 0,
    headers: message.headers,
    body: receiveBody(url, message, { timeouts, signal }),
    discard: () => discardBody(message, { empty: method === 'HEAD', timeouts }),
  };
}
