/** Removes the fields that an API server and its clients set, from objects that were exported from a cluster. */
import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { publishedMetadata } from '../render/metadata.ts';

/** The object as its author wrote it, as far as that can be known. */
export function cleanObject(object: KubeObject): KubeObject {
  const { status: _, ...published } = object;
  return { ...published, metadata: withoutClients(publishedMetadata(object.metadata)) };
}

function withoutClients(metadata: ObjectMeta): ObjectMeta {
  const { annotations, ...others } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !OF_CLIENTS.has(key));
  if (kept.length === Object.keys(annotations ?? {}).length) return metadata;
  return kept.length === 0 ? others : { ...others, annotations: Object.fromEntries(kept) };
}

const OF_CLIENTS = new Set(['kubectl.kubernetes.io/last-applied-configuration', 'deployment.kubernetes.io/revision']);
