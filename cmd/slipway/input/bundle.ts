/** Reads the files of a bundle from wherever it is: a folder, a folder with an image, a registry. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ReasonedError } from '../../../api/errors.ts';
import { refuseCatalogImage } from '../../../bundles/image-labels.ts';
import { BUNDLE_LIMITS, pullFiles, type ImageFacts } from '../../../oci/image.ts';
import { layoutSource } from '../../../oci/layout.ts';
import { formatReference, withDigest, type Reference } from '../../../oci/reference.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { Environment } from '../environment.ts';
import { readTree } from './files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { findPlace } from './place.ts';
import { withRegistry, type RegistryFlags } from './registry.ts';

/** The folders of a bundle that identify it. */
export const BUNDLE_FOLDERS = ['manifests', 'metadata'] as const;

export interface BundleInput {
  /** As it was named. */
  readonly source: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly image?: BundleImage;
}

export interface BundleImage extends Pick<ImageFacts, 'digest' | 'labels'> {
  /** By digest; absent for an image in a folder. */
  readonly reference?: string;
}

/** @throws ReasonedError InputInvalid, ReferenceInvalid, BundleInvalid for a catalog, and the errors of a registry */
export function readBundle(environment: Environment, source: string, flags: RegistryFlags): Promise<BundleInput> {
  return withRegistry(environment, flags, (registry) => readBundleFrom(registry, environment, source));
}

/** The same with a client that is open, for commands that read several bundles. */
export async function readBundleFrom(
  registry: ImageSource,
  environment: Environment,
  source: string,
): Promise<BundleInput> {
  const place = await findPlace(environment, source);
  switch (place.kind) {
    case 'file':
      throw invalidInput(`${source} is a file; a bundle is a folder or an image`);
    case 'folder':
      return { source, files: await readBundleFolder(place.path, BUNDLE_FOLDERS) };
    case 'layout':
      return { source, ...(await readImage(layoutSource(place.path), IN_LAYOUT, environment)) };
    case 'image': {
      const { reference } = place;
      const { files, image } = await readImage(registry, reference, environment);
      return { source, files, image: { ...image, reference: formatReference(withDigest(reference, image.digest)) } };
    }
  }
}

/** Files below some folders of a bundle's folder. @throws ReasonedError InputInvalid if it lacks the right ones */
export async function readBundleFolder(
  path: string,
  parts: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = await readTree(path, { parts, maxFiles: BUNDLE_LIMITS.files, maxBytes: BUNDLE_LIMITS.totalBytes });
  if (files.size === 0) throw noBundle(path, await bundlesNear(path));
  return files;
}

/** Folders of bundles that may have been meant: the one that this is a part of, or those inside of it. */
async function bundlesNear(path: string): Promise<readonly string[]> {
  const parent = dirname(path);
  if (BUNDLE_FOLDERS.some((part) => part === basename(path)) && (await isBundle(parent))) return [parent];
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  const found = await Promise.all(folders.slice(0, MAX_LOOKED_AT).map(isBundle));
  return folders.filter((_, index) => found[index] === true);
}

const MAX_LOOKED_AT = 1000;
const MAX_NAMED = 5;

async function isBundle(path: string): Promise<boolean> {
  const found = await Promise.all(BUNDLE_FOLDERS.map((part) => stat(join(path, part)).catch(() => undefined)));
  return found.every((part) => part?.isDirectory() === true);
}

function noBundle(path: string, near: readonly string[]): ReasonedError {
  const named = near.slice(0, MAX_NAMED).join(', ');
  const more = near.length > MAX_NAMED ? ` or ${near.length - MAX_NAMED} more` : '';
  return invalidInput(
    `${path} is no folder of a bundle: it has neither manifests/ nor metadata/ with files in it`,
    near.length === 0 ? 'Name the folder that holds manifests/ and metadata/' : `Name ${named}${more}`,
  );
}

/** A layout is asked for its only image; the name does not matter. */
const IN_LAYOUT: Reference = { registry: 'localhost', repository: 'layout', tag: 'latest' };

async function readImage(
  source: ImageSource,
  reference: Reference,
  { signal }: Environment,
): Promise<{ readonly files: ReadonlyMap<string, Uint8Array>; readonly image: Pick<ImageFacts, 'digest' | 'labels'> }> {
  const { files, digest, labels } = await pullFiles(source, reference, {
    folders: BUNDLE_FOLDERS,
    limits: BUNDLE_LIMITS,
    signal,
  });
  refuseCatalogImage(labels);
  return { files, image: { digest, labels } };
}
