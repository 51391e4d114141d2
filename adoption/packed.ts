/** The content of a backup, as its Secret keeps it: compressed, and read as hostile. Pure. */
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ReasonedError } from '../api/errors.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../api/object.ts';
import { textOf } from '../api/untyped.ts';

/** The largest text of a backup; the objects of one operator have some hundred kilobytes. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The key of the list that a way back keeps beside the backup. */
export const WAY_BACK_KEY = 'way-back.json.gz';

export function pack(value: unknown): string {
  return gzipSync(JSON.stringify(value)).toString('base64');
}

/** The most characters of a packed backup. Decoded they are three quarters of the 1 MiB of a Secret, and the way back adds a list. */
const MOST_PACKED = 1_000_000;

/**
 * The content of a backup for its Secret.
 *
 * @param operator The object of OLM that a person names.
 * @param hint Which part of it can be removed.
 * @throws ReasonedError InputInvalid, not retried, if it exceeds the size of a Secret: nothing has been changed then
 */
export function packBackup(content: unknown, operator: ObjectRef, hint: string): string {
  const packed = pack(content);
  if (packed.length <= MOST_PACKED) return packed;
  const message = `the backup of ${describeRef(operator)} exceeds the size of a Secret`;
  throw new ReasonedError({ reason: 'InputInvalid', retry: 'never', message, hint });
}

/** Throws if it is not what `pack` made, or too large. */
export function unpack(value: unknown): unknown {
  const content = Buffer.from(textOf(value), 'base64');
  return JSON.parse(gunzipSync(content, { maxOutputLength: MOST_BYTES }).toString());
}

/** Undefined in place of an error. */
export function unpackOrNothing(value: unknown): unknown {
  try {
    return unpack(value);
  } catch {
    return undefined;
  }
}

/** Every field of an object that is read later; unknown fields are kept. */
export const StoredObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

/** The reference to an object. */
export const StoredRef = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
});

/** They are large, and nothing is restored from them. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata as KubeObject['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}
