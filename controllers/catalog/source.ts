/** What a Catalog's source can stand for, as far as its spec says it. Pure. */
import type { CatalogSpec } from '../../api/catalog.ts';
import { formatReference, parseReference, withDigest, type Reference } from '../../oci/reference.ts';

/** Whether the digest in a status can be of the source: of the same image and tag, or one over repositories. */
export function isOfSource({ image }: CatalogSpec['source'], digest: string): boolean {
  if (image === undefined || !isImageDigest(digest)) return image === undefined && !isImageDigest(digest);
  const reference = readReference(image.ref);
  const found = digest.slice(digest.indexOf('@') + 1);
  if (reference === undefined || (reference.digest ?? found) !== found) return false;
  return formatReference(withDigest(reference, found)) === digest;
}

/** Whether what a status names can be pulled by its digest; one over repositories names no image. */
export function isImageDigest(text: string): boolean {
  return text.includes('@');
}

/** Undefined for a text that is no reference: whoever asks the registry says so. */
function readReference(text: string): Reference | undefined {
  try {
    return parseReference(text);
  } catch {
    return undefined;
  }
}
