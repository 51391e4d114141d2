/**
 * A map that is kept from one reconcile to the next and may lose entries: beyond a size the oldest are dropped. It is
 * bounded because some objects, such as those that the garbage collector deletes, have no last reconcile that would
 * remove their entry.
 */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  /** Moves the entry to the end. */
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** More than there are Revisions in progress in a large cluster. */
const MOST = 4096;

export function createRecent<Value>(most: number = MOST): Recent<Value> {
  const entries = new Map<string, Value>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
  };
}
