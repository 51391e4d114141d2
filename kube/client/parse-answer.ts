/**
 * Parses answers of the API server. Pure. Strict about the outer shape: an answer that is no list must never pass for
 * an empty one.
 */
import { isRecord, type Fields } from '../../api/untyped.ts';
import type { Kind, KubeObject } from '../../api/object.ts';
import { parseBody } from './json-body.ts';

/** One page of a list, or all of it. */
export interface ObjectList {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
  /** Token of the next page; absent on the last. */
  readonly continue?: string;
  /** Length of the answer. */
  readonly bytes?: number;
  /** Size of the next page, if that of this one was too large. */
  readonly limit?: number;
}

/** One object; throws if the text is none. */
export function parseObject(text: string, kind: Kind): KubeObject {
  const body = requireRecord(parseBody(text));
  requireRecord(body['metadata']);
  return stamp(body as KubeObject, kind);
}

/** A list; throws if the text is none. Adds the kind to each item, which lists leave out. */
export function parseList(text: string, kind: Kind): ObjectList {
  const body = requireRecord(parseBody(text));
  const { kind: listKind, items } = body;
  const { resourceVersion, continue: next } = requireRecord(body['metadata']);
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
  if (requireRecord(parseBody(text))['kind'] === 'Status') return undefined;
  const object = parseObject(text, kind);
  return object.metadata.deletionTimestamp === undefined ? undefined : object;
}

/** The object with the requested kind: lists omit it, and metadata comes as PartialObjectMetadata. */
export function stamp(object: KubeObject, { apiVersion, kind }: Kind): KubeObject {
  return object.kind === kind && object.apiVersion === apiVersion ? object : { ...object, apiVersion, kind };
}

function requireRecord(value: unknown): Fields {
  if (!isRecord(value)) throw new TypeError('no object');
  return value;
}
