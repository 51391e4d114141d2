/** Asks registries for the digests of an operator's images. */
import { imagesInSource, type SourceObject } from '../../../bundles/author/compose.ts';
import { formatReference, parseReference, withDigest } from '../../../oci/reference.ts';
import type { Environment } from '../environment.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';

/** References by digest, by the reference of the source. @throws ReasonedError of the registry, for an image that is not there */
export function pinImages(
  environment: Environment,
  sources: readonly SourceObject[],
  flags: RegistryFlags,
): Promise<ReadonlyMap<string, string>> {
  return withRegistry(environment, flags, async (registry) => {
    const pinned = new Map<string, string>();
    for (const image of imagesInSource(sources)) {
      const reference = parseReference(image);
      const { digest } = await registry.resolve(reference, environment.signal);
      pinned.set(image, formatReference(withDigest(reference, digest)));
    }
    return pinned;
  });
}
