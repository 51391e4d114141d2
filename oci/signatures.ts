/**
 * Collects the signatures of an image: Sigstore bundles that refer to it, and the older form under a tag made of its
 * digest. Reports what a registry lists; whether any of it holds is judged elsewhere.
 *
 * @see https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
 * @see https://github.com/sigstore/cosign/blob/main/specs/BUNDLE_SPEC.md
 */
import type { ReasonedError } from '../api/errors.ts';
import { attestationsOf } from './attestations.ts';
import {
  brokenBy,
  bundleAt,
  contentOf,
  imageIn,
  layerBytes,
  layersUnderTag,
  MOST_MANIFEST_BYTES,
  orBroken,
  placeOf,
  requireFew,
  tooLarge,
  type FoundBroken,
  type FoundSignature,
  type NotedBundle,
  type SignatureSource,
} from './found-signature.ts';
import { type ImageManifest, MEDIA_TYPE } from './manifest.ts';
import { formatReference, type Reference, withDigest } from './reference.ts';
import { PREDICATE_ANNOTATION, type Referrer } from './referrers.ts';

/** A bundle with a certificate and proofs of two logs is 10 kB. */
const MOST_BYTES = 256 * 1024;

/** Of the manifests whose entry in the list has no type, or no predicate; each costs a request. */
const MOST_UNTOLD = 64;

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle';
const SIGNATURE_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
const SIMPLE_SIGNING_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';

export interface SignaturesToCollect {
  readonly signal: AbortSignal;
  /** Predicate types of the attestations that are collected too; each stands for all that begin with it. */
  readonly attestations?: readonly string[] | undefined;
}

/**
 * All signatures of the image with the reference's digest, and the attestations of the given types. If the registry fails,
 * the result has a broken signature with its error, beside those that were found.
 *
 * @throws TooManySignatures (never retried)
 */
export async function collectSignatures(
  registry: SignatureSource,
  image: Reference & { readonly digest: string },
  { signal, attestations = [] }: SignaturesToCollect,
): Promise<readonly FoundSignature[]> {
  const place = `the list of referrers of ${formatReference(image)}`;
  const failed: FoundBroken[] = [];
  const onFailure = (failure: ReasonedError): void => void failed.push(brokenBy(place, failure));
  const [listed, simple] = await Promise.all([
    orBroken(place, () => registry.referrers(image, { signal, onFailure })),
    simpleOf(registry, image, signal),
  ]);
  const all = 'form' in listed ? [listed] : await notesOf(registry, image, { listed, signal });
  const [noted, broken] = [all.filter(isNoted), all.filter((one) => 'form' in one)];
  const signatures = noted.filter(({ predicateType }) => predicateType === SIGNATURE_PREDICATE);
  requireFew(image, signatures.length);
  const bundles = await Promise.all(
    signatures.map((bundle) => bundleAt(registry, image, { ...bundle, mostBytes: MOST_BYTES, signal })),
  );
  const attested = await attestationsOf(registry, image, { noted, wanted: attestations, signal });
  return [...failed, ...broken, ...bundles, ...simple, ...attested];
}

interface ListedReferrers {
  readonly listed: readonly Referrer[];
  readonly signal: AbortSignal;
}

function isNoted(note: NotedBundle | FoundBroken): note is NotedBundle {
  return !('form' in note);
}

/**
 * Attestations are bundles as well, and some images get one each day; signers note in the list which is which. The list
 * is the registry's word, but it can leave a signature out anyway. Lists that signers keep under a tag, for registries
 * that keep none, often do not say it: then the manifest does.
 */
async function notesOf(
  registry: SignatureSource,
  image: Reference,
  { listed, signal }: ListedReferrers,
): Promise<readonly (NotedBundle | FoundBroken)[]> {
  const maybe = listed.filter(({ artifactType }) => isBundleType(artifactType) || isUntold(artifactType));
  const [reported, untold] = [maybe.flatMap(noteOf), maybe.filter((one) => noteOf(one).length === 0)];
  const looked = await Promise.all(
    untold.slice(0, MOST_UNTOLD).map((entry) => look(registry, withDigest(image, entry.digest), { entry, signal })),
  );
  const message = `it has ${untold.length} entries without a type, and ${MOST_UNTOLD} of them are read`;
  const rest = { form: 'Broken', place: `the list of referrers of ${formatReference(image)}`, message } as const;
  return [...reported, ...looked.flat(), ...(untold.length > MOST_UNTOLD ? [rest] : [])];
}

function isBundleType(type: string | undefined): boolean {
  return type?.startsWith(BUNDLE_TYPE) === true;
}

/** Signers write no type, or that of the empty configuration, which says nothing. */
function isUntold(type: string | undefined): boolean {
  return type === undefined || type === MEDIA_TYPE.ociEmpty;
}

/** None for an entry that does not say both. */
function noteOf({ artifactType, predicateType, digest }: Referrer): readonly NotedBundle[] {
  return isBundleType(artifactType) && predicateType !== undefined ? [{ digest, predicateType }] : [];
}

/** None if it is no bundle, or is not there any more. */
async function look(
  registry: SignatureSource,
  reference: Reference,
  { entry: { digest, size }, signal }: { readonly entry: Referrer; readonly signal: AbortSignal },
): Promise<readonly (NotedBundle | FoundBroken)[]> {
  const place = placeOf(digest);
  if (size > MOST_MANIFEST_BYTES) return [tooLarge(place, MOST_MANIFEST_BYTES)];
  const pulled = await orBroken(place, () => registry.pullManifest(reference, signal, MOST_MANIFEST_BYTES));
  if ('form' in pulled) return pulled.failure === undefined ? [] : [pulled];
  const manifest = imageIn(pulled);
  if (manifest === undefined || !typesOf(manifest).some(isBundleType)) return [];
  const predicateType = manifest.annotations?.[PREDICATE_ANNOTATION] ?? SIGNATURE_PREDICATE;
  return [{ digest, predicateType, content: contentOf(manifest) }];
}

function typesOf({ artifactType, layers }: ImageManifest): readonly (string | undefined)[] {
  return [artifactType, layers[0]?.mediaType];
}

async function simpleOf(
  registry: SignatureSource,
  image: Reference,
  signal: AbortSignal,
): Promise<readonly FoundSignature[]> {
  const found = await layersUnderTag(registry, image, { suffix: 'sig', mediaType: SIMPLE_SIGNING_TYPE, signal });
  if (found === undefined) return [];
  if ('form' in found) return [found];
  requireFew(image, found.layers.length);
  return Promise.all(
    found.layers.map(async (layer): Promise<FoundSignature> => {
      const payload = await layerBytes(registry, { ...found, layer }, { mostBytes: MOST_BYTES, signal });
      if ('form' in payload) return payload;
      return { form: 'SimpleSigning', place: found.place, payload, annotations: layer.annotations ?? {} };
    }),
  );
}
