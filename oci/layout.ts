/**
 * The OCI image layout: images in a folder, for moving them by disk and for `bundle build`. Reads with the same
 * checks as from a registry; writes so that a crash leaves no half a blob.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { BuiltImage, BuiltIndex } from './build.ts';
import { algorithmOf, hashFor, hexOf, isDigest, matchesDigest } from './digest.ts';
import { imageInvalid, imageTooLarge, mismatch } from './errors.ts';
import { type Descriptor, type ImageIndex, MEDIA_TYPE, parseManifest } from './manifest.ts';
import { blobOf } from './blob.ts';
import { lockIndex, type IndexLock } from './layout-lock.ts';
import type { Reference } from './reference.ts';
import type { ImageSource } from './source.ts';

const REF_NAME = 'org.opencontainers.image.ref.name';
const MAX_INDEX_BYTES = 4 << 20;

/** A layout as a source for pullFiles and copyImage: tags are names of `index.json`, registry and repository are ignored. */
export function layoutSource(folder: string): ImageSource {
  return {
    async pullManifest(reference) {
      const entry =
        reference.digest === undefined ? await findName(folder, reference) : await findDigest(folder, reference.digest);
      const bytes = await readVerified(folder, entry.digest);
      const manifest = parseManifest(bytes, entry.mediaType ?? sniffType(bytes), {
        what: `${entry.digest} in ${folder}`,
        byDigest: true,
      });
      return { bytes, digest: entry.digest, mediaType: manifest.mediaType ?? '', manifest };
    },
    pullBlob: (_reference, descriptor) => readBlob(folder, descriptor),
  };
}

/** Writes a built image or index into a layout. Returns its digest. */
export async function writeLayout(folder: string, built: BuiltImage | BuiltIndex, name?: string): Promise<string> {
  const images = 'index' in built ? built.images : [built];
  const top = 'index' in built ? built.index : built.manifest;
  await mark(folder);
  const contents = images.flatMap(({ config, layers, manifest }) => [config, layers, manifest].flat());
  for (const { bytes, descriptor } of [...contents, top])
    await writeBlob(folder, descriptor.digest, blobOf(bytes).open());
  await addToIndex(folder, top.descriptor, name);
  return top.descriptor.digest;
}

function pathOf(folder: string, digest: string): string {
  if (!isDigest(digest)) throw new Error('not a digest');
  return join(folder, 'blobs', algorithmOf(digest), hexOf(digest));
}

interface NamedContent {
  readonly digest: string;
  readonly mediaType?: string;
}

async function findName(folder: string, { tag }: Reference): Promise<NamedContent> {
  const entries = (await readIndex(folder)).manifests;
  const entry =
    entries.find(({ annotations }) => annotations?.[REF_NAME] === tag) ??
    (entries.length === 1 ? entries[0] : undefined);
  if (entry !== undefined) return entry;
  throw imageInvalid(`the layout ${folder} has no image named ${JSON.stringify(tag)}`, true);
}

async function findDigest(folder: string, digest: string): Promise<NamedContent> {
  // Content by digest needs no index: a folder that is being filled has none yet.
  const entry = (await knownIn(folder)).find((candidate) => candidate.digest === digest);
  return entry ?? { digest };
}

/** The entries of the index; none if there is no index yet. */
async function knownIn(folder: string): Promise<ImageIndex['manifests']> {
  const found = await stat(join(folder, 'index.json')).catch(() => undefined);
  return found === undefined ? [] : (await readIndex(folder)).manifests;
}

/** A nested manifest is stored without its media type: its own field states the type, else its shape. */
function sniffType(bytes: Buffer): string {
  const document = JSON.parse(bytes.toString('utf8')) as { mediaType?: unknown; manifests?: unknown } | null;
  if (typeof document?.mediaType === 'string') return document.mediaType;
  return document?.manifests === undefined ? MEDIA_TYPE.ociManifest : MEDIA_TYPE.ociIndex;
}

async function readIndex(folder: string): Promise<ImageIndex> {
  const path = join(folder, 'index.json');
  const origin = { what: `the index of the layout ${folder}`, byDigest: true };
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) throw imageInvalid(`${folder} is not an OCI image layout: it has no index.json`, true);
  if (info.size > MAX_INDEX_BYTES) throw imageTooLarge(`${origin.what} is larger than ${MAX_INDEX_BYTES} bytes`, true);
  const index = parseManifest(await readFile(path), MEDIA_TYPE.ociIndex, origin);
  if (index.kind === 'index') return index;
  throw imageInvalid(`${origin.what} is no index`, true);
}

async function readVerified(folder: string, digest: string): Promise<Buffer> {
  const path = pathOf(folder, digest);
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) throw imageInvalid(`the layout ${folder} lacks ${digest}`, true);
  if (info.size > MAX_INDEX_BYTES)
    throw imageTooLarge(`${digest} in ${folder} is larger than ${MAX_INDEX_BYTES} bytes`, true);
  const bytes = await readFile(path);
  if (!matchesDigest(bytes, digest)) throw mismatch(`${digest} in ${folder} does not have its digest`);
  return bytes;
}

async function* readBlob(
  folder: string,
  { digest, size }: Pick<Descriptor, 'digest' | 'size'>,
): AsyncGenerator<Uint8Array> {
  const path = pathOf(folder, digest);
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) throw imageInvalid(`the layout ${folder} lacks ${digest}`, true);
  if (info.size !== size) throw mismatch(`${digest} in ${folder} is not ${size} bytes long`);
  const hash = hashFor(digest);
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== hexOf(digest)) throw mismatch(`${digest} in ${folder} does not have its digest`);
}

/** Whether the layout has a blob of that size; only whole blobs are ever put under their name. */
export async function hasLayoutBlob(folder: string, digest: string, size: number): Promise<boolean> {
  return (await stat(pathOf(folder, digest)).catch(() => undefined))?.size === size;
}

/** Writes verified content into a layout, whose index does not name it yet. Creates the folder if necessary. */
export async function writeLayoutBlob(
  folder: string,
  digest: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  await writeBlob(folder, digest, content);
}

async function writeBlob(folder: string, digest: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const path = pathOf(folder, digest);
  await mkdir(join(folder, 'blobs', algorithmOf(digest)), { recursive: true });
  const partial = `${path}.${randomUUID()}`;
  try {
    const file = await open(partial, 'wx');
    try {
      for await (const chunk of content) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

/** The content of the file `oci-layout`, which makes a folder a layout. @see image-layout.md of the OCI image specification */
export const LAYOUT_MARK = '{"imageLayoutVersion":"1.0.0"}';

/** Before all else, so that another program that writes into the folder at the same time sees a layout. */
async function mark(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'oci-layout'), LAYOUT_MARK);
}

/** Adds the image, in the place of one that had its name; begins again if another process has broken the lock meanwhile. */
async function addToIndex(folder: string, descriptor: Descriptor, name: string | undefined): Promise<void> {
  const lock = await lockIndex(folder);
  try {
    if (await rewriteIndex(folder, { descriptor, name, lock })) return;
  } finally {
    await lock.release();
  }
  return addToIndex(folder, descriptor, name);
}

interface IndexChange {
  readonly descriptor: Descriptor;
  readonly name: string | undefined;
  readonly lock: IndexLock;
}

/** False, and nothing is changed, if the lock was lost. */
async function rewriteIndex(folder: string, { descriptor, name, lock }: IndexChange): Promise<boolean> {
  const known = await knownIn(folder);
  const kept = known.filter(({ digest, annotations }) =>
    name === undefined ? digest !== descriptor.digest : annotations?.[REF_NAME] !== name,
  );
  const entry =
    name === undefined ? descriptor : { ...descriptor, annotations: { ...descriptor.annotations, [REF_NAME]: name } };
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, manifests: [...kept, entry] };
  const partial = join(folder, `index.json.${randomUUID()}`);
  try {
    await writeFile(partial, JSON.stringify(index));
    const isHeld = await lock.isHeld();
    if (isHeld) await rename(partial, join(folder, 'index.json'));
    return isHeld;
  } finally {
    await rm(partial, { force: true });
  }
}
