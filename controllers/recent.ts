/**
 * A map for what is remembered from one reconcile to the next and can be lost: of too many entries the oldest go. Objects come
 * and go without a last reconcile that would forget them, as those that the garbage collector takes.
 */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  /** Puts it at the end. */
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** More than there are Revisions under way in a large cluster. */
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
