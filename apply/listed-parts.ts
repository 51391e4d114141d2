/**
 * The parts of listed objects that a caller reads, for `keep` of a list: other users may have made each object as large as the
 * API server takes it, and a list of whole ones that do not fit into memory is an error. Pure.
 */
import { keepIdentity, type KubeObject } from '../api/object.ts';

/** What names one very object, and the state of its removal. */
export function nameOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: keepIdentity(metadata) };
}

type Keyed = 'labels' | 'annotations';

/** The same with the owner references, and the labels and annotations that are read. */
export function ownedParts(
  object: KubeObject,
  { labels: isLabelRead = none, annotations: isAnnotationRead = none }: Partial<Record<Keyed, IsRead>> = {},
): KubeObject {
  const { ownerReferences } = object.metadata;
  const { metadata, ...named } = nameOnly(object);
  return {
    ...named,
    metadata: {
      ...metadata,
      ...someOf(object, 'labels', isLabelRead),
      ...someOf(object, 'annotations', isAnnotationRead),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
  };
}

/** The same as `nameOnly`, with the finalizers. */
export function finalizerParts(object: KubeObject): KubeObject {
  const { finalizers } = object.metadata;
  const { metadata, ...named } = nameOnly(object);
  return { ...named, metadata: { ...metadata, ...(finalizers !== undefined && { finalizers }) } };
}

type IsRead = (key: string) => boolean;

function none(): boolean {
  return false;
}

function someOf({ metadata }: KubeObject, field: Keyed, isRead: IsRead): Pick<KubeObject['metadata'], Keyed> {
  const found = Object.entries(metadata[field] ?? {}).filter(([key]) => isRead(key));
  return found.length === 0 ? {} : { [field]: Object.fromEntries(found) };
}
