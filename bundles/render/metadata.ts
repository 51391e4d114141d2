/** The metadata that a publisher may set; the rest belongs to the cluster that the object was exported from. */
import type { ObjectMeta } from '../../api/object.ts';

/** Name, namespace, labels and annotations; no uid, resourceVersion, owners, finalizers or times. */
export function publishedMetadata(metadata: ObjectMeta): ObjectMeta {
  return Object.fromEntries(
    Object.entries(metadata).filter(([field]) => PUBLISHED.has(field)),
  ) as unknown as ObjectMeta;
}

const PUBLISHED = new Set(['name', 'namespace', 'labels', 'annotations']);
