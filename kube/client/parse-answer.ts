/**
 * Parses answers of the API server. Pure. Strict about the outer shape: an answer that is no list must never pass for
 * an empty one.
 */
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { parseBody } from './json-body.ts';

type Kind = Pick<ObjectRef, 'apiVersion' | 'kind'>;

/** One page of a list, or all of it. */
export interface ObjectList {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
  /** Token of the next page; absent on the last. */
  readonly continue?: string;
}

/** One object; throws if the text is none. */
export function parseObject(text: string, kind: Kind): KubeObject {
  const body = recordOf(parseBody(text));
  recordOf(body['metadata']);
  return stamp(body as KubeObject, kind);
}

/** A list; throws if the text is none. Adds the kind to each item, which lists leave out. */
export function parseList(text: string, kind: Kind): ObjectList {
  const body = recordOf(parseBody(text));
  const { kind: listKind, items } = body;
  const { resourceVersion, continue: next } = recordOf(body['metadata']);
  if (typeof listKind !== 'string' || !listKind.endsWith('List')) throw new TypeError('no list');
  if (!Array.isArray(items) && items !== null) throw new TypeError('a list without items');
  return {
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    items: ((items ?? []) as KubeObject[]).map((item) => stamp(item, kind)),
    ...(typeof next === 'string' && next !== '' && { continue: next }),
  };
}

/** The object that a deletion leaves for now; undefined for a Status, which means that it is gone. */
export function parseDeleted(text: string, kind: Kind): KubeObject | undefined {
  if (recordOf(parseBody(text))['kind'] === 'Status') return undefined;
  const object = parseObject(text, kind);
  return object.metadata.deletionTimestamp === undefined ? undefined : object;
}

/** The object with the requested kind: lists omit it, and metadata comes as PartialObjectMetadata. */
export function stamp(object: KubeObject, { apiVersion, kind }: Kind): KubeObject {
  return object.kind === kind && object.apiVersion === apiVersion ? object : { ...object, apiVersion, kind };
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no object');
  return value as Record<string, unknown>;
}
