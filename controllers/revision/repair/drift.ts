/**
 * What others did to the objects of a Revision since they were applied, and what became of each: put right, made again, or
 * taken up again. A look at the cluster goes before an apply, as nothing of it is left afterwards.
 */
import type { ApplyResult, ObjectResult } from '../../../apply/apply.ts';
import type { Cluster } from '../../../apply/cluster.ts';
import { isCrdEntry } from '../../../apply/custom-resources.ts';
import { identityOf } from '../../../apply/identity.ts';
import { isIntact, refOfEntry, stateOf, type InventoryEntry } from '../../../apply/inventory.ts';
import { hashObject } from '../../../apply/prepare.ts';
import { takenFields, type TakenField } from '../../../apply/taken-fields.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';

/** What was done to an object: its fields were changed, it was deleted, or it was deleted and made by someone else. */
export type RepairCause = 'Changed' | 'Deleted' | 'Replaced';

/** An object that is not as it was applied. */
export interface Drift {
  readonly entry: InventoryEntry;
  /** State of the object before the apply, if it was there. */
  readonly state: string | undefined;
  /** Fields that others have taken, as far as the API server remembers. */
  readonly taken: readonly TakenField[];
}

/** An object that was put right. */
export interface Repair {
  readonly ref: ObjectRef;
  readonly cause: RepairCause;
  /** uid of the object that was applied before. */
  readonly uid: string;
  readonly taken: readonly TakenField[];
}

/** Objects that are looked at in one go: of more, who changed what is not asked. */
const MOST_READ = 20;

export interface DriftOptions {
  /** As they are to be. */
  readonly objects: readonly KubeObject[];
  readonly observed: (ref: ObjectRef) => KubeObject | undefined;
  readonly signal: AbortSignal;
}

/** The entries that were applied exactly as they are to be, and are not so now. One request for each that is there. */
export async function observeDrift(
  cluster: Pick<Cluster, 'get'>,
  inventory: readonly InventoryEntry[],
  { objects, observed, signal }: DriftOptions,
): Promise<readonly Drift[]> {
  const desired = new Map(objects.map((object) => [identityOf(refOf(object)), object]));
  const suspects = inventory.flatMap((entry) => {
    const object = desired.get(identityOf(entry));
    return object !== undefined && isSuspect(entry, object, observed(refOfEntry(entry))) ? [{ entry, object }] : [];
  });
  return Promise.all(
    suspects.map(async ({ entry, object }, at) => {
      const known = observed(refOfEntry(entry));
      const isThere = known !== undefined && known.metadata.deletionTimestamp === undefined;
      // Who changed it is worth a request, and nothing more: it is put right all the same.
      const read =
        isThere && at < MOST_READ ? await cluster.get(refOfEntry(entry), signal).catch(() => undefined) : undefined;
      const live = read ?? known;
      return {
        entry,
        state: live === undefined ? undefined : stateOf(live),
        taken: read === undefined ? [] : takenFields(object, read),
      };
    }),
  );
}

/**
 * What a watch that lags behind our own write knows is no drift, nor is an object that we want otherwise by now; but a CRD
 * that is not the one that was applied has taken its custom resources with it, whatever is wanted of it.
 */
function isSuspect(entry: InventoryEntry, object: KubeObject, live: KubeObject | undefined): boolean {
  if (entry.uid === '' || entry.seen === undefined) return false;
  if (entry.hash !== hashObject(object)) return isCrdEntry(entry) && live?.metadata.uid !== entry.uid;
  return !isIntact(entry, live) && !isBehind(entry, live);
}

function isBehind({ uid, seen = '' }: InventoryEntry, live: KubeObject | undefined): boolean {
  if (live === undefined || live.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined) return false;
  const [state, applied] = [stateOf(live), seen].map((text) => text.split(' '));
  return state?.[0] === applied?.[0] && Number(state?.[1]) < Number(applied?.[1]);
}

/** What an apply put right of it; what it could not is in its failures, and what needed nothing is no repair. */
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

/** Whether all custom resources were lost with it: they are of one CRD, and another one of its name has none of them. */
export function isLoss({ ref }: Repair): boolean {
  return isCrdEntry(ref);
}
