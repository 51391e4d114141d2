/** Reads one object. */
import { readable } from '../../api/api-error.ts';
import { isForbidden, isNotFound } from '../../api/api-answers.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { METADATA, send, type ServerConnection } from './connection.ts';
import { parseObject } from './parse-answer.ts';
import { objectPath } from './resource-path.ts';

export interface ReadOptions {
  /** The form of the answer; absent: the whole object. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The object, or undefined if the object or its kind does not exist. */
export async function readObject(
  connection: ServerConnection,
  ref: ObjectRef,
  { accept, signal }: ReadOptions = {},
): Promise<KubeObject | undefined> {
  const resource = await connection.discovery.find(ref, signal);
  if (resource === undefined) return undefined;
  const path = objectPath(resource, ref);
  const headers = accept === undefined ? {} : { accept };
  const subject = `read ${describeRef(ref)}`;
  try {
    const response = await send(connection, { method: 'GET', path, headers, subject, signal });
    return readable(subject, () => parseObject(response.text(), ref));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether another object has taken the name; false if the account may not read it. */
export async function isReplaced(
  connection: ServerConnection,
  ref: ObjectRef,
  { uid, signal }: { readonly uid: string | undefined; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  if (uid === undefined) return false;
  try {
    return (await readObject(connection, ref, { accept: METADATA, signal }))?.metadata.uid !== uid;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
