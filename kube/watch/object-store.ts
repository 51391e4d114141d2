/** Objects of one kind by key, with indexes. Stores objects unchanged; no I/O. */
import { keyOfObject, type KubeObject } from '../../api/object.ts';

/** For each index, the values under which an object is found. */
export type Indexes<K extends KubeObject = KubeObject> = Readonly<Record<string, (object: K) => readonly string[]>>;

export interface ObjectStore<K extends KubeObject = KubeObject> {
  get(key: string): K | undefined;
  list(namespace?: string): readonly K[];
  byIndex(name: string, value: string): readonly K[];
  addIndex(name: string, valuesOf: (object: K) => readonly string[]): void;
  /** Stores; returns the previous object. */
  put(object: K): K | undefined;
  /** Removes; returns the removed object. */
  remove(key: string): K | undefined;
}

/** The built-in index: the objects of a namespace. */
const BY_NAMESPACE = ' namespace';

/** An empty store. */
export function createObjectStore<K extends KubeObject = KubeObject>(indexes: Indexes<K> = {}): ObjectStore<K> {
  const objects = new Map<string, K>();
  const indices = new Map<string, Index<K>>();

  function addIndex(name: string, valuesOf: Indexes<K>[string]): void {
    if (indices.has(name)) return;
    const index: Index<K> = { valuesOf, entries: new Map() };
    indices.set(name, index);
    for (const [key, object] of objects) enter(index, key, object);
  }

  function remove(key: string): K | undefined {
    const old = objects.get(key);
    if (old === undefined) return undefined;
    for (const index of indices.values()) leave(index, key, old);
    objects.delete(key);
    return old;
  }

  function byIndex(name: string, value: string): readonly K[] {
    const index = indices.get(name);
    if (index === undefined) throw new Error(`there is no index ${name}`);
    return [...(index.entries.get(value) ?? [])].map((key) => objects.get(key) as K);
  }

  addIndex(BY_NAMESPACE, ({ metadata }) => [metadata.namespace ?? '']);
  for (const [name, valuesOf] of Object.entries(indexes)) addIndex(name, valuesOf);
  return {
    get: (key) => objects.get(key),
    list: (namespace) => (namespace === undefined ? [...objects.values()] : byIndex(BY_NAMESPACE, namespace)),
    byIndex,
    addIndex,
    put(object) {
      const key = keyOfObject(object);
      const old = remove(key);
      objects.set(key, object);
      for (const index of indices.values()) enter(index, key, object);
      return old;
    },
    remove,
  };
}

interface Index<K extends KubeObject> {
  readonly valuesOf: (object: K) => readonly string[];
  readonly entries: Map<string, Set<string>>;
}

function enter<K extends KubeObject>({ valuesOf, entries }: Index<K>, key: string, object: K): void {
  for (const value of valuesOf(object)) {
    const keys = entries.get(value);
    if (keys === undefined) entries.set(value, new Set([key]));
    else keys.add(key);
  }
}

function leave<K extends KubeObject>({ valuesOf, entries }: Index<K>, key: string, object: K): void {
  for (const value of valuesOf(object)) {
    const keys = entries.get(value);
    keys?.delete(key);
    if (keys?.size === 0) entries.delete(value);
  }
}
