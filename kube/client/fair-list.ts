/** A waiting list without duplicates that serves namespaces in turn, so that a busy one does not hold up others. */

export interface FairList<Key extends string> {
  /** Adds at the end of its namespace's line, unless it is waiting already. */
  push(key: Key): void;
  /** Takes the next key of a namespace, whose turn is then over. */
  take(namespace: string): Key | undefined;
  /** The namespaces that have keys here, in order of their turn. */
  namespaces(): Iterable<string>;
  has(key: Key): boolean;
  readonly length: number;
}

/** An empty list; the namespace of `a/b` is `a`, that of `b` is none. */
export function createFairList<Key extends string>(): FairList<Key> {
  /** The namespaces in order of their turn: the first is served, then moved to the end. */
  const lines = new Map<string, Set<Key>>();
  let length = 0;
  return {
    push(key) {
      const namespace = namespaceOf(key);
      const line = lines.get(namespace);
      if (line?.has(key)) return;
      if (line === undefined) lines.set(namespace, new Set([key]));
      else line.add(key);
      length += 1;
    },
    take(namespace) {
      const line = lines.get(namespace);
      if (line === undefined) return undefined;
      const [key] = line;
      lines.delete(namespace);
      line.delete(key as Key);
      if (line.size > 0) lines.set(namespace, line);
      length -= 1;
      return key;
    },
    namespaces: () => lines.keys(),
    has: (key) => lines.get(namespaceOf(key))?.has(key) ?? false,
    get length() {
      return length;
    },
  };
}

/** Of a key; empty for one without a namespace. */
export function namespaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}
