/**
 * The kinds that a bundle both defines by its CRDs and brings objects of: their names, and the paths that serve them.
 * Pure.
 */
import { isCrdEntry, resourceOf } from '../../../apply/custom-resources.ts';
import { refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import { kindsDefinedIn, phaseOf } from '../../../apply/phases.ts';
import type { ServedKinds } from '../../../apply/served-as.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import { type DefinedKind, groupKind, type Kind, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { mayWatch } from '../watched-kinds.ts';

/**
 * Whether the manager has no standing right on a kind: its rights cover exactly the kinds that every bundle may hold.
 */
export function isOwnKind(kind: Kind): boolean {
  return phaseOf(kind) === 'customResources' && !mayWatch(kind);
}

/** The kinds that the CRDs among the objects define and that custom resources among them have, with their paths. */
export function ownKindsIn(objects: readonly KubeObject[]): ServedKinds {
  const present = new Set(objects.filter(isOwnKind).map(groupKind));
  return new Map(
    objects.filter(isCrdEntry).flatMap((crd) => {
      const [kind] = kindsDefinedIn([crd]);
      const { names, scope } = fieldsOf(crd['spec']);
      const plural = textOf(fieldsOf(names)['plural']);
      return kind !== undefined && present.has(kind) && plural !== ''
        ? [[kind, { plural, namespaced: scope !== 'Cluster' }] as const]
        : [];
    }),
  );
}

/** The custom resources of an inventory that were applied. */
export function ownEntries(inventory: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return inventory.filter((entry) => entry.uid !== '' && isOwnKind(entry));
}

/** The kinds of an inventory's custom resources, as the CRDs of the inventory define them now. */
export function definedKinds(
  inventory: readonly InventoryEntry[],
  get: (ref: ObjectRef) => KubeObject | undefined,
): readonly DefinedKind[] {
  const present = new Set(ownEntries(inventory).map(groupKind));
  return inventory.filter(isCrdEntry).flatMap((entry) => {
    const crd = get(refOfEntry(entry));
    const defined = crd?.metadata.uid === entry.uid ? resourceOf(crd) : undefined;
    return defined !== undefined && present.has(groupKind(defined)) ? [defined] : [];
  });
}
