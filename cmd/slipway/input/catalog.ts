/** Reads the files of a catalog from wherever it is: a folder, one file, a folder with an image, a registry. */
import { basename } from 'node:path';
import { catalogFolder } from '../../../bundles/image-labels.ts';
import { DEFAULT_LIMITS } from '../../../catalog/limits.ts';
import { CATALOG_LIMITS, pullFiles } from '../../../oci/image.ts';
import { layoutSource } from '../../../oci/layout.ts';
import type { Reference } from '../../../oci/reference.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { Environment } from '../environment.ts';
import { readOneFile, readTree } from './files.ts';
import { findPlace } from './place.ts';
import { withRegistry, type RegistryFlags } from './registry.ts';

export interface CatalogInput {
  /** As it was named. */
  readonly source: string;
  /** By path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Of its image. */
  readonly digest?: string;
}

/** @throws ReasonedError InputInvalid, ReferenceInvalid, CatalogInvalid for a bundle, and the errors of a registry */
export async function readCatalog(
  environment: Environment,
  source: string,
  flags: RegistryFlags,
): Promise<CatalogInput> {
  const place = await findPlace(environment, source);
  switch (place.kind) {
    case 'file':
      return { source, files: new Map([[basename(place.path), await readOneFile(environment, place.path)]]) };
    case 'folder':
      return {
        source,
        files: await readTree(place.path, {
          maxFiles: DEFAULT_LIMITS.maxFiles,
          maxBytes: DEFAULT_LIMITS.maxTotalBytes,
        }),
      };
    case 'layout':
      return { source, ...(await readCatalogImage(layoutSource(place.path), IN_LAYOUT, environment)) };
    case 'image': {
      const { reference } = place;
      return {
        source,
        ...(await withRegistry(environment, flags, (registry) => readCatalogImage(registry, reference, environment))),
      };
    }
  }
}

/** A layout is asked for its only image; the name does not matter. */
const IN_LAYOUT: Reference = { registry: 'localhost', repository: 'layout', tag: 'latest' };

/** Reads the catalog in an image. @throws ReasonedError CatalogInvalid, and the errors of the source */
export async function readCatalogImage(
  source: ImageSource,
  reference: Reference,
  { signal }: Environment,
): Promise<Omit<CatalogInput, 'source'>> {
  const { files, digest } = await pullFiles(source, reference, {
    folders: (labels) => [catalogFolder(labels)],
    limits: CATALOG_LIMITS,
    signal,
  });
  return { files, digest };
}
