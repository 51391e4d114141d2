/** The workers of a queue: which namespaces hold them, and who gets the next one that is free (fair-share.ts). */
import { namespaceOf, type FairList } from '../client/fair-list.ts';
import { pickNamespace } from './fair-share.ts';

export class HeldWorkers<Key extends string> {
  readonly #most: number | undefined;
  readonly #byNamespace = new Map<string, number>();
  #held = 0;

  /** @param most How many workers there are; undefined: each key has one at once. */
  constructor(most: number | undefined) {
    this.#most = most;
  }

  /** Takes the next key of the list that may have a worker now, and gives it one. */
  take(waiting: FairList<Key>): Key | undefined {
    const namespace = this.#pick(waiting.namespaces());
    const key = namespace === undefined ? undefined : waiting.take(namespace);
    if (key !== undefined) this.#count(key, 1);
    return key;
  }

  /** The key needs its worker no longer. */
  giveBack(key: Key): void {
    this.#count(key, -1);
  }

  #pick(waiting: Iterable<string>): string | undefined {
    const most = this.#most;
    if (most === undefined) return Iterator.from(waiting).next().value;
    const heldBy = (namespace: string): number => this.#byNamespace.get(namespace) ?? 0;
    return pickNamespace(waiting, { workers: most, free: most - this.#held, heldBy });
  }

  /** A key without a namespace is an owner of its own, and holds one worker at most. */
  #count(key: Key, change: 1 | -1): void {
    this.#held += change;
    const namespace = namespaceOf(key);
    if (namespace === '') return;
    const held = (this.#byNamespace.get(namespace) ?? 0) + change;
    if (held === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, held);
  }
}
