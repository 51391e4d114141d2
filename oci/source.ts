/** Where images can be read from: a registry, a folder, a cache in front of either. */
import type { Registry } from './registry.ts';

/** The reading half that image.ts needs; whatever it gives has been verified. */
export type ImageSource = Pick<Registry, 'pullManifest' | 'pullBlob'>;
