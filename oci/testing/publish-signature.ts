/** For tests: publishes signatures as signers do, as a manifest that refers to the image or under a tag. */
import { blobOf } from '../blob.ts';
import { type Descriptor, MEDIA_TYPE } from '../manifest.ts';
import { type Reference, withTag } from '../reference.ts';
import { fallbackTag } from '../referrers.ts';
import type { Registry } from '../registry.ts';
import type { FoundSignature } from '../signatures.ts';

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const SIMPLE_SIGNING_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';

/** Adds a signature to the image with the reference's digest. */
export async function publishSignature(
  registry: Registry,
  image: Reference,
  signature: Exclude<FoundSignature, { form: 'Broken' }>,
): Promise<void> {
  const config = await push(registry, image, { mediaType: MEDIA_TYPE.ociEmpty, bytes: Buffer.from('{}') });
  if (signature.form === 'Bundle') return publishBundle(registry, image, { config, signature });
  const layer = await push(registry, image, { mediaType: SIMPLE_SIGNING_TYPE, bytes: signature.payload });
  const layers = [...(await layersThere(registry, image)), { ...layer, annotations: signature.annotations }];
  const bytes = manifestOf({ config, layers });
  await registry.pushManifest(tagOf(image), { bytes, mediaType: MEDIA_TYPE.ociManifest });
}

interface BundleToPublish {
  readonly config: Descriptor;
  readonly signature: Extract<FoundSignature, { form: 'Bundle' }>;
}

async function publishBundle(
  registry: Registry,
  image: Reference,
  { config, signature }: BundleToPublish,
): Promise<void> {
  const layer = await push(registry, image, { mediaType: BUNDLE_TYPE, bytes: signature.json });
  const { mediaType, size } = await registry.resolve(image);
  const subject = { mediaType, size, digest: signature.subject ?? image.digest ?? '' };
  const bytes = manifestOf({ artifactType: BUNDLE_TYPE, config, layers: [layer], subject });
  await registry.pushReferrer(image, { bytes, mediaType: MEDIA_TYPE.ociManifest, artifactType: BUNDLE_TYPE });
}

function tagOf(image: Reference): Reference {
  return withTag(image, `${fallbackTag(image)}.sig`);
}

async function layersThere(registry: Registry, image: Reference): Promise<readonly Descriptor[]> {
  const there = await registry.pullManifest(tagOf(image)).catch(() => undefined);
  return there?.manifest.kind === 'image' ? there.manifest.layers : [];
}

async function push(
  registry: Registry,
  image: Reference,
  { mediaType, bytes }: { readonly mediaType: string; readonly bytes: Uint8Array },
): Promise<Descriptor> {
  const blob = blobOf(bytes);
  await registry.pushBlob(image, blob);
  return { mediaType, digest: blob.digest, size: blob.size };
}

function manifestOf(fields: object): Buffer {
  return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE.ociManifest, ...fields }));
}
