/**
 * Collects attestations of an image by the types of their predicates: bundles that refer to it, and the older form under
 * a tag made of its digest. An attestation about the content of an image has megabytes, so they are pulled one after
 * another, and all of one image within a bound.
 *
 * @see https://github.com/sigstore/cosign/blob/main/specs/ATTESTATION_SPEC.md
 */
import {
  bundleAt,
  layerBytes,
  layersUnderTag,
  requireFew,
  type ContentToPull,
  type FoundSignature,
  type NotedBundle,
  type SignatureSource,
  type TaggedLayers,
} from './found-signature.ts';
import type { Descriptor } from './manifest.ts';
import type { Reference } from './reference.ts';

/** The list of the packages in a large image has 5 MB. */
const MOST_BYTES = 8 << 20;
const MOST_BYTES_OF_ALL = 16 << 20;

const ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json';
/** On each layer of the older form. */
const PREDICATE_ANNOTATION = 'predicateType';

export interface AttestationsToCollect {
  /** Bundles that refer to the image, as the registry lists them. */
  readonly noted: readonly NotedBundle[];
  readonly wanted: readonly string[];
  readonly signal: AbortSignal;
}

/** @throws TooManySignatures (never retried) */
export async function attestationsOf(
  registry: SignatureSource,
  image: Reference,
  { noted, wanted, signal }: AttestationsToCollect,
): Promise<readonly FoundSignature[]> {
  if (wanted.length === 0) return [];
  const isWanted = (type: string | undefined): boolean =>
    type !== undefined && wanted.some((one) => isOfType(type, one));
  const bundles = noted.filter(({ predicateType }) => isWanted(predicateType));
  const tagged = await layersUnderTag(registry, image, { suffix: 'att', mediaType: ENVELOPE_TYPE, signal });
  const older = tagged === undefined || 'form' in tagged ? undefined : tagged;
  const layers = older?.layers.filter(({ annotations }) => isWanted(annotations?.[PREDICATE_ANNOTATION])) ?? [];
  requireFew(image, bundles.length + layers.length, 'attestations');
  const found: FoundSignature[] = tagged !== undefined && 'form' in tagged ? [tagged] : [];
  const bounds = (): ContentToPull => ({
    mostBytes: Math.min(MOST_BYTES, MOST_BYTES_OF_ALL - bytesOf(found)),
    signal,
  });
  for (const bundle of bundles) found.push(await bundleAt(registry, image, { ...bundle, ...bounds() }));
  for (const layer of layers)
    if (older !== undefined) found.push(await envelopeAt(registry, { ...older, layer }, bounds()));
  return found;
}

async function envelopeAt(
  registry: SignatureSource,
  tagged: Omit<TaggedLayers, 'layers'> & { readonly layer: Descriptor },
  bounds: ContentToPull,
): Promise<FoundSignature> {
  const { place, layer } = tagged;
  const envelope = await layerBytes(registry, tagged, bounds);
  return 'form' in envelope ? envelope : { form: 'Envelope', place, envelope, annotations: layer.annotations ?? {} };
}

/** Whether a predicate is of a type, in any of its versions: `https://slsa.dev/provenance` has `…/provenance/v1`. */
function isOfType(predicateType: string, wanted: string): boolean {
  return predicateType === wanted || predicateType.startsWith(`${wanted}/`);
}

function bytesOf(found: readonly FoundSignature[]): number {
  return found.reduce((sum, one) => {
    if (one.form === 'Bundle') return sum + one.json.length;
    return one.form === 'Envelope' ? sum + one.envelope.length : sum;
  }, 0);
}
