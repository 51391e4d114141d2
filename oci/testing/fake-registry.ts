/**
 * An in-process registry for tests: the distribution specification with the referrers API, token and password
 * authentication, and a hook that lets a test answer any request in its own way. The shared cases of
 * registry-cases.ts keep it honest: they run against the real registry too.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerAuth, type FakeAuth } from './fake-auth.ts';
import type { FakeAnswer, FakeCall } from './fake-call.ts';
import { answerApi, type FakeStore, type StoreOptions } from './fake-store.ts';
import { parseReference, type Reference } from '../reference.ts';

export interface FakeOptions extends StoreOptions {
  readonly auth?: FakeAuth;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export interface FakeRequest {
  readonly method: string;
  /** Path with query, as received. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Port of the client's end: identifies the connection. */
  readonly port: number;
}

export interface FakeRegistry {
  /** `localhost:34567`: the registry part of references. */
  readonly host: string;
  readonly url: string;
  /** Every request received, in order. */
  readonly requests: readonly FakeRequest[];
  /** Bytes of all bodies that it has sent. */
  readonly sent: number;
  readonly store: FakeStore;
  /** Called first for each request; undefined lets the registry answer. Tests may replace it. */
  intercept: (request: FakeRequest) => FakeAnswer | undefined;
  /** `reference('org/app:v1')` on this registry. */
  reference(name: string): Reference;
  close(): Promise<void>;
}

/** Starts a registry on a free loopback port. */
export async function startFakeRegistry(options: FakeOptions = {}): Promise<FakeRegistry> {
  const store: FakeStore = { repositories: new Map(), uploads: new Map() };
  const requests: FakeRequest[] = [];
  let sent = 0;
  const server = listenerFor(options, (request, response) => {
    const seen = describe(request);
    requests.push(seen);
    const answer = fake.intercept(seen);
    response.on('finish', () => {
      if (seen.method !== 'HEAD') sent += Number(response.getHeader('content-length') ?? 0);
    });
    if (answer !== undefined) return give(answer, request, response);
    void respond(request, response, { options, store, url: fake.url });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const fake: FakeRegistry = {
    host,
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}`,
    requests,
    get sent() {
      return sent;
    },
    store,
    intercept: () => undefined,
    reference: (name) => parseReference(`${host}/${name}`),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return fake;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function listenerFor({ tls }: FakeOptions, listener: Listener): Server {
  return tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
}

function describe(request: IncomingMessage): FakeRequest {
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    port: request.socket.remotePort ?? 0,
  };
}

interface Serving {
  readonly options: FakeOptions;
  readonly store: FakeStore;
  readonly url: string;
}

async function respond(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { options, store, url } = serving;
  try {
    const body = await readAll(request);
    const call: FakeCall = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', url),
      headers: request.headers,
      body,
    };
    const answer = answerAuth(options.auth, call, url) ?? answerApi(store, options, call);
    give(answer, request, response);
  } catch (error) {
    give({ status: 500, body: String(error) }, request, response);
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function give(answer: FakeAnswer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'function') return answer(response, request);
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  const body = Buffer.from(answer.body ?? '');
  if (!response.hasHeader('content-length')) response.setHeader('content-length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}
