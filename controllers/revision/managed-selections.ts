/** The selections of watches over managed objects: which objects of a kind are followed, and which fields are kept. */
import { hasHealth } from '../../apply/health.ts';
import { ANNOTATION, LABEL } from '../../api/names.ts';
import type { Kind, KubeObject } from '../../api/object.ts';
import type { InformerRequest } from '../../kube/watch/informer-factory.ts';
import { keepMetadata } from './kept-parts.ts';

/**
 * Page size for kinds with a body: each object may be as large as the API server accepts, 1.5 MB, and is in memory
 * three times while it is read: as bytes, as text and as an object.
 */
const PAGE_SIZE = 10;

/** Reduces an object to the fields that are kept in memory. */
export type Keep = (object: KubeObject) => KubeObject;

/** Kept of no object, and often half of it. */
const UNREAD: readonly string[] = ['managedFields'];
/** Nearly all of a CRD. */
const SCHEMAS: readonly string[] = ['openAPIV3Schema'];

/** Follows the objects of ours, with a body if the kind can be unhealthy. */
export function oursOf(
  { apiVersion, kind, ...defined }: Kind,
  { ours, note }: Readonly<Record<'ours' | 'note', Keep>>,
): InformerRequest {
  const served = 'served' in defined ? { served: defined.served } : {};
  const selection = { apiVersion, kind, ...served, labelSelector: LABEL.owner, unread: UNREAD };
  if (!hasHealth({ apiVersion, kind })) return { ...selection, metadataOnly: true, transform: note };
  return { ...selection, pageSize: PAGE_SIZE, transform: ours, unread: [...UNREAD, ...SCHEMAS] };
}

/** Follows the names of all objects of a kind, and the metadata of ours. */
export function allOf({ apiVersion, kind }: Kind): InformerRequest {
  return { apiVersion, kind, metadataOnly: true, transform: keepOfAll, unread: UNREAD };
}

/** Keeps the identity of foreign objects; for a namespace also its labels, by which Catalogs select it, and its upgrade policy. */
function keepOfAll(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const isOurs = metadata.labels?.[LABEL.owner] !== undefined;
  const kept = isOurs ? keepMetadata(object).metadata : keepVersion(metadata);
  return { apiVersion, kind, metadata: { ...kept, ...(kind === 'Namespace' && keepOfNamespace(kept, metadata)) } };
}

function keepOfNamespace(
  kept: KubeObject['metadata'],
  { labels, annotations }: KubeObject['metadata'],
): Partial<KubeObject['metadata']> {
  const policy = annotations?.[ANNOTATION.upgradePolicy];
  return {
    ...(labels !== undefined && { labels }),
    ...(policy !== undefined && { annotations: { ...kept.annotations, [ANNOTATION.upgradePolicy]: policy } }),
  };
}

function keepVersion({ name, uid, resourceVersion }: KubeObject['metadata']): KubeObject['metadata'] {
  return { name, ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
}
