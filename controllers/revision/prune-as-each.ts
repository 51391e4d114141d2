/**
 * Prunes objects as the account of the Subscription, and those that the manager made for its own work as the manager: the
 * latter at last, since rights of the manager are among them.
 */
import type { Cluster } from '../../api/cluster.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import { pruneObjects, type PruneOptions, type PruneResult } from '../../apply/prune.ts';
import { writingAs } from '../../apply/read-by-list.ts';

export interface PruningClients {
  /** Reads all, and deletes its own. */
  readonly manager: Cluster;
  /** As the account of the Subscription, or the manager if there is none. */
  readonly acting: Cluster;
}

export interface PruneAsEachOptions extends PruneOptions {
  /** Whether the manager made the object for its own work. */
  readonly isOwn: (entry: InventoryEntry) => boolean;
}

/** Rejected deletions are part of the result; throws the errors of reading. */
export async function pruneAsEach(
  { manager, acting }: PruningClients,
  entries: readonly InventoryEntry[],
  { isOwn, ...options }: PruneAsEachOptions,
): Promise<PruneResult> {
  const others = entries.filter((entry) => !isOwn(entry));
  const pruned = await pruneObjects(writingAs(acting, manager), others, options);
  const taken = await pruneObjects(manager, entries.filter(isOwn), options);
  return {
    removals: [...pruned.removals, ...taken.removals],
    remaining: [...pruned.remaining, ...taken.remaining],
  };
}
