/** The custom resources of an inventory whose kinds the bundle defines itself. Pure. */
import { resourceOf } from '../../../apply/custom-resources.ts';
import { refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import { isCrd } from '../../../api/crd-kind.ts';
import { type DefinedKind, groupKind, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { isOwnKind } from '../../../plan/own-kinds.ts';

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
  return inventory.filter(isCrd).flatMap((entry) => {
    const crd = get(refOfEntry(entry));
    const defined = crd?.metadata.uid === entry.uid ? resourceOf(crd) : undefined;
    return defined !== undefined && present.has(groupKind(defined)) ? [defined] : [];
  });
}
