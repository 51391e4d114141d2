/** Copies images between registries and folders as they are: same bytes, same digests, all platforms. */
import { imageInvalid } from './errors.ts';
import type { Descriptor } from './manifest.ts';
import { originOf, type PulledManifest } from './pull.ts';
import type { BlobSource } from './blob.ts';
import { type Reference, withDigest } from './reference.ts';
import type { ImageSource } from './source.ts';

/** The target of a copy. Blobs come before the manifest that names them, images before their index. */
export interface ImageSink {
  putBlob(blob: BlobSource): Promise<void>;
  /** `top` is the manifest that the whole copy is about. */
  putManifest(manifest: PulledManifest, options: { readonly top: boolean }): Promise<void>;
}

const MAX_DEPTH = 3;

/** Copies the image or index of a reference. Returns its digest. @throws every error of source and sink */
export async function copyImage(
  source: ImageSource,
  reference: Reference,
  sink: ImageSink,
  signal?: AbortSignal,
): Promise<string> {
  const top = await source.pullManifest(reference, signal);
  await copyBelow({ source, reference, sink, signal }, top, 0);
  await sink.putManifest(top, { top: true });
  return top.digest;
}

interface Copy {
  readonly source: ImageSource;
  readonly reference: Reference;
  readonly sink: ImageSink;
  readonly signal: AbortSignal | undefined;
}

async function copyBelow(copy: Copy, { manifest }: PulledManifest, depth: number): Promise<void> {
  const { source, reference, sink, signal } = copy;
  if (manifest.kind === 'image') {
    for (const descriptor of distinct([manifest.config, ...manifest.layers])) {
      const { digest, size } = descriptor;
      await sink.putBlob({ digest, size, open: () => source.pullBlob(reference, descriptor, signal) });
    }
    return;
  }
  const origin = originOf(reference);
  if (depth >= MAX_DEPTH)
    throw imageInvalid(`${origin.what} nests indexes more than ${MAX_DEPTH} deep`, origin.byDigest);
  for (const entry of distinct(manifest.manifests)) {
    const child = await source.pullManifest(withDigest(reference, entry.digest), signal);
    await copyBelow(copy, child, depth + 1);
    await sink.putManifest(child, { top: false });
  }
}

function distinct(descriptors: readonly Descriptor[]): readonly Descriptor[] {
  return [...new Map(descriptors.map((descriptor) => [descriptor.digest, descriptor])).values()];
}
