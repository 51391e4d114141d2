/**
 * A bundle or catalog image: reference in, labels and the files of a few folders out. Layers are read from the
 * topmost down, so that each file can be handed on as it comes: whatever a lower layer says about a path that was
 * seen or hidden above no longer counts. Controllers call {@link pullFiles} for bundles and {@link pullTree} for
 * catalogs; neither writes to a disk.
 */
import * as z from 'zod';
import { ReasonedError } from '../api/errors.ts';
import { type LayerEntry, noUsage, readLayer } from './archive.ts';
import { collectBytes } from './bytes.ts';
import { imageInvalid, imageTooLarge, LATER } from './errors.ts';
import {
  type Descriptor,
  type ImageManifest,
  MEDIA_TYPE,
  type Origin,
  pickPlatform,
  type Platform,
} from './manifest.ts';
import { type FolderSet, parseFolders } from './member-name.ts';
import type { ArchiveLimits } from './members.ts';
import { createOverlay } from './overlay.ts';
import { originOf, type PulledManifest } from './pull.ts';
import { type Reference, withDigest } from './reference.ts';
import type { ImageSource } from './source.ts';

export interface ImageLimits extends ArchiveLimits {
  readonly layers: number;
  /** Bytes of all layers as they are stored. */
  readonly compressedBytes: number;
  readonly configBytes: number;
}

/** For bundles: a few dozen manifests, on whatever base image. */
export const BUNDLE_LIMITS: ImageLimits = {
  layers: 128,
  compressedBytes: 256 << 20,
  configBytes: 4 << 20,
  entries: 200_000,
  files: 5000,
  fileBytes: 8 << 20,
  totalBytes: 64 << 20,
  inflatedBytes: 1 << 30,
  ratio: 200,
};

/** For catalogs: up to some hundred megabytes of JSON. */
export const CATALOG_LIMITS: ImageLimits = {
  ...BUNDLE_LIMITS,
  compressedBytes: 1 << 30,
  files: 100_000,
  fileBytes: 1 << 30,
  totalBytes: 1 << 30,
  inflatedBytes: 4 * (1 << 30),
};

export interface ImageOptions {
  /** Folders to read (`manifests/`, `/configs`), or how the image's labels name them. */
  readonly folders: readonly string[] | ((labels: Readonly<Record<string, string>>) => readonly string[]);
  readonly limits?: Partial<ImageLimits>;
  /** Which image of an index to take; `linux/amd64` where absent. */
  readonly platform?: Platform;
  readonly signal?: AbortSignal;
}

/** What an image says about itself. */
export interface ImageFacts {
  /** Of what the reference stands for: the index where there is one. */
  readonly digest: string;
  /** Of the image that was read. */
  readonly manifestDigest: string;
  /** `config.Labels` of the image's configuration; no prototype. */
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations of the image's manifest; no prototype. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ImageFiles extends ImageFacts {
  /** Path without leading slash → content: `manifests/app.clusterserviceversion.yaml`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** One file of a tree; its chunks must be read before the next file is asked for, else they are skipped. */
export interface TreeFile {
  readonly path: string;
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface ImageTree extends ImageFacts {
  /** Each path once, topmost layer first. Only when it ends without error is what it gave verified. */
  readonly files: AsyncIterable<TreeFile>;
}

/**
 * Pulls an image and collects the files of the folders in memory.
 *
 * @throws everything that a registry throws; ImageInvalid and ImageTooLarge, for a digest never retried
 */
export async function pullFiles(source: ImageSource, reference: Reference, options: ImageOptions): Promise<ImageFiles> {
  const tree = await pullTree(source, reference, options);
  const files = new Map<string, Uint8Array>();
  for await (const file of tree.files) files.set(file.path, await collect(file));
  const { digest, manifestDigest, labels, annotations } = tree;
  return { digest, manifestDigest, labels, annotations, files: sorted(files) };
}

/** Opens an image and streams the files of the folders; memory stays bounded however large they are. */
export async function pullTree(source: ImageSource, reference: Reference, options: ImageOptions): Promise<ImageTree> {
  return relaxed(reference, async () => {
    const image = await openImage(source, reference, options);
    const folders = typeof options.folders === 'function' ? options.folders(image.labels) : options.folders;
    const plan = { image, folders: parseFolders(folders, image.origin), limits: limitsOf(options), options };
    const { digest, manifestDigest, labels, annotations } = image;
    return { digest, manifestDigest, labels, annotations, files: treeFiles(source, reference, plan) };
  });
}

interface OpenImage extends ImageFacts {
  readonly layers: readonly Descriptor[];
  readonly origin: Origin;
}

async function openImage(source: ImageSource, reference: Reference, options: ImageOptions): Promise<OpenImage> {
  const origin = originOf(reference);
  const top = await source.pullManifest(reference, options.signal);
  const pulled = await descend(source, reference, { top, options });
  const manifest = pulled.manifest;
  assertShape(manifest, limitsOf(options), origin);
  return {
    digest: top.digest,
    manifestDigest: pulled.digest,
    labels: await pullLabels(source, reference, { config: manifest.config, options, origin }),
    annotations: manifest.annotations ?? emptyRecord(),
    layers: manifest.layers,
    origin,
  };
}

interface PulledImage extends PulledManifest {
  readonly manifest: ImageManifest & { readonly kind: 'image' };
}

const MAX_INDEX_DEPTH = 3;

/** From an index to the image for the platform; an index may hold an index, but not for ever. */
async function descend(
  source: ImageSource,
  reference: Reference,
  { top, options }: { readonly top: PulledManifest; readonly options: ImageOptions },
): Promise<PulledImage> {
  const origin = originOf(reference);
  const platform = options.platform ?? { os: 'linux', architecture: 'amd64' };
  let current = top;
  for (let depth = 0; depth <= MAX_INDEX_DEPTH; depth += 1) {
    const { manifest } = current;
    if (manifest.kind === 'image') return { ...current, manifest };
    const entry = pickPlatform(manifest, platform, origin);
    current = await source.pullManifest(withDigest(reference, entry.digest), options.signal);
    if (current.bytes.length !== entry.size) {
      throw imageInvalid(`${origin.what} names an image whose size is another`, origin.byDigest);
    }
  }
  throw imageInvalid(`${origin.what} nests indexes more than ${MAX_INDEX_DEPTH} deep`, origin.byDigest);
}

function assertShape(manifest: ImageManifest, limits: ImageLimits, { what, byDigest }: Origin): void {
  const { mediaType } = manifest.config;
  if (mediaType !== MEDIA_TYPE.ociConfig && mediaType !== MEDIA_TYPE.dockerConfig) {
    throw imageInvalid(`${what} is not an image but holds ${JSON.stringify(mediaType.slice(0, 100))}`, byDigest);
  }
  if (manifest.layers.length > limits.layers) {
    throw imageTooLarge(`${what} has more than ${limits.layers} layers`, byDigest);
  }
  if (manifest.layers.reduce((sum, { size }) => sum + size, 0) > limits.compressedBytes) {
    throw imageTooLarge(`${what} has more than ${limits.compressedBytes} bytes in its layers`, byDigest);
  }
  if (manifest.config.size > limits.configBytes) {
    throw imageTooLarge(`${what} has a configuration larger than ${limits.configBytes} bytes`, byDigest);
  }
}

/** @see https://github.com/opencontainers/image-spec/blob/main/config.md#properties */
const ImageConfig = z.object({
  config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
});

interface LabelRequest {
  readonly config: Descriptor;
  readonly options: ImageOptions;
  readonly origin: Origin;
}

async function pullLabels(source: ImageSource, reference: Reference, { config, options, origin }: LabelRequest) {
  const bytes = await collectBytes(source.pullBlob(reference, config, options.signal));
  const parsed = ImageConfig.safeParse(parseJson(bytes));
  if (!parsed.success) throw imageInvalid(`${origin.what} has a configuration that cannot be read`, origin.byDigest);
  return Object.assign(emptyRecord(), parsed.data.config?.Labels);
}

interface TreePlan {
  readonly image: OpenImage;
  readonly folders: FolderSet;
  readonly limits: ImageLimits;
  readonly options: ImageOptions;
}

async function* treeFiles(source: ImageSource, reference: Reference, plan: TreePlan): AsyncGenerator<TreeFile> {
  const { image, folders, limits, options } = plan;
  const overlay = createOverlay();
  const usage = noUsage();
  try {
    for (const layer of image.layers.toReversed()) {
      const pull = (): AsyncIterable<Uint8Array> => source.pullBlob(reference, layer, options.signal);
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

/** Content that makes no sense may have been altered on the way; then that is what went wrong. */
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

async function collect({ size, chunks }: TreeFile): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The order in which layers hold files means nothing; sorted, equal images give equal maps. */
function sorted(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function limitsOf({ limits }: ImageOptions): ImageLimits {
  return { ...BUNDLE_LIMITS, ...limits };
}

function emptyRecord(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

async function relaxed<Result>(reference: Reference, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw relaxedError(reference, error);
  }
}

/** What is inside a tag's image is named by digest, but the tag can move on: look again later. */
function relaxedError(reference: Reference, error: unknown): unknown {
  if (!(error instanceof ReasonedError) || error.retry !== 'never' || reference.digest !== undefined) return error;
  const { reason, message, hint, cause } = error;
  return new ReasonedError({ reason, retry: LATER, message, ...(hint !== undefined && { hint }), cause });
}
