/**
 * Reads and writes Kubernetes objects of any kind as raw JSON, so that unknown fields survive. Built on transport.ts,
 * finds paths through discovery.ts; implements `Cluster`. Caches no objects: see informer.ts.
 */
import type { ApplyOptions, DeleteOptions, ListOptions, Cluster } from '../../api/cluster.ts';
import { formatJson } from '../../api/json.ts';
import { FIELD_MANAGER } from '../../api/names.ts';
import { describeRef, groupKind, type Kind, type KubeObject, type ObjectRef, refOf } from '../../api/object.ts';
import { isConflict, isExpired, isForbidden, isNotFound } from '../../api/api-answers.ts';
import { ApiError, readable } from '../../api/api-error.ts';
import { parseStatus } from '../transport/parse-status.ts';
import type { Clock } from '../clock.ts';
import { createDiscovery, type Discovery } from './discovery.ts';
import { parseDeleted, parseList, parseObject, stamp, type ObjectList } from './parse-answer.ts';
import { collectionPath, objectPath, type Resource } from './resource-path.ts';
import type { ApiRequest, ApiResponse, Transport } from '../transport/transport.ts';
import { decodeWatch, type WatchEvent } from '../watch/watch-decoder.ts';

export type { WatchEvent } from '../watch/watch-decoder.ts';

/** An action that an account may or may not perform. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** The plural of paths: `widgets`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface ListPageOptions extends ListOptions {
  readonly continue?: string;
}

export interface WatchOptions extends Omit<ListOptions, 'limit'> {
  readonly resourceVersion: string;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
  /** The watch fails when it was silent for this long. */
  readonly idleSeconds?: number;
}

/** The user to act as: the API server checks the request against that user's rights. */
export interface ImpersonatedUser {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** A cluster with the requests that controllers need besides. Every method throws ApiError. */
export interface Client extends Cluster {
  /** As `get`, without spec, status and data. */
  getMetadata(ref: ObjectRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  /** As `list`, without specs, statuses and data. */
  listMetadata(kind: Kind, options?: ListOptions, signal?: AbortSignal): Promise<readonly KubeObject[]>;
  /** One page; throws ApiError of code 404 if the kind is not served, 410 for an expired continue token. */
  listPage(kind: Kind, options?: ListPageOptions, signal?: AbortSignal): Promise<ObjectList>;
  /** Replaces; with `metadata.resourceVersion` only that version, else ApiError(Conflict). */
  update(object: KubeObject, options?: { readonly subresource?: string }, signal?: AbortSignal): Promise<KubeObject>;
  /** Server-side apply of the status subresource. */
  applyStatus(object: KubeObject, options?: ApplyOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** JSON merge patch of the status subresource: `{ status: {…} }`. */
  patchStatus(
    target: ObjectRef | KubeObject,
    patch: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<KubeObject>;
  /** Whether this client's account has a right; undefined if the API server does not let the account ask. */
  allows(access: Access, signal?: AbortSignal): Promise<boolean | undefined>;
  /** Changes after `resourceVersion`, until the server or `signal` ends it. */
  watch(kind: Kind, options: WatchOptions, signal?: AbortSignal): AsyncGenerator<WatchEvent>;
  /** A client that acts as another user over the same connections. */
  as(subject: ImpersonatedUser): Client;
  /** A client over another transport, such as a fenced one, with the same discovery. */
  over(change: (transport: Transport) => Transport): Client;
  /** The body of a GET of any path: `/readyz?verbose`, a Pod's log. */
  raw(path: string, signal?: AbortSignal): Promise<string>;
  readonly discovery: Discovery;
}

export interface ClientOptions {
  readonly fieldManager?: string;
  readonly clock?: Clock;
  /** Shared between clients of one server; own by default. */
  readonly discovery?: Discovery;
}

const PAGE_SIZE = 500;
const APPLY_PATCH = 'application/apply-patch+yaml';
const MERGE_PATCH = 'application/merge-patch+json';

/** A client over `transport`. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const { fieldManager = FIELD_MANAGER } = options;
  const discovery = options.discovery ?? createDiscovery(transport, options);

  async function send(request: ApiRequest): Promise<ApiResponse> {
    try {
      return await transport.request(request);
    } catch (error) {
      // A 404 without a name is about the path: the kind was removed or has changed.
      if (isNotFound(error) && (error as ApiError).objectName === undefined) discovery.invalidate();
      throw error;
    }
  }

  async function write(request: WriteRequest, signal?: AbortSignal): Promise<KubeObject> {
    const { verb, ref, subresource, body, ...rest } = request;
    const resource = await discovery.need(ref, signal);
    const path = rest.method === 'POST' ? createPath(resource, ref) : objectPath(resource, ref, subresource);
    const subject = `${verb} ${describeRef(ref)}`;
    const response = await send({ ...rest, path, subject, body: formatJson(body), signal });
    return readable(subject, () => parseObject(response.text(), ref));
  }

  async function read(
    ref: ObjectRef,
    accept: string | undefined,
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const resource = await discovery.find(ref, signal);
    if (resource === undefined) return undefined;
    const path = objectPath(resource, ref);
    const headers = accept === undefined ? {} : { accept };
    try {
      const subject = `read ${describeRef(ref)}`;
      const response = await send({ method: 'GET', path, headers, subject, signal });
      return readable(subject, () => parseObject(response.text(), ref));
    } catch (error) {
      return undefinedIfNotFound(error);
    }
  }

  /** Whether another object has taken the name; false if the account may not read it. */
  async function isReplaced(ref: ObjectRef, uid: string | undefined, signal?: AbortSignal): Promise<boolean> {
    if (uid === undefined) return false;
    try {
      return (await read(ref, METADATA, signal))?.metadata.uid !== uid;
    } catch (error) {
      if (isForbidden(error)) return false;
      throw error;
    }
  }

  async function listPage(kind: Kind, options: ListPageOptions = {}, signal?: AbortSignal): Promise<ObjectList> {
    const { namespace, metadataOnly, ...query } = options;
    const resource = await discovery.need(kind, signal);
    const path = collectionPath(resource, namespace);
    const headers = metadataOnly === true ? { accept: METADATA_LIST } : {};
    const subject = `list ${groupKind(kind)}`;
    const response = await send({ method: 'GET', path, query, headers, subject, signal });
    return readable(subject, () => parseList(response.text(), kind));
  }

  async function listAll(kind: Kind, options: ListPageOptions, signal?: AbortSignal): Promise<readonly KubeObject[]> {
    try {
      return (await listConsistently((page) => listPage(kind, { ...options, ...page }, signal))).items;
    } catch (error) {
      if (isNotFound(error) && kind.served === undefined) return [];
      throw error;
    }
  }

  function applyWith(
    object: KubeObject,
    options: ApplyOptions,
    subresource?: string,
    signal?: AbortSignal,
  ): Promise<KubeObject> {
    const { force = false, dryRun, fieldValidation, metadataOnly } = options;
    const query = {
      fieldManager: options.fieldManager ?? fieldManager,
      force,
      dryRun: dryRun === true ? 'All' : undefined,
      fieldValidation,
    };
    const headers = { 'content-type': APPLY_PATCH, ...(metadataOnly === true && { accept: METADATA }) };
    const ref = servedRef(object, options);
    return write({ verb: 'apply', method: 'PATCH', ref, subresource, query, headers, body: object }, signal);
  }

  const client: Client = {
    get: (ref, signal) => read(ref, undefined, signal),
    getMetadata: (ref, signal) => read(ref, METADATA, signal),
    list: (kind, options = {}, signal) => listAll(kind, options, signal),
    listMetadata: (kind, options = {}, signal) => listAll(kind, { ...options, metadataOnly: true }, signal),
    listPage,
    create(object, options = {}, signal) {
      const query = { fieldManager, dryRun: options.dryRun === true ? 'All' : undefined };
      return write({ verb: 'create', method: 'POST', ref: servedRef(object, options), query, body: object }, signal);
    },
    update(object, { subresource } = {}, signal) {
      return write(
        { verb: 'update', method: 'PUT', ref: refOf(object), subresource, query: { fieldManager }, body: object },
        signal,
      );
    },
    apply: (object, options = {}, signal) => applyWith(object, options, undefined, signal),
    applyStatus: (object, options = {}, signal) => applyWith(object, options, 'status', signal),
    patch(ref, patch, { subresource } = {}, signal) {
      const headers = { 'content-type': MERGE_PATCH };
      return write(
        { verb: 'patch', method: 'PATCH', ref, subresource, query: { fieldManager }, headers, body: patch },
        signal,
      );
    },
    patchStatus(target, patch, signal) {
      const ref = 'metadata' in target ? refOf(target) : target;
      return client.patch(ref, patch, { subresource: 'status' }, signal);
    },
    async delete(ref, options = {}, signal) {
      const resource = await discovery.find(ref, signal);
      if (resource === undefined) return undefined;
      const request = {
        method: 'DELETE',
        path: objectPath(resource, ref),
        body: formatJson(deleteBody(options)),
      } as const;
      try {
        const subject = `delete ${describeRef(ref)}`;
        const response = await send({ ...request, subject, signal });
        return readable(subject, () => parseDeleted(response.text(), ref));
      } catch (error) {
        if (isNotFound(error) || (isConflict(error) && (await isReplaced(ref, options.uid, signal)))) return undefined;
        throw error;
      }
    },
    async isNamespaced(kind, signal) {
      return (await discovery.find(kind, signal))?.namespaced;
    },
    allows: (access, signal) => reviewAccess(transport, access, signal),
    async *watch(kind, options, signal) {
      const { namespace, metadataOnly, idleSeconds, timeoutSeconds, ...rest } = options;
      const resource = await discovery.need(kind, signal);
      const stream = await transport.stream({
        method: 'GET',
        path: collectionPath(resource, namespace),
        query: { ...rest, watch: true, allowWatchBookmarks: true, timeoutSeconds },
        headers: metadataOnly === true ? { accept: METADATA } : {},
        subject: `watch ${groupKind(kind)}`,
        ...(idleSeconds !== undefined && { idleSeconds }),
        signal,
      });
      try {
        for await (const { type, object } of decodeWatch(stream.chunks)) {
          if (type === 'ERROR') throw errorOfEvent(kind, object);
          yield { type, object: stamp(object, kind) };
        }
      } finally {
        stream.close();
      }
    },
    as: (subject) => client.over((transport) => impersonating(transport, subject)),
    over: (change) => createClient(change(transport), { ...options, discovery }),
    async raw(path, signal) {
      return (await transport.request({ method: 'GET', path, headers: { accept: '*/*' }, signal })).text();
    },
    discovery,
  };
  return client;
}

function servedRef(object: KubeObject, { served }: Pick<ApplyOptions, 'served'>): ObjectRef {
  return served === undefined ? refOf(object) : { ...refOf(object), served };
}

/**
 * The API server answers a review and stores nothing. Every account may ask about itself, unless an administrator
 * revoked that right.
 */
async function reviewAccess(
  transport: Transport,
  resourceAttributes: Access,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const [apiVersion, kind] = ['authorization.k8s.io/v1', 'SelfSubjectAccessReview'];
  const subject = `create ${kind}`;
  try {
    const response = await transport.request({
      method: 'POST',
      path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
      headers: { 'content-type': 'application/json' },
      body: formatJson({ apiVersion, kind, spec: { resourceAttributes } }),
      subject,
      idempotent: true,
      signal,
    });
    const answer = readable(subject, () => JSON.parse(response.text()) as { status?: { allowed?: unknown } });
    return answer.status?.allowed === true;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

interface WriteRequest extends Pick<ApiRequest, 'method' | 'query' | 'headers'> {
  readonly verb: string;
  readonly ref: ObjectRef;
  readonly subresource?: string | undefined;
  readonly body: unknown;
}

const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** The path to create an object; validates name and namespace like any other path. */
function createPath(resource: Resource, ref: ObjectRef): string {
  objectPath(resource, ref);
  return collectionPath(resource, ref.namespace);
}

/**
 * All pages of one consistent list. If the list expires on the server midway (410), everything is fetched again in one
 * piece, as pages of different lists do not match.
 */
export async function listConsistently(fetchPage: FetchPage): Promise<ObjectList> {
  try {
    return await listInPages(fetchPage, PAGE_SIZE);
  } catch (error) {
    if (isExpired(error)) return fetchPage({});
    throw error;
  }
}

type FetchPage = (page: { readonly limit?: number; readonly continue?: string }) => Promise<ObjectList>;

/**
 * The same in pages of a given size, for lists too large for one piece; throws if the list expires on the server
 * midway.
 */
export async function listInPages(fetchPage: FetchPage, limit: number): Promise<ObjectList> {
  const items: KubeObject[] = [];
  let page = await fetchPage({ limit });
  for (;;) {
    for (const item of page.items) items.push(item);
    if (page.continue === undefined) return { resourceVersion: page.resourceVersion, items };
    page = await fetchPage({ limit, continue: page.continue });
  }
}

function deleteBody({ uid, resourceVersion, propagation = 'Background', dryRun = false }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: propagation,
    ...(dryRun && { dryRun: ['All'] }),
    ...((uid !== undefined || resourceVersion !== undefined) && { preconditions: { uid, resourceVersion } }),
  };
}

function undefinedIfNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

function errorOfEvent(kind: Kind, object: unknown): ApiError {
  const code = (object as { code?: unknown }).code;
  return new ApiError(
    `watch ${groupKind(kind)}`,
    parseStatus(typeof code === 'number' ? code : 500, formatJson(object)),
  );
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
function impersonating(transport: Transport, { user, groups = [] }: ImpersonatedUser): Transport {
  const headers = { 'impersonate-user': user, ...(groups.length > 0 && { 'impersonate-group': groups }) };
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, ...headers } }),
    stream: (request) => transport.stream({ ...request, headers: { ...request.headers, ...headers } }),
    close: () => transport.close(),
  };
}
