/**
 * `slipway mirror verify`: proves that nothing is missing. Every blob of every image is read and hashed, and the catalogs
 * and bundles are parsed again: each image that they name has to be there. Nothing is believed because the list says so.
 */
import { resolve } from 'node:path';
import { ReasonedError } from '../../../api/errors.ts';
import { textOf } from '../../../api/untyped.ts';
import { catalogFolder } from '../../../bundles/image-labels.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { BUNDLE_LIMITS, CATALOG_LIMITS, pullFiles } from '../../../oci/image.ts';
import { copyImage } from '../../../oci/copy.ts';
import { formatReference, type Reference } from '../../../oci/reference.ts';
import type { Registry } from '../../../oci/registry.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { Environment } from '../environment.ts';
import { BUNDLE_FOLDERS } from '../input/bundle.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { count } from '../../../report/count.ts';
import { readImage } from './collect.ts';
import { documentsOf } from './cut.ts';
import { folderSource } from './folder.ts';
import { imagesOfBundle } from './images.ts';
import { readList, type MirroredImage } from './list.ts';
import { mirroredName } from './names.ts';

export interface MirrorToVerify {
  readonly folder: string;
  /** Absent: the folder itself is checked. */
  readonly prefix: string | undefined;
}

/** Something that is missing. */
interface Missing {
  readonly image: string;
  readonly message: string;
}

/** @throws ReasonedError InputInvalid, and RegistryUnavailable, RegistryDenied and RegistryThrottled: then nothing is proved */
export async function verify(
  environment: Environment,
  { folder: named, prefix }: MirrorToVerify,
  flags: RegistryFlags & { readonly since?: readonly string[] },
): Promise<Outcome> {
  const folder = resolve(environment.folder, named);
  const images = await readList(folder);
  const since = (flags.since ?? []).map((one) => resolve(environment.folder, one));
  const missing =
    prefix === undefined
      ? await findMissing(
          { source: folderSource(folder, since), placeOf: sameName, signal: environment.signal },
          images,
        )
      : await withRegistry(environment, flags, (registry) =>
          findMissing(
            { source: registry, registry, placeOf: (name) => mirroredName(prefix, name), signal: environment.signal },
            images,
          ),
        );
  return outcomeOf(prefix ?? named, images, missing);
}

interface MirrorCopy {
  readonly source: ImageSource;
  /** Present for a mirror in a registry, whose lists of signatures are asked for, too. */
  readonly registry?: Registry;
  /** Where an image of a name is. */
  readonly placeOf: (name: string) => Pick<Reference, 'registry' | 'repository'>;
  readonly signal: AbortSignal;
}

function sameName(name: string): Pick<Reference, 'registry' | 'repository'> {
  return readImage(name) ?? { registry: '', repository: name };
}

async function findMissing(place: MirrorCopy, images: readonly MirroredImage[]): Promise<readonly Missing[]> {
  const missing: Missing[] = [];
  const named = new Set(images.flatMap(namesOf));
  for (const image of images) {
    const name = `${image.name}@${image.digest}`;
    const note = (message: string): void => void missing.push({ image: name, message });
    const isWhole = await tried(note, () => readWhole(place, image));
    const needed = isWhole ? await tried(note, () => imagesNamedBy(place, image)) : undefined;
    for (const other of needed ?? []) if (!named.has(other)) note(`${other}, which it names, is not in the mirror`);
  }
  return missing;
}

/** Faults of the content are findings; a registry that fails proves nothing. */
async function tried<Found>(note: (message: string) => void, work: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ReasonedError) || !OF_CONTENT.has(error.reason)) throw error;
    note(error.message);
    return undefined;
  }
}

const OF_CONTENT: ReadonlySet<string> = new Set([
  'ImageNotFound',
  'ImageInvalid',
  'ImageTooLarge',
  'DigestMismatch',
  'BundleInvalid',
  'CatalogInvalid',
]);

/** Reads and hashes every blob, as the copy into nowhere does. */
async function readWhole({ source, registry, placeOf, signal }: MirrorCopy, image: MirroredImage): Promise<true> {
  const place = placeOf(image.name);
  for (const digest of new Set([image.digest, ...Object.values(image.tags), ...image.referrers]))
    await copyImage(source, { ...place, digest }, NOWHERE, signal);
  if (registry === undefined) return true;
  for (const [tag, digest] of Object.entries(image.tags)) {
    const found = await registry.resolve({ ...place, tag }, signal);
    if (found.digest !== digest) throw fault(`the tag ${tag} is of ${found.digest}, and was of ${digest}`);
  }
  const listed = new Set(
    (await registry.referrers({ ...place, digest: image.digest }, { signal })).map(({ digest }) => digest),
  );
  const unlisted = image.referrers.filter((digest) => !listed.has(digest));
  if (unlisted.length > 0) throw fault(`the registry does not list ${unlisted.join(', ')} as its referrers`);
  return true;
}

const NOWHERE = {
  async putBlob({ open }: { readonly open: () => AsyncIterable<Uint8Array> }): Promise<void> {
    for await (const _ of open());
  },
  putManifest: async (): Promise<void> => undefined,
};

function fault(message: string): ReasonedError {
  return new ReasonedError({ reason: 'ImageInvalid', retry: 'never', message });
}

/** The images that the content of an image names, as `name@digest` or `name:tag`. */
async function imagesNamedBy(place: MirrorCopy, image: MirroredImage): Promise<readonly string[]> {
  const reference = { ...place.placeOf(image.name), digest: image.digest };
  const texts =
    image.role === 'Catalog'
      ? await bundlesIn(place, reference)
      : image.role === 'Bundle'
        ? await imagesIn(place, reference)
        : [];
  return texts.flatMap((text) => {
    const found = readImage(text);
    if (found === undefined) return [];
    const { registry, repository, tag, digest } = found;
    return [
      formatReference(
        digest === undefined
          ? { registry, repository, ...(tag !== undefined && { tag }) }
          : { registry, repository, digest },
      ),
    ];
  });
}

async function bundlesIn({ source, signal }: MirrorCopy, reference: Reference): Promise<readonly string[]> {
  const { files } = await pullFiles(source, reference, {
    folders: (labels) => [catalogFolder(labels)],
    limits: CATALOG_LIMITS,
    signal,
  });
  return [...documentsOf(files)].flatMap(({ value }) =>
    value['schema'] === 'olm.bundle' ? [textOf(value['image'])] : [],
  );
}

async function imagesIn({ source, signal }: MirrorCopy, reference: Reference): Promise<readonly string[]> {
  const { files } = await pullFiles(source, reference, { folders: BUNDLE_FOLDERS, limits: BUNDLE_LIMITS, signal });
  return imagesOfBundle(parseBundle(files), []);
}

function namesOf({ name, digest, tags }: MirroredImage): readonly string[] {
  const byTag = Object.entries(tags).flatMap(([tag, of]) => (of === digest ? [`${name}:${tag}`] : []));
  return [`${name}@${digest}`, ...byTag];
}

function outcomeOf(place: string, images: readonly MirroredImage[], missing: readonly Missing[]): Outcome {
  const lines = missing.map(({ image, message }) => `missing: ${cleanLine(image)}: ${cleanLine(message)}`);
  const summary = `${missing.length} missing of ${count(images.length, 'image')} in ${place}`;
  return {
    data: { place, images: images.length, missing },
    text: [...lines, summary].map((line) => `${line}\n`).join(''),
    ...(missing.length > 0 && { exitCode: 2 }),
  };
}
