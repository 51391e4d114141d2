/**
 * A Kubernetes API server small enough to run inside a test: real HTTPS, lists in pages, watches with bookmarks,
 * optimistic locking and merge patches; server-side apply is a plain merge, and there is neither validation nor
 * authorization. Tests can inject faults. The rules of api-server-rules.ts are checked on it and on the real one.
 */
import { mergePatch } from '../../api/json.ts';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { KubeObject } from '../../api/object.ts';
import type { ConnectionConfig } from '../transport/config.ts';
import { createFakeCertificate, type FakeCertificate } from './fake-certificate.ts';
import { createFakeStore, viewOf, Refusal, type FakeStore, type Selection } from './fake-store.ts';
import type { Resource } from '../client/resource-path.ts';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
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

/** The kinds that are served from the start. */
const KINDS: readonly Resource[] = [
  resource('v1', 'ConfigMap', 'configmaps'),
  resource('v1', 'Namespace', 'namespaces', false),
  resource('apps/v1', 'Deployment', 'deployments'),
  resource('coordination.k8s.io/v1', 'Lease', 'leases'),
  resource('events.k8s.io/v1', 'Event', 'events'),
];

let certificate: Promise<FakeCertificate> | undefined;

/** Starts one on a free port of loopback. */
export async function startFakeApi(): Promise<FakeApi> {
  certificate ??= createFakeCertificate();
  const { cert, key } = await certificate;
  const state: State = {
    store: createFakeStore(),
    kinds: [...KINDS],
    stale: new Set(),
    requests: [],
    faults: [],
    watches: new Map(),
  };
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    answer(state, request, response).catch((error: unknown) => refuse(response, error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return handleOf(state, server, { server: `https://127.0.0.1:${port}`, ca: cert });
}

interface State {
  readonly store: FakeStore;
  readonly kinds: Resource[];
  readonly stale: Set<string>;
  readonly requests: SeenRequest[];
  readonly faults: Fault[];
  /** Open watches, with the functions that end them. */
  readonly watches: Map<ServerResponse, () => void>;
}

function handleOf(state: State, server: Server, config: ConnectionConfig): FakeApi {
  const { store, faults, kinds, watches } = state;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const find = (kind: string): Resource =>
    kinds.find((candidate) => candidate.kind === kind) ?? fail(`no kind ${kind}`);
  return {
    config,
    store,
    requests: state.requests,
    fault(fault) {
      faults.push(fault);
      return () => void faults.splice(faults.indexOf(fault), 1);
    },
    resource: find,
    put(object) {
      const { resourceVersion: _, ...metadata } = object.metadata;
      const content = { ...object, metadata };
      try {
        return store.change(find(object.kind), object.metadata, () => content);
      } catch {
        return store.create(find(object.kind), content);
      }
    },
    remove: (object) => void store.delete(find(object.kind), object.metadata),
    serve: (resource) => void kinds.push(resource),
    stale: (apiVersion, isStale) => void (isStale ? state.stale.add(apiVersion) : state.stale.delete(apiVersion)),
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
        writeEvent(watch, 'BOOKMARK', { metadata: { resourceVersion: String(store.version) } });
      }
    },
    setCertificate: (next) => server.setSecureContext(next),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const body = await readText(request);
  const seen: SeenRequest = {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    port: request.socket.remotePort ?? 0,
    clientSerial: (request.socket as TLSSocket).getPeerCertificate()?.serialNumber,
  };
  state.requests.push(seen);
  for (const fault of state.faults.slice()) if (await fault(seen, response)) return;
  if (url.pathname === '/api' || url.pathname === '/apis') return send(response, 200, discovery(state, url.pathname));
  const target = parseTarget(state.kinds, url.pathname);
  if (target.name === undefined) return answerCollection(state, { target, seen, response });
  return answerObject(state, { target: { ...target, name: target.name }, seen, response });
}

interface Exchange<Target = TargetOf> {
  readonly target: Target;
  readonly seen: SeenRequest;
  readonly response: ServerResponse;
}

function answerCollection(state: State, { target, seen, response }: Exchange): void {
  const { store } = state;
  const { resource, namespace } = target;
  const selection: Selection = { resource, namespace, labelSelector: seen.query.get('labelSelector') };
  if (seen.method === 'POST') return send(response, 201, store.create(resource, JSON.parse(seen.body) as KubeObject));
  if (seen.query.get('watch') === 'true') return serveWatch(state, selection, { target, seen, response });
  const page = store.list(selection, {
    limit: Number(seen.query.get('limit') ?? 0),
    continue: seen.query.get('continue'),
  });
  const metadata = { resourceVersion: page.resourceVersion, continue: page.continue };
  const items = page.items.map((object) => shape(object, seen));
  send(response, 200, { kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata, items });
}

function answerObject(
  { store }: State,
  { target, seen, response }: Exchange<TargetOf & { readonly name: string }>,
): void {
  const { resource, namespace, name } = target;
  const named = { namespace, name };
  const body = seen.body === '' ? {} : (JSON.parse(seen.body) as KubeObject);
  if (seen.method === 'GET') return send(response, 200, shape(store.get(resource, namespace, name), seen));
  if (seen.method === 'PUT')
    return send(
      response,
      200,
      store.change(resource, named, () => body as KubeObject),
    );
  if (seen.method === 'PATCH') return send(response, 200, patch(store, { target, seen, response }, body as KubeObject));
  const { preconditions } = body as { preconditions?: { uid?: string } };
  const { uid } = store.get(resource, namespace, name).metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw new Refusal(
      409,
      'Conflict',
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid})`,
    );
  }
  const { object, gone } = store.delete(resource, named);
  send(response, 200, gone ? { kind: 'Status', apiVersion: 'v1', status: 'Success' } : object);
}

function patch(
  store: FakeStore,
  { target, seen }: Exchange<TargetOf & { readonly name: string }>,
  body: KubeObject,
): KubeObject {
  const { resource, namespace, name } = target;
  const isApply = seen.headers['content-type'] === 'application/apply-patch+yaml';
  try {
    return store.change(resource, { namespace, name }, (old) => mergePatch(withoutVersion(old), body) as KubeObject);
  } catch (error) {
    if (isApply && error instanceof Refusal && error.code === 404) return store.create(resource, body);
    throw error;
  }
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function serveWatch({ store, watches }: State, selection: Selection, { seen, response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const deliver = (change: Parameters<Parameters<FakeStore['onChange']>[0]>[0]): void => {
    const type = viewOf(selection, change);
    if (type !== undefined) writeEvent(response, type, shape(change.object, seen));
  };
  try {
    for (const change of store.since(Number(seen.query.get('resourceVersion')))) deliver(change);
  } catch (error) {
    writeEvent(response, 'ERROR', statusOf(error));
    response.end();
    return;
  }
  const unsubscribe = store.onChange(deliver);
  const stop = (): void => {
    unsubscribe();
    watches.delete(response);
  };
  watches.set(response, stop);
  response.on('close', stop);
}

function writeEvent(response: ServerResponse, type: string, object: unknown): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}

/** The whole object, or its metadata if the request asks for that. */
function shape(object: KubeObject, { headers }: SeenRequest): unknown {
  if (!headers.accept?.includes('PartialObjectMetadata')) return object;
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: object.metadata };
}

interface TargetOf {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

function parseTarget(kinds: readonly Resource[], path: string): TargetOf {
  const match =
    /^\/(?:api|apis)\/(?<apiVersion>(?:[^/]+\/)??v[^/]+)(?:\/namespaces\/(?<namespace>[^/]+)(?=\/.))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?/.exec(
      path,
    );
  const { apiVersion, namespace, plural, name } = match?.groups ?? {};
  const resource = kinds.find((candidate) => candidate.apiVersion === apiVersion && candidate.plural === plural);
  if (resource === undefined) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
  return { resource, namespace: namespace && decodeURIComponent(namespace), name: name && decodeURIComponent(name) };
}

function discovery({ kinds, stale }: State, root: string): unknown {
  const served = kinds.filter(({ apiVersion }) => apiVersion.includes('/') === (root === '/apis'));
  const versions = Map.groupBy(served, ({ apiVersion }) => apiVersion);
  for (const apiVersion of stale) if (root === '/apis') versions.set(apiVersion, []);
  const items = [...versions].map(([apiVersion, resources]) => ({
    metadata: apiVersion.includes('/') ? { name: apiVersion.split('/')[0] } : {},
    versions: [
      {
        version: apiVersion.split('/').at(-1),
        freshness: stale.has(apiVersion) ? 'Stale' : 'Current',
        resources: resources.map(({ kind, plural, namespaced, verbs }) => ({
          resource: plural,
          responseKind: { group: '', version: '', kind },
          scope: namespaced ? 'Namespaced' : 'Cluster',
          verbs,
        })),
      },
    ],
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

/** A kind to serve. */
export function resource(apiVersion: string, kind: string, plural: string, namespaced = true): Resource {
  const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
  return { apiVersion, kind, plural, namespaced, verbs, subresources: ['status'] };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function refuse(response: ServerResponse, error: unknown): void {
  const status = statusOf(error);
  if (response.headersSent) response.destroy();
  else send(response, status.code, status);
}

function statusOf(error: unknown): { readonly code: number } & Record<string, unknown> {
  const { code, reason, message } = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
  const name = /"([^"]+)"/.exec(message)?.[1];
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details: { name } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(message: string): never {
  throw new Error(message);
}
