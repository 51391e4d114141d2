/**
 * Remembers in which namespaces the inventories of a Subscription have listed an object. A late creation may bring back
 * the only object of a namespace after it was pruned: no inventory names that namespace by then. See late-objects.ts.
 */
import { createRecent, type Recent } from '../recent.ts';
import { ownerUidOf } from '../owner.ts';
import type { RevisionFacts } from './observe.ts';

/** As long as objects of an operator that was uninstalled are removed when they are made late. */
const LATEST_SECONDS = 600;

export class ListedNamespaces {
  /** By the uid of the Subscription: the time of the last listing in milliseconds, by namespace. */
  readonly #listed: Recent<Map<string, number>> = createRecent();

  /** Notes the namespaces of all objects that the inventories list at this moment. */
  note({ revision, siblings }: Pick<RevisionFacts, 'revision' | 'siblings'>, now: Date): void {
    const uid = ownerUidOf(revision);
    if (uid === undefined) return;
    const times = this.#listed.get(uid) ?? new Map<string, number>();
    for (const { status } of [revision, ...siblings])
      for (const { namespace } of status?.inventory ?? [])
        if (namespace !== undefined) times.set(namespace, now.getTime());
    this.#listed.set(uid, times);
  }

  /**
   * Whether an object in a namespace that was made at a time may be a late creation for the Subscription: the namespace
   * was listed then, or shortly before. The time of the creation counts, since only the API server writes it.
   */
  wasListed(uid: string, namespace: string, madeAt: number): boolean {
    const listedAt = this.#listed.get(uid)?.get(namespace);
    return listedAt !== undefined && !(madeAt > listedAt + LATEST_SECONDS * 1000);
  }
}
