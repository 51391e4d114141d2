/**
 * A bundle or catalog image: reference in, labels and the files of a few folders out. Layers are read from the topmost
 * down, so that each file can be passed on at once: once a path was seen or hidden, entries of lower layers for it no
 * longer count. Controllers call {@link pullFiles} for bundles and {@link pullTree} for catalogs; neither writes to a
 * disk.
 */
import { compareText } from '../api/compare-text.ts';
import { ReasonedError } from '../api/errors.ts';
import { type LayerEntry, noUsage, readLayer } from './archive.ts';
import { LATER } from './errors.ts';
import { type FolderSet, parseFolders } from './member-name.ts';
import {
  factsOf,
  findImage,
  type ImageFacts,
  type ImageLimits,
  type ImageOptions,
  limitsOf,
  openImage,
  type OpenImage,
  pullConfig,
} from './open-image.ts';
import { createOverlay } from './overlay.ts';
import type { Reference } from './reference.ts';
import type { ImageSource } from './source.ts';

export { BUNDLE_LIMITS, CATALOG_LIMITS, type ImageFacts, type ImageLimits, type ImageOptions } from './open-image.ts';

export interface ImageFiles extends ImageFacts {
  /** Path without leading slash → content, each in memory of its own: `manifests/app.clusterserviceversion.yaml`. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** One file of a tree; its chunks must be read before the next file is asked for, else they are skipped. */
export interface TreeFile {
  readonly path: string;
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface ImageTree extends ImageFacts {
  /** Each path once, topmost layer first. The files are verified only when the iteration ends without an error. */
  readonly files: AsyncIterable<TreeFile>;
}

/**
 * Pulls an image and collects the files of the folders in memory.
 *
 * @throws everything that a registry throws; ImageInvalid and ImageTooLarge, for a digest never retried
 */
export async function pullFiles(source: ImageSource, reference: Reference, options: ImageOptions): Promise<ImageFiles> {
  const { folders } = options;
  if (typeof folders !== 'function') return pullTogether(source, reference, { ...options, folders });
  const tree = await pullTree(source, reference, options);
  return { ...factsOf(tree), files: await collectAll(tree.files) };
}

/** Pulls the configuration and the layers at the same time: no label decides which folders are read. */
async function pullTogether(
  source: ImageSource,
  reference: Reference,
  options: ImageOptions & { readonly folders: readonly string[] },
): Promise<ImageFiles> {
  return relaxed(reference, async () => {
    const image = await findImage(source, reference, options);
    const failed = new AbortController();
    const signal = AbortSignal.any([failed.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    const config = pullConfig(source, reference, { ...image, signal: options.signal });
    // The layers of an image that cannot be used are pulled no further.
    config.catch((error: unknown) => failed.abort(error));
    const plan = { image, folders: parseFolders(options.folders, image.origin), limits: limitsOf(options), signal };
    const files = collectAll(treeFiles(source, reference, plan));
    // Nothing is read any more once the pull has an outcome.
    await Promise.allSettled([config, files]);
    return { ...factsOf({ ...image, ...(await config) }), files: await files };
  });
}

async function collectAll(found: ImageTree['files']): Promise<ImageFiles['files']> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for await (const file of found) files.set(file.path, await collect(file));
  return sorted(files);
}

/** Opens an image and streams the files of the folders; memory stays bounded however large they are. */
export async function pullTree(source: ImageSource, reference: Reference, options: ImageOptions): Promise<ImageTree> {
  return relaxed(reference, async () => {
    const image = await openImage(source, reference, options);
    const folders = typeof options.folders === 'function' ? options.folders(image.labels) : options.folders;
    const plan = {
      image,
      folders: parseFolders(folders, image.origin),
      limits: limitsOf(options),
      signal: options.signal,
    };
    return { ...factsOf(image), files: treeFiles(source, reference, plan) };
  });
}

interface TreePlan {
  readonly image: Pick<OpenImage, 'layers' | 'origin'>;
  readonly folders: FolderSet;
  readonly limits: ImageLimits;
  readonly signal: AbortSignal | undefined;
}

async function* treeFiles(source: ImageSource, reference: Reference, plan: TreePlan): AsyncGenerator<TreeFile> {
  const { image, folders, limits, signal } = plan;
  const overlay = createOverlay();
  const usage = noUsage();
  try {
    for (const layer of image.layers.toReversed()) {
      const pull = (): AsyncIterable<Uint8Array> => source.pullBlob(reference, layer, signal);
      const rules = { origin: image.origin, folders, limits, usage, mediaType: layer.mediaType };
      for await (const entry of tracedToSource(pull, (bytes) => readLayer(bytes, rules))) {
        if (overlay.admit(entry) && entry.kind === 'file') yield entry;
      }
      overlay.nextLayer();
    }
  } catch (error) {
    throw relaxedError(reference, error);
  }
}

/** Malformed content may have been altered on the way; the failed digest is then the error to report. */
async function* tracedToSource(
  pull: () => AsyncIterable<Uint8Array>,
  readEntries: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<LayerEntry>,
): AsyncGenerator<LayerEntry> {
  try {
    yield* readEntries(pull());
  } catch (error) {
    if (error instanceof ReasonedError && error.reason === 'ImageInvalid') for await (const _chunk of pull());
    throw error;
  }
}

async function collect({ size, chunks }: TreeFile): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The order in which layers hold files means nothing; sorted, equal images give equal maps. */
function sorted(files: ImageFiles['files']): ImageFiles['files'] {
  return new Map([...files].sort(([a], [b]) => compareText(a, b)));
}

async function relaxed<Result>(reference: Reference, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw relaxedError(reference, error);
  }
}

/** The content of an image behind a tag is named by digest, but the tag can move on, so the pull is retried later. */
function relaxedError(reference: Reference, error: unknown): unknown {
  if (!(error instanceof ReasonedError) || error.retry !== 'never' || reference.digest !== undefined) return error;
  const { reason, message, hint, cause } = error;
  return new ReasonedError({ reason, retry: LATER, message, ...(hint !== undefined && { hint }), cause });
}
