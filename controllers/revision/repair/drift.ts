/**
 * The changes that others made to the objects of a Revision since they were applied, and the repair of each:
 * configured, made again, or taken up again. The cluster is read before the apply, which overwrites the changes.
 */
import type { ApplyResult, ObjectResult } from '../../../apply/apply.ts';
import { isCrd } from '../../../api/crd-kind.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { identityOf } from '../../../apply/identity.ts';
import { isIntact, refOfEntry, stateOf, type InventoryEntry } from '../../../apply/inventory.ts';
import { hashObject } from '../../../apply/prepare.ts';
import { takenFields, type TakenField } from '../../../apply/taken-fields.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';

/**
 * The act that was repaired: fields were changed, the object was deleted, or it was deleted and made by another
 * program.
 */
export type RepairCause = 'Changed' | 'Deleted' | 'Replaced';

/** An object that differs from its last apply. */
export interface Drift {
  readonly entry: InventoryEntry;
  /** State of the object before the apply, if it was there. */
  readonly state: string | undefined;
  /** Fields that other field managers have taken, as far as the API server remembers. */
  readonly taken: readonly TakenField[];
}

/** An object that was repaired. */
export interface Repair {
  readonly ref: ObjectRef;
  readonly cause: RepairCause;
  /** uid of the object that was applied before. */
  readonly uid: string;
  readonly taken: readonly TakenField[];
}

/** The most objects that are read in one roll-out: for the others, the field managers are not determined. */
const MOST_READ = 20;

export interface DriftOptions {
  /** As they should be. */
  readonly objects: readonly KubeObject[];
  readonly observed: (ref: ObjectRef) => KubeObject | undefined;
  /** Whether all objects were applied before and have worked; if not, another Revision may have changed them last. */
  readonly isRolledOut: boolean;
  readonly signal: AbortSignal;
}

/**
 * The entries whose last apply was of the same manifest, but that differ now by the act of another. Sends one request for each
 * that exists.
 */
export async function observeDrift(
  cluster: Pick<Cluster, 'get'>,
  inventory: readonly InventoryEntry[],
  { objects, observed, isRolledOut, signal }: DriftOptions,
): Promise<readonly Drift[]> {
  const desired = new Map(objects.map((object) => [identityOf(refOf(object)), object]));
  const suspects = inventory.flatMap((entry) => {
    const object = desired.get(identityOf(entry));
    return object !== undefined && isSuspect(entry, object, observed(refOfEntry(entry))) ? [{ entry, object }] : [];
  });
  const drifts = await Promise.all(
    suspects.map(async ({ entry, object }, at): Promise<Drift[]> => {
      const known = observed(refOfEntry(entry));
      const isThere = known !== undefined && known.metadata.deletionTimestamp === undefined;
      // The request only finds out who changed it: if it fails, the object is repaired all the same.
      const read =
        isThere && at < MOST_READ ? await cluster.get(refOfEntry(entry), signal).catch(() => undefined) : undefined;
      const live = read ?? known;
      const taken = read === undefined ? [] : takenFields(object, read);
      // The manager has ended before another Revision could note that it changed the object.
      const isOwnAct = !isRolledOut && read?.metadata.uid === entry.uid && taken.length === 0;
      if (isOwnAct) return [];
      return [{ entry, state: live === undefined ? undefined : stateOf(live), taken }];
    }),
  );
  return drifts.flat();
}

/**
 * A state from before our own write, in a watch that lags, is no drift; nor is an object whose manifest has changed.
 * But a CRD that is not the applied one has lost its custom resources, whatever its manifest.
 */
function isSuspect(entry: InventoryEntry, object: KubeObject, live: KubeObject | undefined): boolean {
  if (entry.uid === '' || entry.seen === undefined) return false;
  if (entry.hash !== hashObject(object)) return isCrd(entry) && live?.metadata.uid !== entry.uid;
  return !isIntact(entry, live) && !isBehind(entry, live);
}

function isBehind({ uid, seen = '' }: InventoryEntry, live: KubeObject | undefined): boolean {
  if (live === undefined || live.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined) return false;
  const [state, applied] = [stateOf(live), seen].map((text) => text.split(' '));
  return state?.[0] === applied?.[0] && Number(state?.[1]) < Number(applied?.[1]);
}

/**
 * The repairs of an apply; an object that could not be repaired is in its failures, and one that needed nothing is no
 * repair.
 */
export function findRepairs(drifts: readonly Drift[], result: Pick<ApplyResult, 'phases'>): readonly Repair[] {
  if (drifts.length === 0) return [];
  const results = new Map(
    result.phases.flatMap(({ objects }) => objects.map((one) => [identityOf(one.ref), one] as const)),
  );
  return drifts.flatMap((drift): readonly Repair[] => {
    const cause = causeOf(drift, results.get(identityOf(drift.entry)));
    const { entry, taken } = drift;
    return cause === undefined ? [] : [{ ref: refOfEntry(entry), cause, uid: entry.uid, taken }];
  });
}

function causeOf({ entry, state }: Drift, result: ObjectResult | undefined): RepairCause | undefined {
  const applied = result?.entry;
  if (result === undefined || applied === undefined) return undefined;
  if (result.outcome === 'created') return 'Deleted';
  if (applied.uid !== entry.uid) return 'Replaced';
  return result.outcome === 'configured' && applied.seen !== (state ?? entry.seen) ? 'Changed' : undefined;
}

/** Whether all custom resources were lost with it: a CRD that was made again has none of the old ones. */
export function isLoss({ ref, cause }: Repair): boolean {
  return cause !== 'Changed' && isCrd(ref);
}
