/**
 * Answers requests as an API server does, without connections: fake-api.ts serves it over HTTPS, and fake-cluster.ts
 * hands it the requests of a client in the same process. The rules that it follows are checked on it and on the real one
 * (api-server-rules.ts).
 */
import { formatJson, parseJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Resource } from '../client/resource-path.ts';
import { describeKinds } from './fake-discovery.ts';
import { FakeKinds, pluralOf, resource as kindOf } from './fake-kinds.ts';
import { unservedTargetOf, type Target } from './fake-paths.ts';
import { FakeStore, type Named } from './fake-store.ts';
import { FakeWrites, type React, type WriteOptions } from './fake-writes.ts';
import { Refusal, statusOf } from './refusal.ts';
import type { Selection } from './selection.ts';

/** A request without its connection. */
export interface ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface ServerAnswer {
  readonly status: number;
  readonly body: string;
}

export interface FakeServerOptions {
  /** Plays the controllers; absent: nothing happens to a written object. */
  readonly react?: React;
  readonly now?: () => Date;
  /** Answers whether the sender may do something; absent: every right. */
  readonly review?: (request: ServerRequest, access: AccessReview) => boolean;
}

/** The right that a SelfSubjectAccessReview is about. */
export interface AccessReview {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

export const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

export class FakeServer {
  readonly store = new FakeStore();
  readonly kinds = new FakeKinds(() => this.store.objects());
  readonly writes: FakeWrites;
  readonly #stale = new Set<string>();
  readonly #review: NonNullable<FakeServerOptions['review']>;

  constructor({ react = (object) => object, now = () => new Date(), review = () => true }: FakeServerOptions = {}) {
    this.writes = new FakeWrites({ store: this.store, kinds: this.kinds, react, now });
    this.#review = review;
  }

  /** Marks the API of a group and version as unavailable in discovery, or available again. */
  stale(apiVersion: string, isStale: boolean): void {
    if (isStale) this.#stale.add(apiVersion);
    else this.#stale.delete(apiVersion);
  }

  /** The kind, namespace and name of a path; undefined for paths without a kind, such as those of discovery. */
  targetOf(path: string): Target | undefined {
    const target = unservedTargetOf(path);
    const resource = target && this.kinds.atPath(target.resource.apiVersion, target.resource.plural);
    return resource && target && { ...target, resource };
  }

  /** The answer to any request but a watch. */
  answer(request: ServerRequest): ServerAnswer {
    try {
      return this.#route(request);
    } catch (error) {
      const status = statusOf(error);
      return { status: status.code, body: formatJson(status) };
    }
  }

  #route(request: ServerRequest): ServerAnswer {
    if (request.path === '/api' || request.path === '/apis')
      return okay(describeKinds(request.path, { kinds: this.kinds.list(), stale: this.#stale }));
    if (request.path === REVIEWS && request.method === 'POST') return this.#answerReview(request);
    const target = this.targetOf(request.path);
    if (target === undefined) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
    if (target.name === undefined) return this.#answerCollection(request, target);
    return this.#answerObject(request, target, { namespace: target.namespace, name: target.name });
  }

  #answerCollection(request: ServerRequest, target: Target): ServerAnswer {
    const { resource, namespace } = target;
    if (request.method === 'POST') {
      const object = inNamespace(objectIn(request), namespace);
      return okay(shape(this.writes.create(resource, object, writeOptions(request, target)), request), 201);
    }
    const page = this.store.list(selectionOf(request, target), {
      limit: Number(request.query.get('limit') ?? 0),
      continue: request.query.get('continue'),
    });
    const metadata = { resourceVersion: page.resourceVersion, continue: page.continue };
    const items = page.items.map((object) => shape(object, request));
    return okay({ kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata, items });
  }

  #answerObject(request: ServerRequest, target: Target, named: Named): ServerAnswer {
    const { resource } = target;
    const options = writeOptions(request, target);
    switch (request.method) {
      case 'GET':
        return okay(shape(this.store.get(resource, named), request));
      case 'PUT':
        return okay(shape(this.writes.update(resource, objectIn(request), options), request));
      case 'PATCH':
        return okay(shape(this.#patched(request, target, named), request));
      default:
        return this.#answerDelete(request, target, named);
    }
  }

  #patched(request: ServerRequest, target: Target, named: Named): KubeObject {
    const options = writeOptions(request, target);
    if (request.headers['content-type'] !== 'application/apply-patch+yaml') {
      return this.writes.patch(target.resource, named, { ...options, patch: parseJson(request.body) });
    }
    return this.writes.apply(target.resource, inNamespace(objectIn(request), target.namespace), options);
  }

  #answerDelete(request: ServerRequest, { resource }: Target, named: Named): ServerAnswer {
    const { preconditions = {}, dryRun = [] } = parseJson(request.body === '' ? '{}' : request.body) as DeleteBody;
    const left = this.writes.delete(resource, named, { ...preconditions, dryRun: dryRun.length > 0 });
    return okay(left ?? { kind: 'Status', apiVersion: 'v1', status: 'Success' });
  }

  #answerReview(request: ServerRequest): ServerAnswer {
    const review = parseJson(request.body) as { readonly spec: { readonly resourceAttributes: AccessReview } };
    const allowed = this.#review(request, review.spec.resourceAttributes);
    return okay({ ...review, status: { allowed } }, 201);
  }

  /** The kind of an object that a test stores; a kind that is not served cannot be reached through a path. */
  kindFor(object: KubeObject): Resource {
    const { apiVersion, kind, metadata } = object;
    return this.kinds.of(object) ?? kindOf(apiVersion, kind, pluralOf(kind), metadata.namespace !== undefined);
  }
}

/** The objects that a list or a watch asks for. */
export function selectionOf({ query }: ServerRequest, { resource, namespace }: Target): Selection {
  return {
    resource,
    namespace,
    labelSelector: query.get('labelSelector'),
    fieldSelector: query.get('fieldSelector'),
  };
}

/** The whole object, or its metadata if the request asks for that. */
export function shape(object: KubeObject, { headers }: ServerRequest): unknown {
  if (!String(headers['accept'] ?? '').includes('PartialObjectMetadata')) return object;
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: object.metadata };
}

interface DeleteBody {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

function writeOptions({ query }: ServerRequest, { subresource }: Target): WriteOptions {
  return {
    manager: query.get('fieldManager') ?? 'unknown',
    dryRun: query.get('dryRun') === 'All',
    force: query.get('force') === 'true',
    ...(subresource !== undefined && { subresource }),
  };
}

function objectIn({ body }: ServerRequest): KubeObject {
  return parseJson(body) as KubeObject;
}

function inNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  return namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };
}

function okay(body: unknown, status = 200): ServerAnswer {
  return { status, body: formatJson(body) };
}
