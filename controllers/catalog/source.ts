/** Whether a digest can be the content of a Catalog's source, as far as the spec shows it. Pure. */
import type { CatalogSpec } from '../../api/catalog.ts';
import { formatReference, parseReference, withDigest, type Reference } from '../../oci/reference.ts';

/**
 * Whether the digest in a status can belong to the source: of the same image and tag, or a digest over repositories.
 */
export function isOfSource({ image }: CatalogSpec['source'], digest: string): boolean {
  if (image === undefined || !isImageDigest(digest)) return image === undefined && !isImageDigest(digest);
  const reference = readReference(image.ref);
  const found = digest.slice(digest.indexOf('@') + 1);
  if (reference === undefined || (reference.digest ?? found) !== found) return false;
  return formatReference(withDigest(reference, found)) === digest;
}

/** Whether the digest in a status can be pulled; a digest over repositories names no image. */
export function isImageDigest(text: string): boolean {
  return text.includes('@');
}

/** Undefined for a text that is no reference: the code that asks the registry reports it. */
function readReference(text: string): Reference | undefined {
  try {
    return parseReference(text);
  } catch {
    return undefined;
  }
}
