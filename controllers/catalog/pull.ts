/** Pulls the content of a catalog image: reference in, files of the catalog's folder out. */
import type { Catalog } from '../../api/catalog.ts';
import { formatTime } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import { catalogFolder, describeImage } from '../../bundles/image-labels.ts';
import type { NotOffered } from '../../catalog/index/left-out.ts';
import type { CatalogFiles } from '../../catalog/tree.ts';
import { CATALOG_LIMITS, pullTree, type ImageTree } from '../../oci/image.ts';
import { formatReference, parseReference, withDigest, type Reference } from '../../oci/reference.ts';
import type { Registry } from '../../oci/registry.ts';

export interface PulledCatalog {
  /** Image reference by digest. */
  readonly digest: string;
  readonly files: CatalogFiles;
  /** When the image was built, to the second, if it says so. */
  readonly created?: string;
  /** For an image that turns out to have no packages: the kind of image that its labels suggest. */
  readonly seemsToBe?: string;
  /** Tags of repositories that are versions and are not offered. */
  readonly notOffered?: NotOffered | undefined;
}

/** The current digest of the Catalog's reference, as a reference by digest. Throws the errors of a registry. */
export async function resolveCatalog(registry: Registry, reference: Reference, signal: AbortSignal): Promise<string> {
  const { digest } = await registry.resolve(reference, signal);
  return formatReference(withDigest(reference, digest));
}

/** The reference of a catalog image; throws InvalidSpec if the Catalog has none. */
export function catalogReference({ metadata, spec }: Catalog): Reference {
  const ref = spec.source.image?.ref;
  if (ref !== undefined) return parseReference(ref);
  throw new ReasonedError({
    reason: 'InvalidSpec',
    retry: 'never',
    message: `Catalog ${metadata.name} has no source`,
    hint: 'Set spec.source.image or spec.source.repositories',
  });
}

/** Opens the image; its files stream while they are read. Throws CatalogInvalid for the image of a bundle. */
export async function pullCatalog(registry: Registry, digest: string, signal: AbortSignal): Promise<PulledCatalog> {
  const tree = await pullTree(registry, parseReference(digest), {
    folders: (labels) => [catalogFolder(labels)],
    limits: CATALOG_LIMITS,
    signal,
  });
  const created = timeOfBuild(tree.created);
  const seemsToBe = describeImage(tree.labels);
  return { digest, files: catalogFiles(tree), seemsToBe, ...(created !== undefined && { created }) };
}

/** Images of reproducible builds carry the epoch, or a language's zero time: neither is a time of build. */
function timeOfBuild(created: string | undefined): string | undefined {
  const time = Date.parse(created ?? '');
  return time > 0 ? formatTime(new Date(time)) : undefined;
}

async function* catalogFiles(tree: ImageTree): AsyncGenerator<{ path: string; content: AsyncIterable<Uint8Array> }> {
  for await (const { path, chunks } of tree.files) yield { path, content: chunks };
}
