/**
 * What a deletion asks the API server to check first, so that one that arrives late deletes nothing that was not meant:
 * see decision 24.
 */
import type { DeleteOptions } from '../apply/cluster.ts';
import type { KubeObject } from '../api/object.ts';

/** The very object: for one whose deletion was ordered for good. */
export function uidOf({ metadata: { uid } }: KubeObject): Pick<DeleteOptions, 'uid'> {
  return uid === undefined ? {} : { uid };
}

/** The very object, and not written since it was seen: for one that may be needed again meanwhile. */
export function asSeen(object: KubeObject): Pick<DeleteOptions, 'uid' | 'resourceVersion'> {
  const { resourceVersion } = object.metadata;
  return { ...uidOf(object), ...(resourceVersion !== undefined && { resourceVersion }) };
}
