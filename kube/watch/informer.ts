/**
 * A local copy of every object of a kind, kept current by a reflector and shared by all users: lookup by key and by
 * index, with a call for each change. Controllers read from it; nothing here writes to the cluster.
 */
import { groupKind, keyOfObject, type Kind, type KubeObject } from '../../api/object.ts';
import { type ApiError, unavailable } from '../../api/api-error.ts';
import type { Client } from '../client/client.ts';
import type { ListOptions } from '../../api/cluster.ts';
import { sleep, systemClock, type Clock } from '../clock.ts';
import { silentLog, type Log } from '../log.ts';
import { createObjectStore, type Indexes } from './object-store.ts';
import { reflect, type ReflectorOptions, type Sink } from './reflector.ts';

/** Callbacks for changes; the objects are shared and must not be changed. */
export interface Handlers<K extends KubeObject = KubeObject> {
  /** Also called for every existing object when the handlers are added late. */
  readonly added?: (object: K) => void;
  readonly updated?: (old: K, object: K) => void;
  /** The last known state; it may be older than the deleted one. */
  readonly deleted?: (object: K) => void;
}

/** `K` is the type of the kind's objects. They are not validated here: the schema of the CRD did that. */
export interface Informer<K extends KubeObject = KubeObject> extends Kind {
  /** Starts watching; stops for good when `signal` aborts. A second call has no effect. */
  start(signal: AbortSignal): void;
  /** Resolves when the first list is stored and the handlers were called; rejects if stopped before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** By `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): K | undefined;
  list(namespace?: string): readonly K[];
  /** The objects for which the index function returned `value`. Throws for an unknown index. */
  byIndex(name: string, value: string): readonly K[];
  /** Adds an index over existing and future objects; an index of that name stays as it is. */
  addIndex(name: string, valuesOf: (object: K) => readonly string[]): void;
  /** Registers handlers; returns the function that removes them. */
  on(handlers: Handlers<K>): () => void;
}

export interface InformerOptions<K extends KubeObject = KubeObject> extends Kind, ListOptions {
  readonly client: Pick<Client, 'listPage' | 'watch' | 'discovery'>;
  /** Fetches and keeps metadata only. */
  readonly metadataOnly?: boolean;
  /** Page size for lists of large objects; large by default. */
  readonly pageSize?: number;
  /**
   * The part of an object to keep; by default all except `managedFields`. Must keep name, namespace and
   * resourceVersion.
   */
  readonly transform?: (object: KubeObject) => KubeObject;
  readonly indexes?: Indexes<K>;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly watchSeconds?: number;
  readonly idleSeconds?: number;
}

/** An informer that has not been started. */
export function createInformer<K extends KubeObject = KubeObject>(options: InformerOptions<K>): Informer<K> {
  const { transform = dropManagedFields, indexes = {}, log = silentLog } = options;
  const store = createObjectStore(indexes);
  const listeners = new Set<Handlers<K>>();
  const synced = Promise.withResolvers<void>();
  synced.promise.catch(() => undefined);
  let hasSynced = false;
  let started = false;

  /** A defect of one handler must not affect another. */
  function notify(call: (handlers: Handlers<K>) => void, to: Iterable<Handlers<K>> = listeners): void {
    for (const handlers of to) {
      try {
        call(handlers);
      } catch (error) {
        log.error({ err: error, kind: options.kind }, 'a handler of an informer failed');
      }
    }
  }

  function put(object: K): void {
    const old = store.put(object);
    if (old === undefined) notify((handlers) => handlers.added?.(object));
    else if (isChanged(old, object)) notify((handlers) => handlers.updated?.(old, object));
  }

  function remove(key: string, last: K): void {
    if (store.remove(key) !== undefined) notify((handlers) => handlers.deleted?.(last));
  }

  const sink: Sink = {
    replace(objects) {
      const present = new Set(objects.map(keyOfObject));
      const gone = store.list().filter((object) => !present.has(keyOfObject(object)));
      for (const object of gone) remove(keyOfObject(object), object);
      for (const object of objects) put(object as K);
      hasSynced = true;
      synced.resolve();
    },
    put: (object) => put(object as K),
    remove: (object) => remove(keyOfObject(object), object as K),
  };

  return {
    apiVersion: options.apiVersion,
    kind: options.kind,
    start(signal) {
      if (started) return;
      started = true;
      reflect({ ...(options as ReflectorOptions), sink, transform }, signal).then(
        () => synced.reject(signal.reason),
        (error: unknown) => {
          log.error({ err: error, kind: options.kind }, 'an informer ended by a defect');
          synced.reject(error);
        },
      );
    },
    synced: synced.promise,
    get hasSynced() {
      return hasSynced;
    },
    get: (key) => store.get(key),
    list: (namespace) => store.list(namespace),
    byIndex: (name, value) => store.byIndex(name, value),
    addIndex: (name, valuesOf) => store.addIndex(name, valuesOf),
    on(handlers) {
      listeners.add(handlers);
      for (const object of store.list()) notify(({ added }) => added?.(object), [handlers]);
      return () => void listeners.delete(handlers);
    },
  };
}

/**
 * Resolves when all have synced. Rejects with the reason of `signal`, and with ApiError(ApiUnavailable, backoff) that
 * names the unsynced kinds after `seconds`: a kind that cannot be listed must not block the caller forever.
 */
export async function untilSynced(
  informers: Iterable<Pick<Informer, 'apiVersion' | 'kind' | 'hasSynced' | 'synced'>>,
  options: { readonly seconds: number; readonly signal: AbortSignal; readonly clock?: Clock },
): Promise<void> {
  const { seconds, signal, clock = systemClock } = options;
  const missing = [...new Set(informers)].filter(({ hasSynced }) => !hasSynced);
  if (missing.length === 0) return;
  const over = new AbortController();
  const late = sleep(seconds, { clock, signal: AbortSignal.any([signal, over.signal]) }).then(() => {
    throw notListed(missing.filter(({ hasSynced }) => !hasSynced));
  });
  try {
    await Promise.race([Promise.all(missing.map(({ synced }) => synced)), late]);
  } finally {
    over.abort();
  }
}

function notListed(kinds: readonly Kind[]): ApiError {
  const subject = `list ${kinds.map(groupKind).join(', ')}`;
  return unavailable(subject, 'the API server has not answered with the objects that there are');
}

/** The object without `metadata.managedFields`, which are often half of it. */
export function dropManagedFields(object: KubeObject): KubeObject {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata as KubeObject['metadata'] & {
    readonly managedFields?: unknown;
  };
  return { ...object, metadata };
}

/** A new list repeats known objects. */
function isChanged(old: KubeObject, object: KubeObject): boolean {
  return old.metadata.resourceVersion !== object.metadata.resourceVersion || old.metadata.uid !== object.metadata.uid;
}
