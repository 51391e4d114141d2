/**
 * A local copy of every object of a kind, kept current by a reflector and shared by all users: lookup by key and by
 * index, with a call for each change. Controllers read from it; nothing here writes to the cluster.
 */
import { groupKind, keyOfObject, type Kind, type KubeObject } from '../../api/object.ts';
import { type ApiError, unavailable } from '../../api/api-error.ts';
import type { Client } from '../client/client.ts';
import type { Unread } from '../client/unread-fields.ts';
import type { ListOptions } from '../../api/cluster.ts';
import { sleep, systemClock, type Clock } from '../clock.ts';
import { silentLog, type Log } from '../log.ts';
import { createObjectStore, type Indexes, type ObjectStore } from './object-store.ts';
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

export interface InformerOptions<K extends KubeObject = KubeObject> extends Kind, ListOptions, Unread {
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
  return new StoreInformer(options);
}

class StoreInformer<K extends KubeObject> implements Informer<K> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly #options: InformerOptions<K>;
  readonly #log: Log;
  readonly #store: ObjectStore<K>;
  readonly #listeners = new Set<Handlers<K>>();
  /** Settled by the first list, or by the end of the watch. */
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #started = false;

  constructor(options: InformerOptions<K>) {
    this.apiVersion = options.apiVersion;
    this.kind = options.kind;
    this.#options = options;
    this.#log = options.log ?? silentLog;
    this.#store = createObjectStore(options.indexes);
    this.#synced.promise.catch(() => undefined);
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  start(signal: AbortSignal): void {
    if (this.#started) return;
    this.#started = true;
    const { transform = dropManagedFields, ...options } = this.#options;
    reflect({ ...(options as ReflectorOptions), sink: this.#sink(), transform }, signal).then(
      () => this.#synced.reject(signal.reason),
      (error: unknown) => {
        this.#log.error({ err: error, kind: this.kind }, 'an informer ended by a defect');
        this.#synced.reject(error);
      },
    );
  }

  get(key: string): K | undefined {
    return this.#store.get(key);
  }

  list(namespace?: string): readonly K[] {
    return this.#store.list(namespace);
  }

  byIndex(name: string, value: string): readonly K[] {
    return this.#store.byIndex(name, value);
  }

  addIndex(name: string, valuesOf: (object: K) => readonly string[]): void {
    this.#store.addIndex(name, valuesOf);
  }

  on(handlers: Handlers<K>): () => void {
    this.#listeners.add(handlers);
    for (const object of this.#store.list()) this.#notify(({ added }) => added?.(object), [handlers]);
    return () => void this.#listeners.delete(handlers);
  }

  /** Where the reflector delivers objects: they are of the type of the kind, as the CRD validated them. */
  #sink(): Sink {
    return {
      replace: (objects) => this.#replace(objects as readonly K[]),
      put: (object) => this.#put(object as K),
      remove: (object) => this.#remove(keyOfObject(object), object as K),
    };
  }

  #replace(objects: readonly K[]): void {
    const present = new Set(objects.map(keyOfObject));
    const gone = this.#store.list().filter((object) => !present.has(keyOfObject(object)));
    for (const object of gone) this.#remove(keyOfObject(object), object);
    for (const object of objects) this.#put(object);
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  #put(object: K): void {
    const old = this.#store.put(object);
    if (old === undefined) this.#notify((handlers) => handlers.added?.(object));
    else if (isChanged(old, object)) this.#notify((handlers) => handlers.updated?.(old, object));
  }

  #remove(key: string, last: K): void {
    if (this.#store.remove(key) !== undefined) this.#notify((handlers) => handlers.deleted?.(last));
  }

  /** A defect of one handler must not affect another. */
  #notify(call: (handlers: Handlers<K>) => void, to: Iterable<Handlers<K>> = this.#listeners): void {
    for (const handlers of to) {
      try {
        call(handlers);
      } catch (error) {
        this.#log.error({ err: error, kind: this.kind }, 'a handler of an informer failed');
      }
    }
  }
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
