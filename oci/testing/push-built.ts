/** For tests: pushes what is built as a publisher does: images of several platforms, and artifacts that refer to an image. */
import { blobOf } from '../blob.ts';
import { pushImage, type BuiltImage, type BuiltIndex, type PushOptions } from '../build.ts';
import type { Reference } from '../reference.ts';
import type { Registry } from '../registry.ts';

/** Pushes the images by digest, then the index under the reference's tag. Returns the index's digest. */
export async function pushIndex(
  registry: Registry,
  reference: Reference,
  built: BuiltIndex,
  options: PushOptions = {},
): Promise<string> {
  const untagged = { registry: reference.registry, repository: reference.repository };
  for (const image of built.images) await pushImage(registry, untagged, image, options);
  const { bytes, descriptor } = built.index;
  return registry.pushManifest(reference, { bytes, mediaType: descriptor.mediaType }, options.signal);
}

/** Pushes an artifact so that it is found among the referrers of its subject. Returns its digest. */
export async function pushArtifact(
  registry: Registry,
  subject: Reference,
  artifact: BuiltImage,
  options: PushOptions = {},
): Promise<string> {
  for (const { bytes } of [artifact.config, ...artifact.layers])
    await registry.pushBlob(subject, blobOf(bytes), options);
  const { bytes, descriptor } = artifact.manifest;
  const { mediaType, artifactType = '', annotations } = descriptor;
  const referrer = { bytes, mediaType, artifactType, ...(annotations !== undefined && { annotations }) };
  return registry.pushReferrer(subject, referrer, options.signal);
}
