/** The objects that a revision has put into the cluster, and their difference from the desired ones. Pure. */
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import type { InventoryEntry } from '../api/revision.ts';
import { identityOf } from './identity.ts';
import { hashObject } from './prepare.ts';

export type { InventoryEntry } from '../api/revision.ts';

export interface InventoryDiff {
  /** To be applied: new, or with another manifest. In the order of `desired`. */
  readonly applied: readonly KubeObject[];
  /** In the cluster already with the same manifest. In the order of `desired`. */
  readonly unchanged: readonly InventoryEntry[];
  /** No longer wanted. In the order of `previous`. */
  readonly pruned: readonly InventoryEntry[];
}

/** The entry of an object; uid and state come from the API server's answer, absent before there is one. */
export function entryOf(object: KubeObject, answer?: KubeObject): InventoryEntry {
  const seen = answer === undefined ? {} : { seen: stateOf(answer) };
  return { ...refOf(object), uid: answer?.metadata.uid ?? '', hash: hashObject(object), ...seen };
}

/**
 * Identifies the state of a live object, so that a change by another writer is noticed: its generation, which status
 * changes leave alone, or its resourceVersion if the kind has no generation.
 */
export function stateOf({ metadata: { generation, resourceVersion } }: KubeObject): string {
  return generation === undefined ? `resourceVersion ${resourceVersion ?? ''}` : `generation ${generation}`;
}

/** Whether the live object is the one that was applied, and is not being deleted. */
export function isLiving(entry: InventoryEntry, live: KubeObject | undefined): live is KubeObject {
  return live !== undefined && live.metadata.deletionTimestamp === undefined && live.metadata.uid === entry.uid;
}

/** Whether it is living, with an unchanged spec. */
export function isIntact(entry: InventoryEntry, live: KubeObject | undefined): boolean {
  return isLiving(entry, live) && stateOf(live) === entry.seen;
}

/** The reference within an entry, without uid and hash. */
export function refOfEntry({ apiVersion, kind, namespace, name }: InventoryEntry): ObjectRef {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

/** Decides which objects to apply, leave and prune. Another version of the same group and kind is the same object. */
export function diffInventory(previous: readonly InventoryEntry[], desired: readonly KubeObject[]): InventoryDiff {
  const before = indexInventory(previous);
  const wanted = new Set(desired.map((object) => identityOf(refOf(object))));
  const applied: KubeObject[] = [];
  const unchanged: InventoryEntry[] = [];
  for (const object of desired) {
    const entry = before.get(identityOf(refOf(object)));
    if (entry !== undefined && entry.uid !== '' && entry.hash === hashObject(object)) unchanged.push(entry);
    else applied.push(object);
  }
  return { applied, unchanged, pruned: previous.filter((entry) => !wanted.has(identityOf(entry))) };
}

/** The entries by identity; the later of two equal ones wins. */
export function indexInventory(entries: readonly InventoryEntry[]): ReadonlyMap<string, InventoryEntry> {
  return new Map(entries.map((entry) => [identityOf(entry), entry]));
}

/**
 * Merges inventories; if both have an object, the later entry wins, but a known uid is never replaced by an empty one.
 * Objects that are yet to be pruned stay listed until they are gone.
 */
export function mergeInventories(
  earlier: readonly InventoryEntry[],
  later: readonly InventoryEntry[],
): InventoryEntry[] {
  const merged = new Map(indexInventory(earlier));
  for (const entry of later) {
    const known = merged.get(identityOf(entry));
    merged.set(identityOf(entry), entry.uid === '' && known !== undefined ? known : entry);
  }
  return [...merged.values()];
}

/**
 * The same entries, with objects that are not wanted marked as leftovers. A mark stays until the object is written
 * again.
 */
export function markLeftovers(
  entries: readonly InventoryEntry[],
  wanted: readonly KubeObject[],
): readonly InventoryEntry[] {
  const identities = new Set(wanted.map((object) => identityOf(refOf(object))));
  return entries.map((entry) => (identities.has(identityOf(entry)) ? entry : { ...entry, leftover: true }));
}

/** Whether both list the same objects, with the same marks. */
export function listsTheSame(some: readonly InventoryEntry[], others: readonly InventoryEntry[]): boolean {
  const marks = indexInventory(others);
  return (
    some.length === others.length &&
    some.every((entry) => {
      const other = marks.get(identityOf(entry));
      return other !== undefined && (other.leftover === true) === (entry.leftover === true);
    })
  );
}

/** Entries without uid for the objects about to be applied: stored first, so that a crash leaks no object. */
export function intendedEntries(objects: readonly KubeObject[]): InventoryEntry[] {
  return objects.map((object) => entryOf(object));
}
