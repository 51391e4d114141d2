/**
 * The preconditions that the API server checks before a deletion, so that a deletion that arrives late deletes only the
 * intended object: see decision 24.
 */
import type { DeleteOptions } from '../api/cluster.ts';
import type { KubeObject } from '../api/object.ts';

/** The same object, by uid: if its deletion is final. */
export function uidOf({ metadata: { uid } }: KubeObject): Pick<DeleteOptions, 'uid'> {
  return uid === undefined ? {} : { uid };
}

/** The same object, unchanged since it was read: if it may be needed again in the meantime. */
export function asSeen(object: KubeObject): Pick<DeleteOptions, 'uid' | 'resourceVersion'> {
  const { resourceVersion } = object.metadata;
  return { ...uidOf(object), ...(resourceVersion !== undefined && { resourceVersion }) };
}
