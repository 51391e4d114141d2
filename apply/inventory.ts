/** What a revision has put into the cluster, and how that differs from what it should. Pure. */
import { refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { identityOf } from './identity.ts';
import { hashObject } from './prepare.ts';

/** One object that Slipway applied, as a Revision's status lists it. */
export interface InventoryEntry extends ObjectRef {
  /** Of the very object; empty while it is only intended: what then exists of that name is not certainly ours. */
  readonly uid: string;
  /** Of the manifest as applied, see hashObject; empty when unknown. */
  readonly hash: string;
  /** Which state of the object was applied last, see stateOf; absent while it is only intended. */
  readonly seen?: string;
  /**
   * Whether the Revision does not want it, and may be deleting it. A Revision that wants it again writes it first, so that
   * a deletion that arrives late does not meet it as it was.
   */
  readonly leftover?: boolean;
}

export interface InventoryDiff {
  /** To be sent: new, or with another manifest. In the order of `desired`. */
  readonly applied: readonly KubeObject[];
  /** Already there with the same manifest. In the order of `desired`. */
  readonly unchanged: readonly InventoryEntry[];
  /** No longer wanted. In the order of `previous`. */
  readonly pruned: readonly InventoryEntry[];
}

/** The entry of an object; uid and state from the answer of the API server, absent before there is one. */
export function entryOf(object: KubeObject, answer?: KubeObject): InventoryEntry {
  const seen = answer === undefined ? {} : { seen: stateOf(answer) };
  return { ...refOf(object), uid: answer?.metadata.uid ?? '', hash: hashObject(object), ...seen };
}

/**
 * Names the state of a live object, so that a change by somebody else is noticed: its generation, which a change
 * of its status leaves alone, or its resourceVersion where the kind has no generation.
 */
export function stateOf({ metadata: { generation, resourceVersion } }: KubeObject): string {
  return generation === undefined ? `resourceVersion ${resourceVersion ?? ''}` : `generation ${generation}`;
}

/** Whether the live object is the very one that was applied, and nobody has changed its spec since. */
export function isIntact(entry: InventoryEntry, live: KubeObject | undefined): boolean {
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
  return live.metadata.uid === entry.uid && stateOf(live) === entry.seen;
}

/** The reference within an entry, without uid and hash. */
export function refOfEntry({ apiVersion, kind, namespace, name }: InventoryEntry): ObjectRef {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

/** Tells what to send, what to leave and what to prune. A new version of the same group and kind is no new object. */
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

/** The entries by identity; of two of one identity the later counts. */
export function indexInventory(entries: readonly InventoryEntry[]): ReadonlyMap<string, InventoryEntry> {
  return new Map(entries.map((entry) => [identityOf(entry), entry]));
}

/**
 * Both inventories as one; where both know an object, the later counts, but never a known uid is given up for
 * an empty one. Objects that are yet to be pruned stay listed until they are gone.
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

/** The same entries, with a mark on those of no object that is wanted. What was marked before stays so until it is written. */
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

/** Entries without uid for what is about to be applied: written down first, so that a crash leaks nothing. */
export function intendedEntries(objects: readonly KubeObject[]): InventoryEntry[] {
  return objects.map((object) => entryOf(object));
}
