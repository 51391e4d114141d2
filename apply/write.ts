/**
 * Writes one object so that a race shows as a conflict: a creation never overwrites an object that appeared meanwhile,
 * and a change applies only to the object that was read.
 */
import { isCrd } from '../api/crd-kind.ts';
import { FIELD_MANAGER } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { isUnmergeable } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { dropConversion, isConverted, withConversion } from './crd-conversion.ts';
import { releaseFormerFields } from './former-fields.ts';
import { unheld } from './held-back.ts';
import { keepLiveOrder } from './live-order.ts';

export interface WriteOptions {
  readonly dryRun?: boolean;
  /** Whether an object that cannot be merged is an error; false by default. */
  readonly mustMerge?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Creates by server-side apply, so that we own every field and can remove it later. The resourceVersion causes a
 * conflict if the object exists: no object ever has version 1, which is that of the empty store.
 *
 * An object that cannot be merged is created plainly, as its publisher tested it.
 *
 * Errors: as the client throws them; see isConflictOrReplaced and isAlreadyExists for an object that exists.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export async function createObject(cluster: Cluster, object: KubeObject, options: WriteOptions): Promise<KubeObject> {
  const { dryRun = false, mustMerge = false, signal } = options;
  const { metadata } = object;
  try {
    return await cluster.apply(
      { ...object, metadata: { ...metadata, resourceVersion: '1' } },
      { force: true, dryRun, ...(!dryRun && answerOf(object)) },
      signal,
    );
  } catch (error) {
    if (mustMerge || !isUnmergeable(error)) throw error;
    return cluster.create(object, { dryRun }, signal);
  }
}

/**
 * Applies to the version of the object that was read; a conflict if it was replaced or changed since. So a write that
 * arrives late restores no old content: its object has been written since. See decision 24.
 */
export async function changeObject(
  cluster: Cluster,
  manifest: KubeObject,
  live: KubeObject,
  { isNewManifest = false, isTakenOver = false, mustMerge = false, signal }: ChangeOptions,
): Promise<KubeObject> {
  const object = isTakenOver && isConverted(live) ? withConversion(manifest) : manifest;
  const owned = await takeOverFields(cluster, live, signal);
  const own = await dropConversion(cluster, object, owned, { isTakenOver, signal });
  const ordered = await keepLiveOrder(cluster, object, own, signal);
  const seen = isNewManifest ? await releaseFormerFields(cluster, ordered, own, signal) : own;
  // With the fields of a former manager their order goes too.
  const wanted = seen === own ? ordered : object;
  try {
    return await cluster.apply(withVersion(wanted, seen), { force: true, ...answerOf(wanted) }, signal);
  } catch (error) {
    if (mustMerge || !isUnmergeable(error)) throw error;
    return cluster.patch(refOf(wanted), replacementOf(wanted, seen), undefined, signal);
  }
}

export interface ChangeOptions extends Pick<WriteOptions, 'mustMerge' | 'signal'> {
  /** Whether another manifest of the object was applied before; false for one that is taken over, or repaired. */
  readonly isNewManifest?: boolean;
  /** Whether the inventory lacks the object, so that another program may have made it. */
  readonly isTakenOver?: boolean;
}

/** CRDs are the largest objects, and their result shows later in their conditions. */
function answerOf(object: KubeObject): { readonly metadataOnly?: true } {
  return isCrd(object) ? { metadataOnly: true } : {};
}

/** The object to apply, bound to the uid of the live object. */
export function withUid(object: KubeObject, live: KubeObject): KubeObject {
  const { uid } = live.metadata;
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}

/** The object to apply, bound to the version of the live object. */
export function withVersion(object: KubeObject, live: KubeObject): KubeObject {
  const { resourceVersion } = live.metadata;
  const bound = withUid(object, live);
  return resourceVersion === undefined ? bound : { ...bound, metadata: { ...bound.metadata, resourceVersion } };
}

/** A merge patch that replaces the fields that the object sets, bound to the version that was read. */
function replacementOf(
  object: KubeObject,
  { metadata: { uid, resourceVersion } }: KubeObject,
): Record<string, unknown> {
  const { labels, annotations } = object.metadata;
  const { apiVersion: _apiVersion, kind: _kind, spec, ...content } = object;
  const held = unheld(object);
  return {
    ...content,
    ...(spec !== undefined && { spec: { ...held.spec, ...spec } }),
    metadata: { uid, resourceVersion, labels, annotations: { ...held.annotations, ...annotations } },
  };
}

interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
}

/**
 * Fields of a plain create belong to our manager's `Update`, and a later apply would never remove them. So they are
 * handed to our `Apply`, once. Returns the object after that.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply
 */
export async function takeOverFields(cluster: Cluster, live: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { managedFields, resourceVersion } = live.metadata as {
    managedFields?: ManagedFieldsEntry[];
    resourceVersion?: string;
  };
  if (managedFields === undefined || !managedFields.some(isOurUpdate) || managedFields.some(isOurApply)) return live;
  const changed = [
    ...managedFields.filter((fields) => !isOurUpdate(fields)),
    { ...managedFields.find(isOurUpdate), operation: 'Apply' },
  ];
  return cluster.patch(refOf(live), { metadata: { managedFields: changed, resourceVersion } }, undefined, signal);
}

/** Whether some of its fields came from a plain create of ours. */
export function isMadePlainly({ metadata }: KubeObject): boolean {
  return (metadata as { managedFields?: ManagedFieldsEntry[] }).managedFields?.some(isOurUpdate) === true;
}

/** Longest time between the moment when the API server notes the writer of an object and the one when the object is made. */
const CREATION_MS = 60_000;

/**
 * Whether the manager made it. A copy made by another program has our annotations but not our field manager; an object
 * restored from a backup has our field manager with an earlier time.
 */
export function isMadeByUs({ metadata }: KubeObject): boolean {
  const { managedFields = [], creationTimestamp = '' } = metadata as KubeObject['metadata'] & {
    managedFields?: ManagedFieldsEntry[];
  };
  const isAtCreation = ({ time = '' }: ManagedFieldsEntry): boolean =>
    !(Math.abs(Date.parse(time) - Date.parse(creationTimestamp)) > CREATION_MS);
  return managedFields.some((fields) => (isOurApply(fields) || isOurUpdate(fields)) && isAtCreation(fields));
}

function isOurUpdate({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === 'Update' && (subresource ?? '') === '';
}

function isOurApply({ manager, operation }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply';
}
