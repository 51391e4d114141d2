/**
 * What was in a CRD when its deletion was noticed: the API server deletes its custom resources one by one, and once it is
 * gone nothing tells how many there were. Kept in memory only, as it is of use for a moment.
 */
import type { Cluster } from '../../../apply/cluster.ts';
import {
  countInstances,
  describeSamples,
  isCrdEntry,
  type CustomResourceCount,
} from '../../../apply/custom-resources.ts';
import { refOfEntry, type InventoryEntry } from '../../../apply/inventory.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import { createRecent } from '../../recent.ts';

export interface CrdContents {
  /** Counts what is in the CRDs of the inventory that are being deleted, once for each; never fails. */
  look(cluster: Cluster, inventory: readonly InventoryEntry[], options: LookOptions): Promise<void>;
  /** What was lost with a CRD of that uid, as the end of a sentence. */
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
      const doomed = inventory.filter(isCrdEntry).flatMap((entry) => {
        const live = observed(refOfEntry(entry));
        const isGoing = live?.metadata.deletionTimestamp !== undefined && live.metadata.uid === entry.uid;
        return isGoing && counts.get(entry.uid) === undefined ? [live] : [];
      });
      await Promise.all(
        doomed.map(async (crd) => {
          // A list that fails is a count that is not known.
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
