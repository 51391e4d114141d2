/**
 * Bounds the memory that the followed objects of one namespace take together. A person who may write objects there may make any
 * number of them that name an existing Subscription, each as large as is kept of one object. Beyond the bound only names are
 * kept. Objects of the cluster are not counted: only people who may write to the whole cluster make them.
 */
import { groupKind, keyOfObject, type Kind, type KubeObject } from '../../api/object.ts';
import { keepName } from './kept-parts.ts';

/** Some thousand objects, of which a kilobyte each is kept as a rule. */
const MOST_BYTES = 4 * 1024 * 1024;
/** More for each Subscription of the namespace, the objects of a large operator; tenants may create any number. */
const BYTES_OF_SUBSCRIPTION = 64 * 1024;
const MOST_FOR_SUBSCRIPTIONS = 3 * MOST_BYTES;

export interface KeptBytesOptions {
  /** Number of Subscriptions in a namespace; by default none. */
  readonly subscriptionsIn?: (namespace: string) => number;
  /** Called once for each namespace of which something is kept by name only. */
  readonly onFull?: (namespace: string) => void;
}

/** The kept objects of a namespace. */
interface KeptSizes {
  sum: number;
  /** By kind and key. */
  readonly sizes: Map<string, number>;
}

export class KeptBytes {
  readonly #subscriptionsIn: (namespace: string) => number;
  readonly #onFull: (namespace: string) => void;
  readonly #namespaces = new Map<string, KeptSizes>();
  readonly #full = new Set<string>();

  constructor({ subscriptionsIn = () => 0, onFull = () => undefined }: KeptBytesOptions = {}) {
    this.#subscriptionsIn = subscriptionsIn;
    this.#onFull = onFull;
  }

  /** The kept parts of an object, in place of those from before; its name alone if its namespace has no room for more. */
  admit(kept: KubeObject): KubeObject {
    const { namespace } = kept.metadata;
    if (namespace === undefined) return kept;
    this.forget(kept);
    const size = JSON.stringify(kept).length;
    const found = this.#sizesOf(namespace);
    if (found.sum + size > this.#mostOf(namespace, found.sum + size)) return this.#refuse(kept, namespace);
    found.sum += size;
    found.sizes.set(idOf(kept), size);
    return kept;
  }

  /** Nothing but the name of the object is kept, or it is gone. */
  forget(object: KubeObject): void {
    const { namespace = '' } = object.metadata;
    const found = this.#namespaces.get(namespace);
    const size = found?.sizes.get(idOf(object));
    if (found === undefined || size === undefined) return;
    found.sum -= size;
    found.sizes.delete(idOf(object));
    if (found.sizes.size === 0) this.#namespaces.delete(namespace);
  }

  /** The kind is followed no longer. */
  forgetKind(kind: string): void {
    for (const [namespace, found] of this.#namespaces) {
      for (const [id, size] of found.sizes) {
        if (!id.startsWith(`${kind} `)) continue;
        found.sum -= size;
        found.sizes.delete(id);
      }
      if (found.sizes.size === 0) this.#namespaces.delete(namespace);
    }
  }

  #sizesOf(namespace: string): KeptSizes {
    const found = this.#namespaces.get(namespace) ?? { sum: 0, sizes: new Map<string, number>() };
    this.#namespaces.set(namespace, found);
    return found;
  }

  /** The Subscriptions are counted only for a namespace that has more than most have. */
  #mostOf(namespace: string, bytes: number): number {
    if (bytes <= MOST_BYTES) return MOST_BYTES;
    return MOST_BYTES + Math.min(this.#subscriptionsIn(namespace) * BYTES_OF_SUBSCRIPTION, MOST_FOR_SUBSCRIPTIONS);
  }

  #refuse(kept: KubeObject, namespace: string): KubeObject {
    if (!this.#full.has(namespace)) this.#onFull(namespace);
    this.#full.add(namespace);
    return keepName(kept);
  }
}

function idOf(object: KubeObject & Kind): string {
  return `${groupKind(object)} ${keyOfObject(object)}`;
}
