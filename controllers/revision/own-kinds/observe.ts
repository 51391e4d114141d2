/**
 * The state of a Revision's objects, custom resources of its bundle's own kinds included: from a watch if the manager
 * has given itself the right to one; otherwise they are read, since an account gives the manager no right.
 */
import { ReasonedError } from '../../../api/errors.ts';
import { groupKind, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { identityOf } from '../../../apply/identity.ts';
import { isIntact, refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import { readByList } from '../../../apply/read-by-list.ts';
import { withServed } from '../../../apply/served-as.ts';
import { createSlots, inSlots } from '../../../apply/slots.ts';
import type { ManagedObjects } from '../managed-objects.ts';
import { definedKinds, ownEntries } from './kinds.ts';
import { mayRead } from './rights.ts';

interface Deps {
  /** As the manager. */
  readonly cluster: Cluster;
  readonly managed: ManagedObjects;
}

/** The state of the objects of an inventory. */
export interface KnownObjects {
  get(ref: ObjectRef): KubeObject | undefined;
  /** Whether the object is as it was applied, or could not be read at the moment. */
  isIntact(entry: InventoryEntry): boolean;
}

/** The most reads at the same time. */
const MOST_READS = 8;

/** Sends one request for each custom resource without a watch. Throws the signal's reason when aborted. */
export async function observeOwn(
  { cluster, managed }: Deps,
  inventory: readonly InventoryEntry[],
  signal: AbortSignal,
): Promise<KnownObjects> {
  const entries = unfollowed(managed, inventory);
  const reader = readByList(withServed(cluster, servedIn(inventory, managed)));
  const read = new Map<string, KubeObject | undefined>();
  await inSlots({ slots: createSlots(MOST_READS), signal }, entries, async (entry) => {
    try {
      read.set(identityOf(entry), await reader.get(refOfEntry(entry), signal));
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
    }
  });
  const asked = new Set(entries.map(identityOf));
  const get = (ref: ObjectRef): KubeObject | undefined => read.get(identityOf(ref)) ?? managed.get(ref);
  return {
    get,
    isIntact: (entry) =>
      (asked.has(identityOf(entry)) && !read.has(identityOf(entry))) || isIntact(entry, get(refOfEntry(entry))),
  };
}

function servedIn(inventory: readonly InventoryEntry[], managed: ManagedObjects): Parameters<typeof withServed>[1] {
  const kinds = definedKinds(inventory, (ref) => managed.get(ref));
  return new Map(kinds.map((kind) => [groupKind(kind), kind.served]));
}

/** The custom resources of an inventory without a watch: they are read from time to time. */
export function unfollowed(
  managed: Pick<ManagedObjects, 'isFollowed'>,
  inventory: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  return ownEntries(inventory).filter((entry) => !managed.isFollowed(entry));
}

/** Begins to follow the custom resources of an inventory, if the manager may. */
export async function followOwn(
  { cluster, managed }: Deps,
  inventory: readonly InventoryEntry[],
  signal: AbortSignal,
): Promise<void> {
  const entries = ownEntries(inventory);
  if (entries.length === 0) return;
  const defined = definedKinds(inventory, (ref) => managed.get(ref));
  const kinds = await Promise.all(
    defined.map(async (kind) => {
      const entry = entries.find((one) => groupKind(one) === groupKind(kind));
      if (entry === undefined || managed.followsVersion(kind)) return [];
      const ref = { ...refOfEntry(entry), ...kind };
      // If the check fails, the next reconcile repeats it.
      const may = await mayRead(cluster, ref, signal).catch(() => false);
      return may ? [kind] : [];
    }),
  );
  await managed.followOwn(kinds.flat(), signal);
}
