/**
 * Counts the custom resources of a CRD when its deletion is noticed: the API server deletes them one by one, and later
 * their number is unknown. Kept in memory only, since it is needed only for a moment.
 */
import { isCrd } from '../../../api/crd-kind.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { countInstances, describeSamples, type CustomResourceCount } from '../../../apply/custom-resources.ts';
import { refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import { createRecent } from '../../recent.ts';

export interface CrdContents {
  /** Counts the custom resources of the inventory's CRDs that are being deleted, once for each CRD; never fails. */
  look(cluster: Cluster, inventory: readonly InventoryEntry[], options: LookOptions): Promise<void>;
  /** The number that was lost with a CRD of that uid, as the end of a sentence. */
  describe(uid: string): string;
}

export interface LookOptions {
  readonly observed: (ref: ObjectRef) => KubeObject | undefined;
  /** The only namespace whose objects messages name; absent: all are named. */
  readonly namedIn: string | undefined;
  readonly signal: AbortSignal;
}

export function createCrdContents(): CrdContents {
  const counts = createRecent<CustomResourceCount>();
  return {
    async look(cluster, inventory, { observed, ...options }) {
      const doomed = inventory.filter(isCrd).flatMap((entry) => {
        const live = observed(refOfEntry(entry));
        const isGoing = live?.metadata.deletionTimestamp !== undefined && live.metadata.uid === entry.uid;
        return isGoing && counts.get(entry.uid) === undefined ? [live] : [];
      });
      await Promise.all(
        doomed.map(async (crd) => {
          // If the list fails, the count is unknown.
          counts.set(crd.metadata.uid ?? '', await countInstances(cluster, crd, options));
        }),
      );
    },
    describe(uid) {
      const counted = counts.get(uid);
      if (counted === undefined || counted.count === 'unknown') return 'how many there were is not known';
      if (counted.count === 0) return 'none was found when the deletion was noticed';
      return `${counted.count} were there when the deletion was noticed (${describeSamples(counted)})`;
    },
  };
}
