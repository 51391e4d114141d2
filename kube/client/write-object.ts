/** Writes one object: creates, replaces, applies, patches or deletes it. */
import { readable } from '../../api/api-error.ts';
import { isConflict, isNotFound } from '../../api/api-answers.ts';
import type { ApplyOptions, CreateOptions, DeleteOptions } from '../../api/cluster.ts';
import { formatJson } from '../../api/json.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { METADATA, send, type ServerConnection } from './connection.ts';
import { parseDeleted, parseObject } from './parse-answer.ts';
import { isReplaced } from './read-object.ts';
import { collectionPath, objectPath, type Resource } from './resource-path.ts';

const APPLY_PATCH = 'application/apply-patch+yaml';
const MERGE_PATCH = 'application/merge-patch+json';

export function createObject(
  connection: ServerConnection,
  object: KubeObject,
  { dryRun, served }: CreateOptions,
  signal?: AbortSignal,
): Promise<KubeObject> {
  const query = { fieldManager: connection.fieldManager, dryRun: dryRun === true ? 'All' : undefined };
  const ref = servedRef(object, served);
  return write(connection, { verb: 'create', method: 'POST', ref, query, body: object, signal });
}

export function updateObject(
  connection: ServerConnection,
  object: KubeObject,
  { subresource }: { readonly subresource?: string },
  signal?: AbortSignal,
): Promise<KubeObject> {
  const query = { fieldManager: connection.fieldManager };
  return write(connection, {
    verb: 'update',
    method: 'PUT',
    ref: refOf(object),
    subresource,
    query,
    body: object,
    signal,
  });
}

export function applyObject(
  connection: ServerConnection,
  object: KubeObject,
  options: ApplyOptions,
  signal?: AbortSignal,
): Promise<KubeObject> {
  const { force = false, dryRun, fieldValidation, metadataOnly, fieldManager = connection.fieldManager } = options;
  const query = { fieldManager, force, dryRun: dryRun === true ? 'All' : undefined, fieldValidation };
  const headers = { 'content-type': APPLY_PATCH, ...(metadataOnly === true && { accept: METADATA }) };
  const ref = servedRef(object, options.served);
  return write(connection, { verb: 'apply', method: 'PATCH', ref, query, headers, body: object, signal });
}

export interface MergePatch {
  readonly ref: ObjectRef;
  readonly patch: Readonly<Record<string, unknown>>;
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export function patchObject(
  connection: ServerConnection,
  { ref, patch, subresource, dryRun }: MergePatch,
  signal?: AbortSignal,
): Promise<KubeObject> {
  const query = { fieldManager: connection.fieldManager, dryRun: dryRun === true ? 'All' : undefined };
  const headers = { 'content-type': MERGE_PATCH };
  return write(connection, { verb: 'patch', method: 'PATCH', ref, subresource, query, headers, body: patch, signal });
}

/** An aggregated API server may know the object as a whole alone. */
const METADATA_IF_KNOWN = `${METADATA}, application/json`;

/** Success if the object is gone already, or if another one has its name. Of an object that stays the metadata is returned. */
export async function deleteObject(
  connection: ServerConnection,
  ref: ObjectRef,
  options: DeleteOptions,
  signal?: AbortSignal,
): Promise<KubeObject | undefined> {
  const resource = await connection.discovery.find(ref, signal);
  if (resource === undefined) return undefined;
  const path = objectPath(resource, ref);
  const body = formatJson(deleteBody(options));
  const subject = `delete ${describeRef(ref)}`;
  try {
    const headers = { accept: METADATA_IF_KNOWN };
    const response = await send(connection, { method: 'DELETE', path, headers, body, subject, signal });
    return readable(subject, () => parseDeleted(response.text(), ref));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isConflict(error) && (await isReplaced(connection, ref, { uid: options.uid, signal }))) return undefined;
    throw error;
  }
}

interface WriteRequest extends Pick<ApiRequest, 'method' | 'query' | 'headers' | 'signal'> {
  readonly verb: string;
  readonly ref: ObjectRef;
  readonly subresource?: string | undefined;
  readonly body: unknown;
}

async function write(connection: ServerConnection, request: WriteRequest): Promise<KubeObject> {
  const { verb, ref, subresource, body, ...rest } = request;
  const resource = await connection.discovery.need(ref, rest.signal);
  const path = rest.method === 'POST' ? createPath(resource, ref) : objectPath(resource, ref, subresource);
  const subject = `${verb} ${describeRef(ref)}`;
  const response = await send(connection, { ...rest, path, subject, body: formatJson(body) });
  return readable(subject, () => parseObject(response.text(), ref));
}

function servedRef(object: KubeObject, served: ApplyOptions['served']): ObjectRef {
  return served === undefined ? refOf(object) : { ...refOf(object), served };
}

/** The path to create an object; validates name and namespace like any other path. */
function createPath(resource: Resource, ref: ObjectRef): string {
  objectPath(resource, ref);
  return collectionPath(resource, ref.namespace);
}

function deleteBody({ uid, resourceVersion, propagation = 'Background', dryRun = false }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: propagation,
    ...(dryRun && { dryRun: ['All'] }),
    ...((uid !== undefined || resourceVersion !== undefined) && { preconditions: { uid, resourceVersion } }),
  };
}
