/**
 * Collects the signatures of an image: Sigstore bundles that refer to it, and the older form under a tag made of its
 * digest. Reports what a registry lists; whether any of it holds is judged elsewhere.
 *
 * @see https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
 * @see https://github.com/sigstore/cosign/blob/main/specs/BUNDLE_SPEC.md
 */
import { attestationsOf } from './attestations.ts';
import {
  bundleAt,
  layerBytes,
  layersUnderTag,
  orBroken,
  requireFew,
  type FoundSignature,
  type SignatureSource,
} from './found-signature.ts';
import type { Descriptor } from './manifest.ts';
import { formatReference, type Reference, withDigest } from './reference.ts';

/** A bundle with a certificate and proofs of two logs is 10 kB. */
const MOST_BYTES = 256 * 1024;

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle';
const PREDICATE_ANNOTATION = 'dev.sigstore.bundle.predicateType';
const SIGNATURE_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
const SIMPLE_SIGNING_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';

export interface SignaturesToCollect {
  readonly signal: AbortSignal;
  /** Predicate types of the attestations that are collected too; each stands for all that begin with it. */
  readonly attestations?: readonly string[] | undefined;
}

/**
 * All signatures of the image with the reference's digest, and the attestations of the given types.
 *
 * @throws the errors of a registry (retried), and TooManySignatures (never retried)
 */
export async function collectSignatures(
  registry: SignatureSource,
  image: Reference & { readonly digest: string },
  { signal, attestations = [] }: SignaturesToCollect,
): Promise<readonly FoundSignature[]> {
  const place = `the list of referrers of ${formatReference(image)}`;
  const [listed, simple] = await Promise.all([
    orBroken(place, () => registry.referrers(image, { signal })),
    simpleOf(registry, image, signal),
  ]);
  const noted = 'form' in listed ? [] : listed.flatMap(noteOf);
  const signatures = noted.filter(({ predicateType }) => predicateType === SIGNATURE_PREDICATE);
  requireFew(image, signatures.length);
  const bundles = await Promise.all(
    signatures.map(({ digest }) => bundleAt(registry, withDigest(image, digest), { mostBytes: MOST_BYTES, signal })),
  );
  const attested = await attestationsOf(registry, image, { noted, wanted: attestations, signal });
  return [...('form' in listed ? [listed] : []), ...bundles, ...simple, ...attested];
}

interface NotedBundle {
  readonly digest: string;
  readonly predicateType: string;
}

/**
 * Attestations are bundles as well, and some images get one each day; signers note in the list which is which. The list
 * is the registry's word, but it can leave a signature out anyway.
 */
function noteOf({ artifactType, annotations, digest }: Descriptor): readonly NotedBundle[] {
  if (artifactType?.startsWith(BUNDLE_TYPE) !== true) return [];
  return [{ digest, predicateType: annotations?.[PREDICATE_ANNOTATION] ?? SIGNATURE_PREDICATE }];
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
