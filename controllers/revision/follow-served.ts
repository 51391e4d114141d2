/** Begins the watches of a roll-out or a removal, for the kinds that are served. */
import type { Cluster } from '../../api/cluster.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import { groupKind, type Kind } from '../../api/object.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { isOwnKind } from '../../plan/own-kinds.ts';

export interface FollowDeps {
  /** As the manager. */
  readonly cluster: Pick<Cluster, 'isNamespaced'>;
  readonly watched: Pick<ManagedObjects, 'follow'>;
}

/**
 * Watches begin before the first write, so that its result arrives by the watch and need not be read. A kind whose CRD
 * is gone is not followed: its watch would never sync, and its objects count as missing.
 */
export async function followServed(
  { cluster, watched }: FollowDeps,
  kinds: readonly Kind[],
  signal: AbortSignal,
): Promise<void> {
  // A bundle's own kinds need no discovery: their CRD defines how they are served.
  const usual = kinds.filter((kind) => !isOwnKind(kind));
  const distinct = [...new Map(usual.map((kind) => [groupKind(kind), kind])).values()];
  const served = await Promise.all(
    distinct.map(async (kind) => {
      // If discovery fails now, the kind is followed once it is applied.
      const scope = await cluster.isNamespaced(kind, signal).catch(() => undefined);
      return scope === undefined ? [] : [kind];
    }),
  );
  await watched.follow(served.flat(), signal);
}

/** The entries of objects that were applied, not only intended. */
export function appliedEntries(inventory: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return inventory.filter(({ uid }) => uid !== '');
}
