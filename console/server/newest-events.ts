/**
 * The newest events of each namespace. A person who may create events in one namespace may create any number, and the console
 * serves all namespaces. Pure; newest-client.ts gives the events to it.
 */
import { keyOfObject, type KubeObject } from '../../api/object.ts';

interface EventBounds {
  readonly perNamespace: number;
  /** Of all namespaces: those with the most events give up theirs. */
  readonly total: number;
}

export const EVENT_BOUNDS: EventBounds = { perNamespace: 1000, total: 8000 };

/** By which a namespace with too many shrinks: so they are sorted once for many of them. */
const REST = 0.75;

interface OfNamespace {
  readonly events: Map<string, KubeObject>;
  leftOut: number;
}

export class NewestEvents {
  readonly #bounds: EventBounds;
  readonly #namespaces = new Map<string, OfNamespace>();
  #count = 0;

  constructor(bounds: EventBounds = EVENT_BOUNDS) {
    this.#bounds = bounds;
  }

  /** All that are kept. */
  get events(): readonly KubeObject[] {
    return [...this.#namespaces.values()].flatMap(({ events }) => [...events.values()]);
  }

  /** The namespaces of which some are left out. */
  get cut(): readonly string[] {
    return [...this.#namespaces].flatMap(([namespace, { leftOut }]) => (leftOut > 0 ? [namespace] : [])).toSorted();
  }

  has(event: KubeObject): boolean {
    return this.#namespaces.get(namespaceOf(event))?.events.has(keyOfObject(event)) === true;
  }

  /**
   * Keeps the event; returns those that are given up for it.
   *
   * @param isNew Whether the event has just been created, and not changed.
   */
  put(event: KubeObject, isNew = true): readonly KubeObject[] {
    const own = this.#namespaces.get(namespaceOf(event)) ?? { events: new Map<string, KubeObject>(), leftOut: 0 };
    this.#namespaces.set(namespaceOf(event), own);
    if (!this.has(event)) {
      this.#count += 1;
      if (!isNew) own.leftOut = Math.max(0, own.leftOut - 1);
    }
    own.events.set(keyOfObject(event), event);
    const { perNamespace, total } = this.#bounds;
    if (own.events.size > perNamespace) return this.#shorten(own, Math.floor(perNamespace * REST));
    return this.#count > total ? this.#shortenAll(total * REST) : [];
  }

  /** It is gone; false if it was left out before. */
  remove(event: KubeObject): boolean {
    const own = this.#namespaces.get(namespaceOf(event));
    const wasKept = own?.events.delete(keyOfObject(event)) === true;
    if (wasKept) this.#count -= 1;
    else if (own !== undefined) own.leftOut = Math.max(0, own.leftOut - 1);
    if (own?.events.size === 0 && own.leftOut === 0) this.#namespaces.delete(namespaceOf(event));
    return wasKept;
  }

  clear(): void {
    this.#namespaces.clear();
    this.#count = 0;
  }

  /** Halves the most that a namespace may have until all of them fit; one stays of each. */
  #shortenAll(most: number): readonly KubeObject[] {
    const sizes = [...this.#namespaces.values()].map(({ events }) => events.size);
    const sumWithin = (limit: number): number => sizes.reduce((sum, size) => sum + Math.min(size, limit), 0);
    let limit = Math.max(...sizes);
    while (limit > 1 && sumWithin(limit) > most) limit = Math.floor(limit / 2);
    return [...this.#namespaces.values()].flatMap((own) => this.#shorten(own, limit));
  }

  #shorten(own: OfNamespace, most: number): readonly KubeObject[] {
    const surplus = own.events.size - most;
    if (surplus <= 0) return [];
    const oldest = [...own.events.values()]
      .toSorted((one, other) => versionOf(one) - versionOf(other))
      .slice(0, surplus);
    for (const event of oldest) own.events.delete(keyOfObject(event));
    own.leftOut += oldest.length;
    this.#count -= oldest.length;
    return oldest;
  }
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? '';
}

/**
 * The order in which the API server stored them, which no writer can choose, as they can the times.
 *
 * @see KEP-5504
 */
function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion ?? 0);
}
