/**
 * Where bundles are pulled from: a registry, behind a cache on disk. Rendering a bundle again, for another
 * configuration or after its manifests were lost, then needs no registry. Each pull secret, of a Catalog or of the
 * policy over the image, has a cache of its own, so an image that one secret opened is not served without it.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { cachedSource, openBlobCache } from '../oci/blob-cache.ts';
import type { ImageSource } from '../oci/source.ts';
import { NO_POLICIES, type RegistryPolicies } from './registry-policies.ts';
import type { Registries } from './registries.ts';
import type { Reference } from '../oci/reference.ts';

/** Size of the cache of each pull secret: bundles are small, and some hundreds of them fit. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The source for a pull secret of the manager's namespace; anonymous without one. */
export type BundleSources = (pullSecret: string | undefined) => ImageSource;

export function createBundleSources(
  registries: Registries,
  folder: string,
  policies: RegistryPolicies = NO_POLICIES,
): BundleSources {
  const sources = new Map<string, Promise<ImageSource>>();

  function open(pullSecret: string | undefined, { registry, repository }: Reference): Promise<ImageSource> {
    const { pullSecret: shared } = policies.over(`${registry}/${repository}`);
    const key = shared === undefined ? (pullSecret ?? '') : JSON.stringify([pullSecret ?? '', shared]);
    const known = sources.get(key);
    if (known !== undefined) return known;
    const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
    const opened = openBlobCache({ folder: join(folder, 'bundles', name), maxBytes: MAX_BYTES }).then((cache) =>
      cachedSource(registries(pullSecret), cache),
    );
    sources.set(key, opened);
    opened.catch(() => sources.delete(key));
    return opened;
  }

  return (pullSecret) => ({
    pullManifest: async (reference, signal) => (await open(pullSecret, reference)).pullManifest(reference, signal),
    async *pullBlob(reference, descriptor, signal) {
      yield* (await open(pullSecret, reference)).pullBlob(reference, descriptor, signal);
    },
  });
}
