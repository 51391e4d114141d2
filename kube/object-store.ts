/** Objects of one kind by key, with indexes. Holds what it is given, unchanged; no I/O. */
import { keyOfObject, type KubeObject } from '../api/object.ts';

/** For each index, the values under which an object is found. */
export type Indexes = Readonly<Record<string, (object: KubeObject) => readonly string[]>>;

export interface ObjectStore {
  get(key: string): KubeObject | undefined;
  list(namespace?: string): readonly KubeObject[];
  byIndex(name: string, value: string): readonly KubeObject[];
  addIndex(name: string, valuesOf: (object: KubeObject) => readonly string[]): void;
  /** Stores; returns what was there. */
  put(object: KubeObject): KubeObject | undefined;
  /** Removes; returns what was there. */
  remove(key: string): KubeObject | undefined;
}

/** Always there: the objects of a namespace. */
const BY_NAMESPACE = ' namespace';

/** An empty store. */
export function createObjectStore(indexes: Indexes = {}): ObjectStore {
  const objects = new Map<string, KubeObject>();
  const indices = new Map<string, Index>();

  function addIndex(name: string, valuesOf: Indexes[string]): void {
    if (indices.has(name)) return;
    const index: Index = { valuesOf, entries: new Map() };
    indices.set(name, index);
    for (const [key, object] of objects) enter(index, key, object);
  }

  function remove(key: string): KubeObject | undefined {
    const old = objects.get(key);
    if (old === undefined) return undefined;
    for (const index of indices.values()) leave(index, key, old);
    objects.delete(key);
    return old;
  }

  function byIndex(name: string, value: string): readonly KubeObject[] {
    const index = indices.get(name);
    if (index === undefined) throw new Error(`there is no index ${name}`);
    return [...(index.entries.get(value) ?? [])].map((key) => objects.get(key) as KubeObject);
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

interface Index {
  readonly valuesOf: (object: KubeObject) => readonly string[];
  readonly entries: Map<string, Set<string>>;
}

function enter({ valuesOf, entries }: Index, key: string, object: KubeObject): void {
  for (const value of valuesOf(object)) {
    const keys = entries.get(value);
    if (keys === undefined) entries.set(value, new Set([key]));
    else keys.add(key);
  }
}

function leave({ valuesOf, entries }: Index, key: string, object: KubeObject): void {
  for (const value of valuesOf(object)) {
    const keys = entries.get(value);
    keys?.delete(key);
    if (keys?.size === 0) entries.delete(value);
  }
}
