/**
 * Collects the signatures of an image: Sigstore bundles that refer to it, and the older form under a tag made of its
 * digest. Reports what a registry lists; whether any of it holds is judged elsewhere.
 *
 * @see https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
 * @see https://github.com/sigstore/cosign/blob/main/specs/BUNDLE_SPEC.md
 */
import { ReasonedError } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import { collectBytes } from './bytes.ts';
import type { Descriptor, ImageManifest } from './manifest.ts';
import type { PulledManifest } from './pull.ts';
import { formatReference, type Reference, withDigest, withTag } from './reference.ts';
import { fallbackTag } from './referrers.ts';
import type { Registry } from './registry.ts';

/** A signature as the registry has it. `place` names the manifest or tag that holds it, for messages. */
export type FoundSignature =
  | { readonly form: 'Bundle'; readonly place: string; readonly subject: string | undefined; readonly json: Uint8Array }
  | {
      readonly form: 'SimpleSigning';
      readonly place: string;
      readonly payload: Uint8Array;
      readonly annotations: Readonly<Record<string, string>>;
    }
  /** Listed as a signature, and none; `message` is a clause. */
  | FoundBroken;

interface FoundBroken {
  readonly form: 'Broken';
  readonly place: string;
  readonly message: string;
}

type SignatureSource = Pick<Registry, 'referrers' | 'pullManifest' | 'pullBlob'>;

/** More than any image has that is signed by each of its publisher's keys at each release. */
const MOST_SIGNATURES = 32;

/** A bundle with a certificate and proofs of two logs is 10 kB. */
const MOST_BYTES = 256 * 1024;

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle';
const PREDICATE_ANNOTATION = 'dev.sigstore.bundle.predicateType';
const SIGNATURE_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
const SIMPLE_SIGNING_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';

/**
 * All signatures of the image with the reference's digest.
 *
 * @throws the errors of a registry (retried), and TooManySignatures (never retried)
 */
export async function collectSignatures(
  registry: SignatureSource,
  image: Reference & { readonly digest: string },
  signal: AbortSignal,
): Promise<readonly FoundSignature[]> {
  const [bundles, simple] = await Promise.all([bundlesOf(registry, image, signal), simpleOf(registry, image, signal)]);
  return [...bundles, ...simple];
}

async function bundlesOf(
  registry: SignatureSource,
  image: Reference,
  signal: AbortSignal,
): Promise<readonly FoundSignature[]> {
  const place = `the list of referrers of ${formatReference(image)}`;
  const listed = await orBroken(place, () => registry.referrers(image, { signal }));
  if ('form' in listed) return [listed];
  const bundles = listed.filter(isSignature);
  requireFew(image, bundles.length);
  return Promise.all(bundles.map(({ digest }) => bundleAt(registry, withDigest(image, digest), signal)));
}

/**
 * Attestations are bundles as well, and some images get one each day; signers note in the list which is which. The list
 * is the registry's word, but it can leave a signature out anyway.
 */
function isSignature({ artifactType, annotations }: Descriptor): boolean {
  const predicate = annotations?.[PREDICATE_ANNOTATION] ?? SIGNATURE_PREDICATE;
  return artifactType?.startsWith(BUNDLE_TYPE) === true && predicate === SIGNATURE_PREDICATE;
}

async function bundleAt(registry: SignatureSource, reference: Reference, signal: AbortSignal): Promise<FoundSignature> {
  const place = `signature ${reference.digest ?? ''}`;
  return orBroken(place, async () => {
    const manifest = imageIn(await registry.pullManifest(reference, signal));
    const [layer, ...others] = manifest?.layers ?? [];
    if (layer === undefined || others.length > 0) return { form: 'Broken', place, message: 'it is not one bundle' };
    if (layer.size > MOST_BYTES) return { form: 'Broken', place, message: `it is larger than ${MOST_BYTES} bytes` };
    const json = await collectBytes(registry.pullBlob(reference, layer, signal));
    return { form: 'Bundle', place, subject: manifest?.subject?.digest, json };
  });
}

async function simpleOf(
  registry: SignatureSource,
  image: Reference,
  signal: AbortSignal,
): Promise<readonly FoundSignature[]> {
  const reference = withTag(image, `${fallbackTag(image)}.sig`);
  const place = `signature in ${formatReference(reference)}`;
  const manifest = await orBroken(place, () => pullIfThere(registry, reference, signal));
  if (manifest === undefined) return [];
  if ('form' in manifest) return [manifest];
  const layers = imageIn(manifest)?.layers.filter(({ mediaType }) => mediaType === SIMPLE_SIGNING_TYPE);
  if (layers === undefined) return [{ form: 'Broken', place, message: 'the tag names no image' }];
  requireFew(image, layers.length);
  return Promise.all(layers.map((layer) => simpleAt(registry, reference, { layer, place, signal })));
}

interface SignatureLayer {
  readonly layer: Descriptor;
  readonly place: string;
  readonly signal: AbortSignal;
}

async function simpleAt(
  registry: SignatureSource,
  reference: Reference,
  { layer, place, signal }: SignatureLayer,
): Promise<FoundSignature> {
  if (layer.size > MOST_BYTES) return { form: 'Broken', place, message: `it is larger than ${MOST_BYTES} bytes` };
  return orBroken(place, async () => {
    const payload = await collectBytes(registry.pullBlob(reference, layer, signal));
    return { form: 'SimpleSigning', place, payload, annotations: layer.annotations ?? {} };
  });
}

/**
 * Content that is missing or malformed is a broken signature, which hides no other; a registry that fails is an error.
 */
async function orBroken<Found>(place: string, pull: () => Promise<Found>): Promise<Found | FoundBroken> {
  try {
    return await pull();
  } catch (error) {
    if (error instanceof ReasonedError && OF_CONTENT.has(error.reason))
      return { form: 'Broken', place, message: error.message };
    throw error;
  }
}

/** Reasons that name a fault of the content, and none of the registry. */
const OF_CONTENT: ReadonlySet<Reason> = new Set(['ImageNotFound', 'ImageInvalid', 'ImageTooLarge', 'ReferenceInvalid']);

async function pullIfThere(
  registry: SignatureSource,
  reference: Reference,
  signal: AbortSignal,
): Promise<PulledManifest | undefined> {
  try {
    return await registry.pullManifest(reference, signal);
  } catch (error) {
    if (error instanceof ReasonedError && error.reason === 'ImageNotFound') return undefined;
    throw error;
  }
}

function imageIn({ manifest }: PulledManifest): ImageManifest | undefined {
  return manifest.kind === 'image' ? manifest : undefined;
}

function requireFew(image: Reference, count: number): void {
  if (count <= MOST_SIGNATURES) return;
  throw new ReasonedError({
    reason: 'TooManySignatures',
    retry: 'never',
    message: `${formatReference(image)} has ${count} signatures, and ${MOST_SIGNATURES} are checked at most`,
    hint: 'Ask its publisher to delete those that are of no use',
  });
}
