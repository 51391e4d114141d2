/**
 * Deletes one object, if it is ours. Shared by prune.ts and uninstall.ts. An object that cannot be read never counts as
 * gone.
 */
import { describeRef, groupKind, groupOf, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { isConflictOrReplaced, isForbidden } from '../api/api-answers.ts';
import { explainFailure, type Failure } from './api-failure.ts';
import type { Cluster, DeleteOptions } from '../api/cluster.ts';
import { judgeOwnership, type Ownership } from './collision.ts';
import { refOfEntry, type InventoryEntry } from './inventory.ts';
import { phaseOf } from './phases.ts';
import type { Owner } from './prepare.ts';
import type { Watched } from './watched.ts';

export type RemovalOutcome =
  /** The API server has deleted it just now. */
  | 'deleted'
  /** It did not exist. */
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
  readonly signal: AbortSignal;
}

/** How often the object may be replaced between reading and deleting. */
const MOST_ATTEMPTS = 3;

/**
 * Deletes an object of the inventory by its uid, in the version that was read: one that another owner has adopted
 * meanwhile stays. Refusals of the API server are part of the result.
 */
export async function removeObject(cluster: Cluster, entry: InventoryEntry, options: RemoveOptions): Promise<Removal> {
  const ref = refOfEntry(entry);
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        // A watch may lag behind: after a conflict the object is read.
        return await removeOnce(cluster, entry, attempt === 1 ? options : { ...options, watched: undefined });
      } catch (error) {
        if (!isConflictOrReplaced(error) || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    return { ref, outcome: 'failed', failure: explainFailure(error, describeRef(ref)) };
  }
}

async function removeOnce(cluster: Cluster, entry: InventoryEntry, options: RemoveOptions): Promise<Removal> {
  const { owner, propagation = 'Background', watched, unproven, signal } = options;
  const listed = refOfEntry(entry);
  const ref = await inServedVersion(cluster, listed, signal);
  if (ref === undefined) return judgeUnserved(cluster, listed, signal);
  const live = watched?.get(ref) ?? (await cluster.get(ref, signal));
  if (live === undefined) return { ref, outcome: 'gone' };
  const ownership = judgeOwnership(live, owner, entry.uid);
  if (ownership.kind !== 'ours') return { ref, outcome: 'foreign', message: describeForeign(ownership) };
  const how = { propagation, asSeen: true, signal };
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

/**
 * The object in a version that is served; undefined if there is none. A cluster that was upgraded no longer serves old
 * versions of built-in kinds, and has the same objects in the stable one.
 */
async function inServedVersion(cluster: Cluster, ref: ObjectRef, signal: AbortSignal): Promise<ObjectRef | undefined> {
  if ((await cluster.isNamespaced(ref, signal)) !== undefined) return ref;
  if (!isBuiltIn(ref)) return undefined;
  const group = groupOf(ref.apiVersion);
  const stable = { ...ref, apiVersion: group === '' ? 'v1' : `${group}/v1` };
  return (await cluster.isNamespaced(stable, signal)) === undefined ? undefined : stable;
}

/** Decides whether a kind that is not served is gone with its CRD, or only unavailable at the moment. */
async function judgeUnserved(cluster: Cluster, ref: ObjectRef, signal: AbortSignal): Promise<Removal> {
  const provider = isBuiltIn(ref) ? 'the API server' : await findProvider(cluster, ref, signal);
  if (provider === undefined) return { ref, outcome: 'gone' };
  return {
    ref,
    outcome: 'failed',
    failure: {
      reason: 'ApiUnavailable',
      retry: 'backoff',
      message: `${describeRef(ref)}: ${groupKind(ref)} is not served at the moment, although ${provider} provides it`,
      hint: 'It is removed once its kind is served again',
    },
  };
}

/**
 * Whether a kind is in a group that the API server itself serves; other groups with this suffix are CRDs and aggregated
 * APIs. For built-in groups the API server's answer that a kind does not exist is final, and nothing was ever applied
 * in an invalid version.
 */
function isBuiltIn(ref: ObjectRef): boolean {
  if (!/^(v1|[^/]+\/v\d+((alpha|beta)\d+)?)$/.test(ref.apiVersion)) return false;
  const group = groupOf(ref.apiVersion);
  if (phaseOf(ref) === 'customResources') return false;
  return (
    !group.includes('.') ||
    /^(admissionregistration|apiextensions|apiregistration|networking|rbac\.authorization|scheduling|storage)\.k8s\.io$/.test(
      group,
    )
  );
}

/** The name of the CRD or aggregated API that serves a kind; undefined if there is none. */
async function findProvider(cluster: Cluster, ref: ObjectRef, signal: AbortSignal): Promise<string | undefined> {
  const group = groupOf(ref.apiVersion);
  const crds = await cluster.list(CRD_KIND, undefined, signal);
  const crd = crds.find((candidate) => {
    const spec = candidate['spec'] as { group?: string; names?: { kind?: string } } | undefined;
    return spec?.group === group && spec.names?.kind === ref.kind;
  });
  if (crd !== undefined) return `the CRD ${crd.metadata.name}`;
  const services = await cluster.list(API_SERVICE_KIND, undefined, signal);
  const service = services.find((candidate) => {
    const spec = candidate['spec'] as { group?: string; service?: unknown } | undefined;
    return spec?.group === group && spec.service !== undefined && spec.service !== null;
  });
  return service === undefined ? undefined : `the APIService ${service.metadata.name}`;
}

export const CRD_KIND = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const API_SERVICE_KIND = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' } as const;
