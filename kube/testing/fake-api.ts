/**
 * The fake API server over real HTTPS, with watches and bookmarks; there is no authorization. Tests can inject faults.
 * fake-server.ts answers everything but watches.
 */
import { formatJson } from '../../api/json.ts';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { KubeObject } from '../../api/object.ts';
import type { ConnectionConfig } from '../transport/config.ts';
import { createFakeCertificate, type FakeCertificate } from './fake-certificate.ts';
import { FakeServer, selectionOf, shape, type ServerRequest } from './fake-server.ts';
import type { FakeStore } from './fake-store.ts';
import { NAMESPACES } from './fake-kinds.ts';
import { statusOf } from './refusal.ts';
import { viewOf, type Change } from './selection.ts';
import type { Resource } from '../client/resource-path.ts';

/** A request as it arrived. */
export interface SeenRequest extends ServerRequest {
  readonly headers: IncomingMessage['headers'];
  /** Differs between connections. */
  readonly port: number;
  /** Serial number of the client's certificate, if it sent one; any is accepted. */
  readonly clientSerial: string | undefined;
}

/** Answers in place of the server; return false to let the request through. */
export type Fault = (request: SeenRequest, response: ServerResponse) => boolean | Promise<boolean>;

export interface FakeApi extends AsyncDisposable {
  readonly config: ConnectionConfig;
  readonly store: FakeStore;
  /** Every request so far, discovery included. */
  readonly requests: readonly SeenRequest[];
  /** Called in order before the server answers; the returned function removes the fault. */
  fault(fault: Fault): () => void;
  resource(kind: string): Resource;
  /** Creates or replaces, as another client would. */
  put(object: KubeObject): KubeObject;
  remove(object: KubeObject): void;
  /** Serves another kind from now on. */
  serve(resource: Resource): void;
  /** Marks the API of a group and version as unavailable in discovery, or available again. */
  stale(apiVersion: string, isStale: boolean): void;
  readonly watches: number;
  /** Ends all watches as a server does (`end`), or with their connections (`drop`). */
  endWatches(how: 'end' | 'drop'): void;
  /** Sends a bookmark on every watch. */
  bookmark(): void;
  /** Uses another certificate for new connections. */
  setCertificate(certificate: FakeCertificate): void;
  close(): Promise<void>;
}

/** Namespaces that exist from the start. */
const FIRST_NAMESPACES = ['default', 'a', 'b', 'ops'];

let certificate: Promise<FakeCertificate> | undefined;

/** Starts one on a free port of loopback. */
export async function startFakeApi(): Promise<FakeApi> {
  certificate ??= createFakeCertificate();
  const { cert, key } = await certificate;
  const state: State = { api: new FakeServer(), requests: [], faults: [], watches: new Map() };
  for (const name of FIRST_NAMESPACES) requireNamespace(state.api, name);
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    answer(state, request, response).catch((error: unknown) => refuse(response, error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return handleOf(state, server, { server: `https://127.0.0.1:${port}`, ca: cert });
}

interface State {
  readonly api: FakeServer;
  readonly requests: SeenRequest[];
  readonly faults: Fault[];
  /** Open watches, with the functions that end them. */
  readonly watches: Map<ServerResponse, () => void>;
}

function handleOf(state: State, server: Server, config: ConnectionConfig): FakeApi {
  const { api, faults, watches } = state;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    config,
    store: api.store,
    requests: state.requests,
    fault(fault) {
      faults.push(fault);
      return () => void faults.splice(faults.indexOf(fault), 1);
    },
    resource: (kind) => api.kinds.named(kind) ?? fail(`no kind ${kind}`),
    put: (object) => putAsIs(api, object),
    remove: (object) => void api.writes.delete(api.kindFor(object), object.metadata, {}),
    serve: (kind) => api.kinds.add(kind),
    stale: (apiVersion, isStale) => api.stale(apiVersion, isStale),
    get watches() {
      return watches.size;
    },
    endWatches(how) {
      for (const [response, stop] of watches) {
        stop();
        if (how === 'end') response.end();
        else response.destroy();
      }
    },
    bookmark() {
      for (const watch of watches.keys()) {
        writeEvent(watch, 'BOOKMARK', { metadata: { resourceVersion: String(api.store.version) } });
      }
    },
    setCertificate: (next) => server.setSecureContext(next),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Creates or replaces, as another client would that has made the namespace. */
function putAsIs(api: FakeServer, object: KubeObject): KubeObject {
  const { writes, store } = api;
  const resource = api.kindFor(object);
  const { resourceVersion: _, ...metadata } = object.metadata;
  const content = { ...object, metadata };
  if (metadata.namespace !== undefined) requireNamespace(api, metadata.namespace);
  return store.find(resource, metadata) === undefined
    ? writes.create(resource, content, ANOTHER)
    : writes.update(resource, content, ANOTHER);
}

const ANOTHER = { manager: 'another' };

function requireNamespace({ store, writes }: FakeServer, name: string): void {
  if (store.find(NAMESPACES, { name }) !== undefined) return;
  writes.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, ANOTHER);
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const seen: SeenRequest = {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: await readText(request),
    port: request.socket.remotePort ?? 0,
    clientSerial: (request.socket as TLSSocket).getPeerCertificate()?.serialNumber,
  };
  state.requests.push(seen);
  for (const fault of state.faults.slice()) if (await fault(seen, response)) return;
  if (seen.query.get('watch') === 'true') return serveWatch(state, seen, response);
  const { status, body } = state.api.answer(seen);
  send(response, status, body);
}

function serveWatch({ api, watches }: State, seen: SeenRequest, response: ServerResponse): void {
  const target = api.targetOf(seen.path);
  if (target === undefined) return send(response, 404, api.answer(seen).body);
  const selection = selectionOf(seen, target);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const deliver = (change: Change): void => {
    const type = viewOf(selection, change);
    if (type !== undefined) writeEvent(response, type, shape(change.object, seen));
  };
  try {
    for (const change of api.store.since(Number(seen.query.get('resourceVersion')))) deliver(change);
  } catch (error) {
    writeEvent(response, 'ERROR', statusOf(error));
    response.end();
    return;
  }
  const unsubscribe = api.store.onChange(deliver);
  const stop = (): void => {
    unsubscribe();
    watches.delete(response);
  };
  watches.set(response, stop);
  response.on('close', stop);
}

function writeEvent(response: ServerResponse, type: string, object: unknown): void {
  response.write(`${formatJson({ type, object })}\n`);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function refuse(response: ServerResponse, error: unknown): void {
  const status = statusOf(error);
  if (response.headersSent) response.destroy();
  else send(response, status.code, formatJson(status));
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

function fail(message: string): never {
  throw new Error(message);
}
