/**
 * The objects of an inventory that the manager made for its own work, with its own rights: it also deletes them with
 * these, while the account of the Subscription deletes all others. Pure.
 */
import { refOfEntry, type InventoryEntry } from '../../apply/inventory.ts';
import { ownerOf } from '../prepare-for.ts';
import type { RevisionFacts } from './observe.ts';
import { isAccess } from './own-kinds/access.ts';
import { isTrace } from './rehearsal/probe-objects.ts';

/** A predicate: whether an entry is the manager's own, by its whole name. */
export function managersOwn(
  { revision }: Pick<RevisionFacts, 'revision'>,
  inventory: readonly InventoryEntry[],
): (entry: InventoryEntry) => boolean {
  const owner = ownerOf(revision);
  return (entry) => isTrace(entry, inventory) || isAccess(refOfEntry(entry), owner);
}
