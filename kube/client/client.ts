/**
 * Reads and writes Kubernetes objects of any kind as raw JSON, so that unknown fields survive. Built on transport.ts,
 * finds paths through discovery.ts; implements `Cluster`. Caches no objects: see informer.ts.
 */
import { getHeapStatistics } from 'node:v8';
import type { Cluster } from '../../api/cluster.ts';
import { FIELD_MANAGER } from '../../api/names.ts';
import { refOf, type Kind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Clock } from '../clock.ts';
import type { Transport } from '../transport/transport.ts';
import type { WatchEvent } from '../watch/watch-decoder.ts';
import type { ServerConnection } from './connection.ts';
import { createDiscovery, type Discovery } from './discovery.ts';
import { impersonating, type ImpersonatedUser } from './impersonate.ts';
import { listAll, listPage, type ListPageOptions } from './list-objects.ts';
import type { ObjectList } from './parse-answer.ts';
import { readObject } from './read-object.ts';
import { reviewAccess, type Access, type PathAccess } from './review-access.ts';
import { watchObjects, type WatchOptions } from './watch-objects.ts';
import { applyObject, createObject, deleteObject, patchObject, updateObject } from './write-object.ts';

export type { WatchEvent } from '../watch/watch-decoder.ts';
export type { ImpersonatedUser } from './impersonate.ts';
export type { Access, PathAccess } from './review-access.ts';

/** A cluster with the requests that controllers need besides. Every method throws ApiError. */
export interface Client extends Cluster {
  /**
   * One page, of fewer objects than asked for if they are large; throws ApiError of code 404 if the kind is not served, 410 for
   * an expired continue token.
   */
  listPage(kind: Kind, options?: ListPageOptions, signal?: AbortSignal): Promise<ObjectList>;
  /** Replaces; with `metadata.resourceVersion` only that version, else ApiError(Conflict). */
  update(object: KubeObject, options?: { readonly subresource?: string }, signal?: AbortSignal): Promise<KubeObject>;
  /** JSON merge patch of the status subresource: `{ status: {…} }`. */
  patchStatus(
    target: ObjectRef | KubeObject,
    patch: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<KubeObject>;
  /** Whether this client's account has a right; undefined if the API server does not let the account ask. */
  allows(access: Access | PathAccess, signal?: AbortSignal): Promise<boolean | undefined>;
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
  /** Most bytes of a list of whole objects; by default an eighth of the memory for objects. */
  readonly mostListBytes?: number;
}

/** Parsed objects take five times as much memory as their JSON. */
const SHARE_OF_MEMORY = 8;

/** A client over `transport`. */
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const { fieldManager = FIELD_MANAGER, discovery = createDiscovery(transport, options) } = options;
  const { mostListBytes = Math.floor(getHeapStatistics().heap_size_limit / SHARE_OF_MEMORY) } = options;
  const connection: ServerConnection = { transport, discovery, fieldManager, mostListBytes };
  const over: Client['over'] = (change) => createClient(change(transport), { ...options, discovery });
  return {
    get: (ref, signal) => readObject(connection, ref, { signal }),
    list: (kind, some = {}, signal) => listAll(connection, kind, some, signal),
    listPage: (kind, some = {}, signal) => listPage(connection, kind, some, signal),
    watch: (kind, some, signal) => watchObjects(connection, kind, some, signal),
    create: (object, how = {}, signal) => createObject(connection, object, how, signal),
    update: (object, how = {}, signal) => updateObject(connection, object, how, signal),
    apply: (object, how = {}, signal) => applyObject(connection, object, how, signal),
    patch: (ref, patch, options = {}, signal) => patchObject(connection, { ref, patch, ...options }, signal),
    patchStatus(target, patch, signal) {
      const ref = 'metadata' in target ? refOf(target) : target;
      return patchObject(connection, { ref, patch, subresource: 'status' }, signal);
    },
    delete: (ref, how = {}, signal) => deleteObject(connection, ref, how, signal),
    isNamespaced: async (kind, signal) => (await discovery.find(kind, signal))?.namespaced,
    allows: (access, signal) => reviewAccess(transport, access, signal),
    as: (subject) => over((inner) => impersonating(inner, subject)),
    over,
    async raw(path, signal) {
      return (await transport.request({ method: 'GET', path, headers: { accept: '*/*' }, signal })).text();
    },
    discovery,
  };
}
