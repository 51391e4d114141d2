/**
 * Deletes leftovers: objects that the newer revision no longer has. The revision controller calls it once that revision
 * has been healthy for long enough. Only objects of the inventory are deleted, by uid, in the waves of an uninstall; a
 * CRD that still has custom resources stays unless the caller asks otherwise.
 */
import { isCrd } from '../api/crd-kind.ts';
import { describeRef, refOf, type ObjectRef } from '../api/object.ts';
import { explainFailure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import {
  countInstances,
  describeSamples,
  doubtAbout,
  listedIn,
  readCrd,
  type CountOptions,
} from './custom-resources.ts';
import { refOfEntry, type InventoryEntry } from './inventory.ts';
import { judgeOwnership } from './collision.ts';
import { inWaves } from './plan-uninstall.ts';
import type { Owner } from './prepare.ts';
import { removeObject, type Removal } from './remove.ts';
import { goingIn, retainReadable, type IsGoing } from './retain-readable.ts';
import { createSlots, inSlots, MOST_REQUESTS } from './slots.ts';
import type { Watched } from './watched.ts';

export interface PruneOptions {
  readonly owner: Owner;
  /** The only namespace whose custom resources, and owners of objects, messages name; absent: all are named. */
  readonly namedIn?: string | undefined;
  /** A watch's copy of an object, which saves the read. */
  readonly watched?: Pick<Watched, 'get'> | undefined;
  readonly signal: AbortSignal;
}

export interface PruneResult {
  readonly removals: readonly Removal[];
  /** Entries to keep in the inventory: still being deleted, failed, or kept CRDs. */
  readonly remaining: readonly InventoryEntry[];
}

/**
 * Deletes entries of an inventory, with one request for each and one more if it has to be read. Refusals are part of
 * the result; throws when aborted.
 */
export async function pruneObjects(
  cluster: Cluster,
  entries: readonly InventoryEntry[],
  options: PruneOptions,
): Promise<PruneResult> {
  const slots = createSlots(MOST_REQUESTS);
  const { owner, signal } = options;
  const [isListed, isGoing] = [listedIn(entries, owner), goingIn(entries)];
  const removals = new Map<InventoryEntry, Removal>();
  for (const group of inWaves(entries)) {
    await inSlots({ slots, signal }, group, async (entry) => {
      removals.set(entry, await pruneObject(cluster, entry, { ...options, isListed, isGoing }));
    });
  }
  const remaining = entries.filter((entry) => staysListed(removals.get(entry)));
  return { removals: [...removals.values()], remaining };
}

function staysListed(removal: Removal | undefined): boolean {
  return removal?.outcome === 'deleting' || removal?.outcome === 'failed' || removal?.outcome === 'kept';
}

interface PruneRun extends PruneOptions, Pick<CountOptions, 'isListed'> {
  readonly isGoing: IsGoing;
}

async function pruneObject(cluster: Cluster, entry: InventoryEntry, options: PruneRun): Promise<Removal> {
  if (isCrd(entry)) {
    const kept = await keepUsedCrd(cluster, entry, options);
    const isProven = kept?.outcome === 'kept' && entry.uid !== '';
    if (kept !== undefined) return isProven ? retain(cluster, kept, options) : kept;
  }
  return removeObject(cluster, entry, options);
}

/**
 * Makes the objects of a CRD that stays readable without the version that converted them. An account that lacks a right to
 * do so does not block the pruning.
 */
async function retain(cluster: Cluster, kept: Removal, options: PruneRun): Promise<Removal> {
  const { failure, message = failure?.message } = await retainReadable(cluster, kept.ref, options);
  if (failure?.reason === 'ApiUnavailable') return { ...kept, outcome: 'failed', failure };
  return message === undefined ? kept : { ...kept, message: `${kept.message}; ${message}` };
}

/**
 * Keeps a CRD that has custom resources, or whose custom resources cannot be listed; undefined if it may be deleted.
 */
export async function keepUsedCrd(
  cluster: Cluster,
  entry: InventoryEntry,
  { owner, watched, ...options }: CountOptions,
): Promise<Removal | undefined> {
  const ref = refOfEntry(entry);
  try {
    const crd = await readCrd(cluster, ref, { watched, signal: options.signal });
    if (crd === undefined || judgeOwnership(crd, owner, entry.uid).kind !== 'ours') return undefined;
    if (crd.metadata.deletionTimestamp !== undefined) return undefined;
    const found = await countInstances(cluster, crd, options);
    if (found.count === 0) return undefined;
    const doubt = doubtAbout(ref, found);
    if (doubt !== undefined) return { ref, outcome: 'failed', failure: doubt };
    const what =
      found.count === 'unknown'
        ? `its objects cannot be listed: ${found.message ?? ''}`
        : `it has objects: ${describeSamples(found)}`;
    return { ref: refOf(crd), outcome: 'kept', message: what };
  } catch (error) {
    return failedRemoval(ref, error);
  }
}

function failedRemoval(ref: ObjectRef, error: unknown): Removal {
  return { ref, outcome: 'failed', failure: explainFailure(error, describeRef(ref)) };
}
