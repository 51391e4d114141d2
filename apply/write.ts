/**
 * Writes one object so that a race shows as a conflict: what is to be made is never laid over something that
 * appeared meanwhile, and what is to be changed is changed only if it is the very object that was looked at.
 */
import { FIELD_MANAGER } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { isUnmergeable } from './api-failure.ts';
import type { Cluster } from './cluster.ts';
import { unheld } from './held-back.ts';

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Creates by server-side apply, so that every field is ours to take away again. The resourceVersion makes it a
 * conflict where the object exists: no object ever has the version 1, which is that of the empty store.
 *
 * An object that cannot be merged is created plainly, as its publisher tested it.
 *
 * Errors: as the client throws them; see isConflictOrReplaced and isAlreadyExists for an object that exists.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export async function createObject(
  cluster: Cluster,
  object: KubeObject,
  options: WriteOptions = {},
): Promise<KubeObject> {
  const { dryRun = false, signal } = options;
  const { metadata } = object;
  try {
    return await cluster.apply(
      { ...object, metadata: { ...metadata, resourceVersion: '1' } },
      { force: true, dryRun, ...(!dryRun && answerOf(object)) },
      signal,
    );
  } catch (error) {
    if (!isUnmergeable(error)) throw error;
    return cluster.create(object, { dryRun }, signal);
  }
}

/**
 * Applies to the very version of the object that was seen; a conflict if it is another by now, or was changed on the way.
 * So a write that arrives late puts no old content back: its object has been written since. See decision 24.
 */
export async function changeObject(
  cluster: Cluster,
  object: KubeObject,
  live: KubeObject,
  signal?: AbortSignal,
): Promise<KubeObject> {
  const seen = await takeOverFields(cluster, live, signal);
  try {
    return await cluster.apply(withVersion(object, seen), { force: true, ...answerOf(object) }, signal);
  } catch (error) {
    if (!isUnmergeable(error)) throw error;
    return cluster.patch(refOf(object), replacementOf(object, seen), undefined, signal);
  }
}

/** CRDs are the largest objects there are, and what becomes of them is told by their conditions, later. */
function answerOf({ kind }: KubeObject): { readonly metadataOnly?: true } {
  return kind === 'CustomResourceDefinition' ? { metadataOnly: true } : {};
}

/** The object to apply, bound to the very object that was seen. */
export function withUid(object: KubeObject, live: KubeObject): KubeObject {
  const { uid } = live.metadata;
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
}

/** The object to apply, bound to the very version of the object that was seen. */
export function withVersion(object: KubeObject, live: KubeObject): KubeObject {
  const { resourceVersion } = live.metadata;
  const bound = withUid(object, live);
  return resourceVersion === undefined ? bound : { ...bound, metadata: { ...bound.metadata, resourceVersion } };
}

/** A merge patch that replaces what the object names, on the very version of the object that was seen. */
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

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
}

/**
 * Fields that came by a plain create belong to our manager's `Update`, and a later apply would never take any of
 * them away. So they are handed to our `Apply`, once. Answers the object as it is then.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply
 */
export async function takeOverFields(cluster: Cluster, live: KubeObject, signal?: AbortSignal): Promise<KubeObject> {
  const { managedFields, resourceVersion } = live.metadata as {
    managedFields?: ManagedFields[];
    resourceVersion?: string;
  };
  if (managedFields === undefined || !managedFields.some(isOurUpdate) || managedFields.some(isOurApply)) return live;
  const changed = [
    ...managedFields.filter((fields) => !isOurUpdate(fields)),
    { ...managedFields.find(isOurUpdate), operation: 'Apply' },
  ];
  return cluster.patch(refOf(live), { metadata: { managedFields: changed, resourceVersion } }, undefined, signal);
}

/** Whether some of its fields came by a plain create of ours. */
export function isMadePlainly({ metadata }: KubeObject): boolean {
  return (metadata as { managedFields?: ManagedFields[] }).managedFields?.some(isOurUpdate) === true;
}

/** Longest time between the moment when the API server notes the writer of an object and the one when the object is made. */
const CREATION_MS = 60_000;

/**
 * Whether the manager has made it. A copy that another program makes carries our annotations and not our name; one that was
 * restored from a backup carries our name too, with the time of then.
 */
export function isMadeByUs({ metadata }: KubeObject): boolean {
  const { managedFields = [], creationTimestamp = '' } = metadata as KubeObject['metadata'] & {
    managedFields?: ManagedFields[];
  };
  const isAtCreation = ({ time = '' }: ManagedFields): boolean =>
    !(Math.abs(Date.parse(time) - Date.parse(creationTimestamp)) > CREATION_MS);
  return managedFields.some((fields) => (isOurApply(fields) || isOurUpdate(fields)) && isAtCreation(fields));
}

function isOurUpdate({ manager, operation, subresource }: ManagedFields): boolean {
  return manager === FIELD_MANAGER && operation === 'Update' && (subresource ?? '') === '';
}

function isOurApply({ manager, operation }: ManagedFields): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply';
}
