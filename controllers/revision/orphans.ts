/**
 * The objects that stay when their Subscription is deleted with `spec.uninstall.objects: Orphan`, and the preparation
 * for that: a rehearsal is broken off, and its traces and the rights of the manager are deleted.
 */
import type { Cluster } from '../../api/cluster.ts';
import { describeRef } from '../../api/object.ts';
import { refOfEntry, type InventoryEntry } from '../../apply/inventory.ts';
import { pruneObjects } from '../../apply/prune.ts';
import { readByList } from '../../apply/read-by-list.ts';
import type { UninstallResult } from '../../apply/uninstall.ts';
import { nameSome } from '../../apply/name-some.ts';
import { ownerOf } from '../prepare-for.ts';
import { managersOwn } from './managers-own.ts';
import type { RevisionFacts } from './observe.ts';
import { isCopy } from './pull-secrets/add.ts';
import { breakOff } from './rehearsal/break-off.ts';

interface OrphansDeps {
  /** As the manager. */
  readonly cluster: Cluster;
  /** As the account; undefined: as the manager. */
  readonly acting: Cluster | undefined;
}

/** `Complete` once only objects of the operator are left, as in the bundle. Refusals are part of the result. */
export async function prepareOrphans(
  { cluster, acting = cluster }: OrphansDeps,
  facts: RevisionFacts,
  signal: AbortSignal,
): Promise<UninstallResult> {
  const { revision } = facts;
  const manager = readByList(cluster);
  const failures = await breakOff({ cluster: manager, acting }, revision, signal);
  if (failures.length > 0) return { state: 'Failed', removals: [], waiting: [], stays: [], failures };
  const { removals } = await pruneObjects(manager, ownOf(facts), { owner: ownerOf(revision), signal });
  const failed = removals.flatMap(({ failure }) => failure ?? []);
  const waiting = removals.flatMap(({ ref, outcome, message = '' }) =>
    outcome === 'deleting' ? [{ ref, message }] : [],
  );
  const state = failed.length > 0 ? 'Failed' : waiting.length > 0 ? 'Waiting' : 'Complete';
  return { state, removals, waiting, stays: [], failures: failed };
}

/** How many objects stay, and which of them are copies of pull secrets. Pure. */
export function describeOrphans(facts: RevisionFacts): string {
  const { revision } = facts;
  const count = inventoryOf(facts).length - ownOf(facts).length;
  const text = `The ${count} objects of Revision ${revision.metadata.name} stay, as spec.uninstall.objects: Orphan asks, and are not upgraded or repaired from now on`;
  const copies = inventoryOf(facts).filter(isCopy).map(refOfEntry).map(describeRef);
  if (copies.length === 0) return text;
  return `${text}. Among them are copies of pull secrets, which the Pods need; delete them once no Pod does: ${nameSome(copies, MOST_NAMED)}`;
}

/** The length of an event's note is limited. */
const MOST_NAMED = 3;

/** They do not stay. */
function ownOf(facts: RevisionFacts): readonly InventoryEntry[] {
  const inventory = inventoryOf(facts);
  return inventory.filter(managersOwn(facts, inventory));
}

function inventoryOf({ revision: { status } }: RevisionFacts): readonly InventoryEntry[] {
  return status?.inventory ?? [];
}
