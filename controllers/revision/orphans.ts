/**
 * The objects that stay when their Subscription is deleted with `spec.uninstall.objects: Orphan`, and the preparation
 * for that: a rehearsal is broken off, and its traces are deleted.
 */
import type { Cluster } from '../../api/cluster.ts';
import type { Revision } from '../../api/revision.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import { pruneObjects } from '../../apply/prune.ts';
import { readByList } from '../../apply/read-by-list.ts';
import type { UninstallResult } from '../../apply/uninstall.ts';
import { ownerOf } from '../prepare-for.ts';
import { breakOff } from './rehearsal/break-off.ts';
import { isTrace } from './rehearsal/probe-objects.ts';

interface OrphansDeps {
  /** As the manager. */
  readonly cluster: Cluster;
  /** As the account; undefined: as the manager. */
  readonly acting: Cluster | undefined;
}

/** `Complete` once only objects of the operator are left, as in the bundle. Refusals are part of the result. */
export async function prepareOrphans(
  { cluster, acting = cluster }: OrphansDeps,
  revision: Revision,
  signal: AbortSignal,
): Promise<UninstallResult> {
  const manager = readByList(cluster);
  const failures = await breakOff({ cluster: manager, acting }, revision, signal);
  if (failures.length > 0) return { state: 'Failed', removals: [], waiting: [], stays: [], failures };
  const { removals } = await pruneObjects(manager, ownOf(revision), { owner: ownerOf(revision), signal });
  const failed = removals.flatMap(({ failure }) => failure ?? []);
  const waiting = removals.flatMap(({ ref, outcome, message = '' }) =>
    outcome === 'deleting' ? [{ ref, message }] : [],
  );
  const state = failed.length > 0 ? 'Failed' : waiting.length > 0 ? 'Waiting' : 'Complete';
  return { state, removals, waiting, stays: [], failures: failed };
}

/** How many objects stay. Pure. */
export function describeOrphans(revision: Revision): string {
  const count = inventoryOf(revision).length - ownOf(revision).length;
  return `The ${count} objects of Revision ${revision.metadata.name} stay, as spec.uninstall.objects: Orphan asks, and are not upgraded or repaired from now on`;
}

/** The objects that the manager made for its own work: they do not stay. */
function ownOf(revision: Revision): readonly InventoryEntry[] {
  const inventory = inventoryOf(revision);
  return inventory.filter((entry) => isTrace(entry, inventory));
}

function inventoryOf({ status }: Revision): readonly InventoryEntry[] {
  return status?.inventory ?? [];
}
