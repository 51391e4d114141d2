/**
 * Images from files: the same input gives the same bytes, and so the same digest, on every run of one Node
 * version. Used by `bundle push` and `catalog push`, by the examples and by tests; needs no container engine.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/manifest.md
 */
import { gzipSync } from 'node:zlib';
import { compareText } from '../api/compare-text.ts';
import { digestOf } from './digest.ts';
import { type Descriptor, MEDIA_TYPE, type Platform } from './manifest.ts';
import { blobOf } from './blob.ts';
import type { Reference } from './reference.ts';
import type { Registry } from './registry.ts';
import { buildTar, type FileContent } from './tar-writer.ts';

export interface ImageInput {
  /** One layer's files by path without leading slash, or several layers from the lowest up. */
  readonly files: ReadonlyMap<string, FileContent> | readonly ReadonlyMap<string, FileContent>[];
  /** Layers built before, beneath those of the files. */
  readonly base?: readonly Layer[];
  /** `config.Labels`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the manifest. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** RFC 3339; if absent, the epoch. */
  readonly created?: string;
  /** If absent, `linux/amd64`. */
  readonly platform?: Platform;
  /** Further fields of the configuration's `config`: `Entrypoint`, `User`, `Env`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Bytes with the descriptor that names them. */
export interface Content {
  readonly bytes: Buffer;
  readonly descriptor: Descriptor;
}

/** A layer, with the digest of its uncompressed content. */
export interface Layer extends Content {
  readonly diffId: string;
}

export interface BuiltImage {
  readonly manifest: Content;
  readonly config: Content;
  readonly layers: readonly Content[];
}

export interface BuiltIndex {
  readonly index: Content;
  readonly images: readonly BuiltImage[];
}

const EPOCH = '1970-01-01T00:00:00Z';

/** Builds an image in memory: gzip layers, configuration, manifest. */
export function buildImage(input: ImageInput): BuiltImage {
  const { annotations, base = [], platform = { os: 'linux', architecture: 'amd64' } } = input;
  const layers = [...base, ...layersOf(input).map((files) => buildLayer(files))];
  const diffIds = layers.map(({ diffId }) => diffId);
  const config = content(toJson(configOf(input, { platform, diffIds })), MEDIA_TYPE.ociConfig);
  const manifest = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    config: config.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
    ...(annotations !== undefined && { annotations: sortKeys(annotations) }),
  };
  const described = content(toJson(manifest), MEDIA_TYPE.ociManifest);
  return { config, layers, manifest: { ...described, descriptor: { ...described.descriptor, platform } } };
}

/** A layer by itself, so that content that takes long to compress is built once and used by many images. */
export function buildLayer(files: ReadonlyMap<string, FileContent>): Layer {
  const tar = buildTar(files);
  return { ...content(gzip(tar), MEDIA_TYPE.ociLayerGzip), diffId: digestOf(tar) };
}

/**
 * An index over images of several platforms, in the order given.
 *
 * @unshipped The build of the manager's image calls it.
 */
export function buildIndex(images: readonly BuiltImage[], annotations?: Readonly<Record<string, string>>): BuiltIndex {
  const index = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociIndex,
    manifests: images.map(({ manifest }) => manifest.descriptor),
    ...(annotations !== undefined && { annotations: sortKeys(annotations) }),
  };
  return { index: content(toJson(index), MEDIA_TYPE.ociIndex), images };
}

export interface ArtifactInput {
  /** `application/spdx+json`. */
  readonly artifactType: string;
  /** The image that it speaks of. */
  readonly subject: Descriptor;
  readonly blobs: readonly { readonly bytes: Uint8Array; readonly mediaType: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * A manifest that refers to an image, with an empty configuration: an SBOM, a signature.
 *
 * @unshipped The build of the manager's image calls it, for its bill of materials.
 */
export function buildArtifact({ artifactType, subject, blobs, annotations }: ArtifactInput): BuiltImage {
  const config = content(Buffer.from('{}'), MEDIA_TYPE.ociEmpty);
  const layers = blobs.map(({ bytes, mediaType }) => content(Buffer.from(bytes), mediaType));
  const manifest = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType,
    config: config.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
    subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.size },
    ...(annotations !== undefined && { annotations: sortKeys(annotations) }),
  };
  const described = content(toJson(manifest), MEDIA_TYPE.ociManifest);
  return { config, layers, manifest: { ...described, descriptor: { ...described.descriptor, artifactType } } };
}

export interface PushOptions {
  /** Repository of the same registry that may have some of the blobs. */
  readonly mountFrom?: string;
  readonly signal?: AbortSignal;
}

/** Pushes an image under the reference's tag, or by digest alone without one. Returns its digest. */
export async function pushImage(
  registry: Registry,
  reference: Reference,
  image: BuiltImage,
  options: PushOptions = {},
): Promise<string> {
  const blobs = new Map([image.config, ...image.layers].map((blob) => [blob.descriptor.digest, blob]));
  for (const { bytes } of blobs.values()) await registry.pushBlob(reference, blobOf(bytes), options);
  const { bytes, descriptor } = image.manifest;
  return registry.pushManifest(reference, { bytes, mediaType: descriptor.mediaType }, options.signal);
}

function layersOf({ files }: ImageInput): readonly ReadonlyMap<string, FileContent>[] {
  return Array.isArray(files)
    ? (files as readonly ReadonlyMap<string, FileContent>[])
    : [files as ReadonlyMap<string, FileContent>];
}

interface ConfigFacts {
  readonly platform: Platform;
  readonly diffIds: readonly string[];
}

/** @see https://github.com/opencontainers/image-spec/blob/main/config.md */
function configOf({ labels, config, created = EPOCH }: ImageInput, { platform, diffIds }: ConfigFacts): object {
  return {
    created,
    architecture: platform.architecture,
    os: platform.os,
    ...(platform.variant !== undefined && { variant: platform.variant }),
    config: { ...config, ...(labels !== undefined && { Labels: sortKeys(labels) }) },
    rootfs: { type: 'layers', diff_ids: diffIds },
    history: diffIds.map(() => ({ created, created_by: 'slipway' })),
  };
}

function content(bytes: Buffer, mediaType: string): Content {
  return { bytes, descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length } };
}

/** Deflate with fixed parameters; the header's byte for the operating system says "unknown" on all of them. */
function gzip(tar: Buffer): Buffer {
  const bytes = gzipSync(tar, { level: 6, memLevel: 8 });
  bytes[9] = 255;
  return bytes;
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function sortKeys(record: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareText(a, b)));
}
