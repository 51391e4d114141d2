/** For tests: publishes signatures as signers do, as a manifest that refers to the image or under a tag. */
import { blobOf } from '../blob.ts';
import { type Descriptor, MEDIA_TYPE } from '../manifest.ts';
import { type Reference, withTag } from '../reference.ts';
import { fallbackTag } from '../referrers.ts';
import type { Registry } from '../registry.ts';
import type { FoundSignature } from '../found-signature.ts';

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json';
const SIMPLE_SIGNING_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';

/**
 * Rewrites the list of referrers under the tag as signers with an older library keep it: the type of each entry is that of
 * its configuration, or is left out, and annotations are left out.
 */
export async function untellList(registry: Registry, image: Reference, artifactType?: string): Promise<void> {
  const tag = withTag(image, fallbackTag(image));
  const { manifest } = await registry.pullManifest(tag);
  const entries = manifest.kind === 'index' ? manifest.manifests : [];
  const manifests = entries.map(({ mediaType, digest, size }) => ({
    mediaType,
    digest,
    size,
    ...(artifactType !== undefined && { artifactType }),
  }));
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, manifests }));
  await registry.pushManifest(tag, { bytes, mediaType: MEDIA_TYPE.ociIndex });
}

/** Adds a signature to the image with the reference's digest. */
export async function publishSignature(
  registry: Registry,
  image: Reference,
  signature: Exclude<FoundSignature, { form: 'Broken' }>,
  annotations?: Readonly<Record<string, string>>,
): Promise<void> {
  const config = await push(registry, image, { mediaType: MEDIA_TYPE.ociEmpty, bytes: Buffer.from('{}') });
  if (signature.form === 'Bundle') return publishBundle(registry, image, { config, signature, annotations });
  const [suffix, content] =
    signature.form === 'SimpleSigning'
      ? (['sig', { mediaType: SIMPLE_SIGNING_TYPE, bytes: signature.payload }] as const)
      : (['att', { mediaType: ENVELOPE_TYPE, bytes: signature.envelope }] as const);
  const tag = withTag(image, `${fallbackTag(image)}.${suffix}`);
  const layer = { ...(await push(registry, image, content)), annotations: signature.annotations };
  const bytes = manifestOf({ config, layers: [...(await layersThere(registry, tag)), layer] });
  await registry.pushManifest(tag, { bytes, mediaType: MEDIA_TYPE.ociManifest });
}

interface BundleToPublish {
  readonly config: Descriptor;
  readonly signature: Extract<FoundSignature, { form: 'Bundle' }>;
  /** Of the manifest, repeated in the list of referrers. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

async function publishBundle(
  registry: Registry,
  image: Reference,
  { config, signature, annotations }: BundleToPublish,
): Promise<void> {
  const layer = await push(registry, image, { mediaType: BUNDLE_TYPE, bytes: signature.json });
  const { mediaType, size } = await registry.resolve(image);
  const subject = { mediaType, size, digest: signature.subject ?? image.digest ?? '' };
  const noted = annotations === undefined ? {} : { annotations };
  const bytes = manifestOf({ artifactType: BUNDLE_TYPE, config, layers: [layer], subject, ...noted });
  await registry.pushReferrer(image, {
    bytes,
    mediaType: MEDIA_TYPE.ociManifest,
    artifactType: BUNDLE_TYPE,
    ...noted,
  });
}

async function layersThere(registry: Registry, tag: Reference): Promise<readonly Descriptor[]> {
  const there = await registry.pullManifest(tag).catch(() => undefined);
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
