/** A source of images: a registry, a folder, or a cache in front of either. */
import type { Registry } from './registry.ts';

/** The reading half that image.ts needs; all its results have been verified. */
export type ImageSource = Pick<Registry, 'pullManifest' | 'pullBlob'>;
