/**
 * Deletes one object, if it is ours. Shared by prune.ts and uninstall.ts. An object that cannot be read never counts as
 * gone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { isConflictOrReplaced, isForbidden } from '../api/api-answers.ts';
import { explainFailure, type Failure } from './api-failure.ts';
import type { Cluster, DeleteOptions } from '../api/cluster.ts';
import { isProven, judgeOwnership, type Ownership } from './collision.ts';
import { PAUSES_IN_MS } from './faster-writers.ts';
import { refOfEntry, type InventoryEntry } from './inventory.ts';
import type { Owner } from './prepare.ts';
import { findServed } from './unserved.ts';
import type { Watched } from './watched.ts';

export type RemovalOutcome =
  /** The API server has deleted it just now. */
  | 'deleted'
  /** It did not exist, or only one of another owner does that is not to be named. */
  | 'gone'
  /** Deletion has begun; finalizers or dependents hold it. */
  | 'deleting'
  /** It stays on purpose. */
  | 'kept'
  /** An object of that name exists and is not ours. */
  | 'foreign'
  /** Only its annotation says that it is ours, and the account may not delete it: it stays. */
  | 'refused'
  | 'failed';

export interface Removal {
  readonly ref: ObjectRef;
  /** Uid of the deleted object, if one was deleted. */
  readonly uid?: string;
  readonly outcome: RemovalOutcome;
  /** For deleting, kept, foreign and refused: why it still exists. */
  readonly message?: string;
  readonly failure?: Failure;
}

export interface RemoveOptions {
  readonly owner: Owner;
  readonly propagation?: DeleteOptions['propagation'];
  /** A watch's copy of an object: saves the read, and the deletion is bound to that version. */
  readonly watched?: Pick<Watched, 'get'> | undefined;
  /**
   * The client for objects that name us but whose uid is not in the inventory: only intended, or re-created. Absent:
   * the same client as for all others.
   */
  readonly unproven?: Cluster | undefined;
  /** The only namespace of which a message may name the owner of an object; absent: of all. */
  readonly namedIn?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Deletes an object of the inventory by its uid, in the version that was read: one that another owner has adopted
 * meanwhile stays. Refusals of the API server are part of the result.
 */
export async function removeObject(cluster: Cluster, entry: InventoryEntry, options: RemoveOptions): Promise<Removal> {
  const { signal } = options;
  const ref = refOfEntry(entry);
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        // A watch may lag behind: after a conflict the object is read.
        return await removeOnce(cluster, entry, attempt === 0 ? options : { ...options, watched: undefined });
      } catch (error) {
        const pause = PAUSES_IN_MS[attempt];
        if (!isConflictOrReplaced(error) || pause === undefined) throw error;
        await delay(pause, undefined, { signal });
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    return { ref, outcome: 'failed', failure: explainFailure(error, describeRef(ref)) };
  }
}

async function removeOnce(cluster: Cluster, entry: InventoryEntry, options: RemoveOptions): Promise<Removal> {
  const { owner, propagation = 'Background', watched, unproven, namedIn, signal } = options;
  const known = refOfEntry(entry);
  const found = await findServed(cluster, known, signal);
  if (found.kind === 'gone') return { ref: known, outcome: 'gone' };
  if (found.kind === 'failed') return { ref: known, outcome: 'failed', failure: found.failure };
  const { ref } = found;
  const live = watched?.get(ref) ?? (await cluster.get(ref, signal));
  if (live === undefined) return { ref, outcome: 'gone' };
  const ownership = judgeOwnership(live, owner, entry.uid);
  if (ownership.kind !== 'ours') {
    if (namedIn === undefined || namedIn === ref.namespace || ownership.kind === 'left')
      return { ref, outcome: 'foreign', message: describeForeign(ownership) };
    // That an object exists is not for tenants either, unless it was theirs.
    if (!isProven(live, entry.uid)) return { ref, outcome: 'gone' };
    return { ref, outcome: 'foreign', message: 'it belongs to another owner by now' };
  }
  const how = { propagation, asSeen: true, signal, ...(ref.served !== undefined && { served: ref.served }) };
  if (ownership.proven || unproven === undefined) return deleteSeen(cluster, live, how);
  return unlessRefused(ref, () => deleteSeen(unproven, live, how));
}

/** An object that is not certainly ours must not block a removal. */
async function unlessRefused(ref: ObjectRef, task: () => Promise<Removal>): Promise<Removal> {
  try {
    return await task();
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const { message } = explainFailure(error, describeRef(ref));
    return { ref, outcome: 'refused', message: `the inventory does not name it by its uid, and ${message}` };
  }
}

export interface DeleteSeenOptions extends Pick<RemoveOptions, 'propagation' | 'signal'>, Pick<ObjectRef, 'served'> {
  /** Binds the deletion to the version that was read, for objects that may have been kept or adopted meanwhile. */
  readonly asSeen?: boolean;
}

/** Deletes the object that was read, by uid, unless its deletion has begun already. Throws as the client does. */
export async function deleteSeen(
  cluster: Cluster,
  live: KubeObject,
  { propagation, served, asSeen = false, signal }: DeleteSeenOptions,
): Promise<Removal> {
  const { uid, resourceVersion, deletionTimestamp } = live.metadata;
  const ref = { ...refOf(live), ...(served !== undefined && { served }) };
  const seen = { ref, ...(uid !== undefined && { uid }) };
  if (deletionTimestamp !== undefined) return { ...seen, outcome: 'deleting', message: describeHolders(live) };
  const options = {
    ...(uid !== undefined && { uid }),
    ...(asSeen && resourceVersion !== undefined && { resourceVersion }),
    ...(propagation !== undefined && { propagation }),
  };
  const left = await cluster.delete(seen.ref, options, signal);
  if (left === undefined) return { ...seen, outcome: 'deleted' };
  return { ...seen, outcome: 'deleting', message: describeHolders(left) };
}

function describeForeign(ownership: Exclude<Ownership, { readonly kind: 'ours' }>): string {
  return `it belongs to ${ownership.kind === 'adopted' ? ownership.from : ownership.owner}`;
}

/** Why a deleted object still exists. */
export function describeHolders({ metadata }: KubeObject): string {
  const finalizers = metadata.finalizers ?? [];
  if (metadata.deletionTimestamp === undefined) return 'it is there';
  return finalizers.length === 0 ? 'it is being deleted' : `it is held by ${finalizers.join(', ')}`;
}
