/**
 * A registry whose content passes through the folder of a mirror: whatever is pulled is kept there, and content that the
 * folder or an earlier one has is not pulled again. So a run that only adds a version transfers little more than that.
 */
import { ReasonedError } from '../../../api/errors.ts';
import type { ImageSink } from '../../../oci/copy.ts';
import type { PulledManifest } from '../../../oci/pull.ts';
import type { Reference } from '../../../oci/reference.ts';
import type { ImageSource } from '../../../oci/source.ts';
import { folderSource } from './folder.ts';

export interface FolderToPassThrough {
  readonly folder: string;
  /** Earlier folders, whose content this one leaves out. */
  readonly since: readonly string[];
  /** Writes content into the folder that none of them has. */
  readonly sink: ImageSink;
}

/** Tags are always asked of the registry. Throws its errors, and DigestMismatch for a damaged blob of a folder. */
export function throughFolder<Source extends ImageSource>(
  registry: Source,
  { folder, since, sink }: FolderToPassThrough,
): Source {
  const kept = folderSource(folder, since);
  const passed: ImageSource = {
    async pullManifest(reference, signal) {
      const known = await keptManifest(kept, reference);
      if (known !== undefined) return known;
      const pulled = await registry.pullManifest(reference, signal);
      await sink.putManifest(pulled, { top: false });
      return pulled;
    },
    async *pullBlob(reference, descriptor, signal) {
      const { digest, size } = descriptor;
      await sink.putBlob({ digest, size, open: () => registry.pullBlob(reference, descriptor, signal) });
      yield* kept.pullBlob(reference, descriptor, signal);
    },
  };
  return { ...registry, ...passed };
}

/** Undefined for a tag, and for content that is missing or damaged. */
async function keptManifest(kept: ImageSource, reference: Reference): Promise<PulledManifest | undefined> {
  if (reference.digest === undefined) return undefined;
  try {
    return await kept.pullManifest(reference);
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}
