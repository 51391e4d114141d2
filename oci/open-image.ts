/**
 * Opens an image: reference in, its manifest for the platform, labels and annotations out, with all that can be
 * known before a layer is fetched checked. image.ts reads the layers.
 */
import * as z from 'zod';
import { collectBytes, jsonIn } from './bytes.ts';
import { imageInvalid, imageTooLarge } from './errors.ts';
import { type Descriptor, type ImageManifest, MEDIA_TYPE, type Origin, pickEntry, type Platform } from './manifest.ts';
import type { ArchiveLimits } from './members.ts';
import { originOf, type PulledManifest } from './pull.ts';
import { type Reference, withDigest } from './reference.ts';
import type { ImageSource } from './source.ts';

export interface ImageLimits extends ArchiveLimits {
  readonly layers: number;
  /** Bytes of all layers as they are stored. */
  readonly compressedBytes: number;
  readonly configBytes: number;
}

/** For bundles: a few dozen manifests, on any base image. */
export const BUNDLE_LIMITS: ImageLimits = {
  layers: 128,
  compressedBytes: 256 << 20,
  configBytes: 4 << 20,
  entries: 200_000,
  nameBytes: 16 << 20,
  files: 5000,
  fileBytes: 8 << 20,
  totalBytes: 64 << 20,
  inflatedBytes: 1 << 30,
  ratio: 200,
};

/**
 * For catalogs: up to some hundred megabytes of JSON. Versions of a bundle hardly differ: zstd makes a thousand of them,
 * each of 1 MB with digests of its own, 2,300 times smaller, and nothing that fits here becomes much smaller than that.
 * The ratio therefore stops only a stream of zeros early. Memory and time are bounded by the limits on bytes: files are
 * read piece by piece, and none of them is kept.
 */
export const CATALOG_LIMITS: ImageLimits = {
  ...BUNDLE_LIMITS,
  compressedBytes: 1 << 30,
  nameBytes: 64 << 20,
  files: 100_000,
  fileBytes: 1 << 30,
  totalBytes: 1 << 30,
  inflatedBytes: 4 * (1 << 30),
  ratio: 5000,
};

export interface ImageOptions {
  /** Folders to read (`manifests/`, `/configs`), or how the image's labels name them. */
  readonly folders: readonly string[] | ((labels: Readonly<Record<string, string>>) => readonly string[]);
  readonly limits?: Partial<ImageLimits>;
  /** Which image of an index to take; if absent, `linux/amd64`, or else the first one for Linux. */
  readonly platform?: Platform;
  readonly signal?: AbortSignal;
}

/** The facts that an image states about itself. */
export interface ImageFacts {
  /** Digest of the index, if the reference names one, else of the image. */
  readonly digest: string;
  /** Of the image that was read. */
  readonly manifestDigest: string;
  /** `config.Labels` of the image's configuration; no prototype. */
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations of the image's manifest; no prototype. */
  readonly annotations: Readonly<Record<string, string>>;
  /** When the image was made, as its configuration says it: RFC 3339. */
  readonly created: string | undefined;
}

/** The facts alone, without other fields of an object. */
export function factsOf({ digest, manifestDigest, labels, annotations, created }: ImageFacts): ImageFacts {
  return { digest, manifestDigest, labels, annotations, created };
}

export interface OpenImage extends ImageFacts {
  readonly layers: readonly Descriptor[];
  readonly origin: Origin;
}

/** An image whose configuration is not read yet. */
export interface FoundImage extends Omit<OpenImage, 'labels' | 'created'> {
  readonly config: Descriptor;
}

/** @throws everything that a source throws; ImageInvalid, ImageTooLarge */
export async function openImage(source: ImageSource, reference: Reference, options: ImageOptions): Promise<OpenImage> {
  const found = await findImage(source, reference, options);
  return { ...found, ...(await pullConfig(source, reference, { ...found, signal: options.signal })) };
}

/** @throws as openImage does */
export async function findImage(source: ImageSource, reference: Reference, options: ImageOptions): Promise<FoundImage> {
  const origin = originOf(reference);
  const top = await source.pullManifest(reference, options.signal);
  const pulled = await descend(source, reference, { top, options });
  const manifest = pulled.manifest;
  assertShape(manifest, limitsOf(options), origin);
  return {
    digest: top.digest,
    manifestDigest: pulled.digest,
    annotations: manifest.annotations ?? emptyRecord(),
    config: manifest.config,
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
  let current = top;
  for (let depth = 0; depth <= MAX_INDEX_DEPTH; depth += 1) {
    const { manifest } = current;
    if (manifest.kind === 'image') return { ...current, manifest };
    const entry = pickEntry(manifest, options.platform, origin);
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
  created: z.iso.datetime({ offset: true }).nullish().catch(undefined),
  config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
});

interface ConfigRequest extends Pick<FoundImage, 'config' | 'origin'> {
  readonly signal: AbortSignal | undefined;
}

/** The facts in the configuration. @throws everything that a source throws; ImageInvalid */
export async function pullConfig(
  source: ImageSource,
  reference: Reference,
  { config, origin, signal }: ConfigRequest,
): Promise<Pick<ImageFacts, 'labels' | 'created'>> {
  const bytes = await collectBytes(source.pullBlob(reference, config, signal));
  const parsed = ImageConfig.safeParse(jsonIn(bytes));
  if (!parsed.success) throw imageInvalid(`${origin.what} has a configuration that cannot be read`, origin.byDigest);
  const { config: settings, created } = parsed.data;
  return { labels: Object.assign(emptyRecord(), settings?.Labels), created: created ?? undefined };
}

/** The limits that apply: the caller's, else those of bundles. */
export function limitsOf({ limits }: ImageOptions): ImageLimits {
  return { ...BUNDLE_LIMITS, ...limits };
}

function emptyRecord(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}
