/** A repository of a registry as the target of copyImage. */
import type { ImageSink } from './copy.ts';
import { type Reference, withDigest } from './reference.ts';
import type { Registry } from './registry.ts';

export interface RegistrySinkOptions {
  /** Repository of the same registry that may have the blobs. */
  readonly mountFrom?: string;
  readonly signal?: AbortSignal;
}

/** Pushes missing content; the copied image gets the tag of the reference, if it has one. */
export function registrySink(registry: Registry, reference: Reference, options: RegistrySinkOptions = {}): ImageSink {
  const { registry: host, repository } = reference;
  return {
    async putBlob(blob) {
      await registry.pushBlob(reference, blob, options);
    },
    async putManifest({ bytes, digest, mediaType }, { top }) {
      const target = top ? reference : withDigest({ registry: host, repository }, digest);
      await registry.pushManifest(target, { bytes, mediaType }, options.signal);
    },
  };
}
