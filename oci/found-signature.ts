/**
 * The parts of collecting signatures and attestations that both share: a bundle by digest, layers under a tag made of the
 * image's digest, and the rule that content with a fault is a broken signature and hides no other.
 */
import { ReasonedError } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import { collectBytes } from './bytes.ts';
import type { Descriptor, ImageManifest } from './manifest.ts';
import type { PulledManifest } from './pull.ts';
import { formatReference, type Reference, withTag } from './reference.ts';
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
  /** An attestation of the older form. */
  | {
      readonly form: 'Envelope';
      readonly place: string;
      readonly envelope: Uint8Array;
      readonly annotations: Readonly<Record<string, string>>;
    }
  /** Listed as a signature, and none; `message` is a clause. */
  | FoundBroken;

export interface FoundBroken {
  readonly form: 'Broken';
  readonly place: string;
  readonly message: string;
}

export type SignatureSource = Pick<Registry, 'referrers' | 'pullManifest' | 'pullBlob'>;

/** More than any image has that is signed by each of its publisher's keys at each release. */
const MOST_SIGNATURES = 32;

/** @throws ReasonedError TooManySignatures, never retried */
export function requireFew(image: Reference, count: number, noun = 'signatures'): void {
  if (count <= MOST_SIGNATURES) return;
  throw new ReasonedError({
    reason: 'TooManySignatures',
    retry: 'never',
    message: `${formatReference(image)} has ${count} ${noun}, and ${MOST_SIGNATURES} are checked at most`,
    hint: 'Ask its publisher to delete those that are of no use',
  });
}

export interface ContentToPull {
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** The bundle in the manifest with the reference's digest. */
export async function bundleAt(
  registry: SignatureSource,
  reference: Reference,
  { mostBytes, signal }: ContentToPull,
): Promise<FoundSignature> {
  const place = `signature ${reference.digest ?? ''}`;
  return orBroken(place, async () => {
    const manifest = imageIn(await registry.pullManifest(reference, signal));
    const [layer, ...others] = manifest?.layers ?? [];
    if (layer === undefined || others.length > 0) return { form: 'Broken', place, message: 'it is not one bundle' };
    if (layer.size > mostBytes) return tooLarge(place, mostBytes);
    const json = await collectBytes(registry.pullBlob(reference, layer, signal));
    return { form: 'Bundle', place, subject: manifest?.subject?.digest, json };
  });
}

/** Content of the older form: the layers of an image under a tag. */
export interface TaggedLayers {
  readonly reference: Reference;
  /** For messages. */
  readonly place: string;
  readonly layers: readonly Descriptor[];
}

/** The layers of a type under the tag `sha256-….SUFFIX`; undefined if there is no such tag. */
export async function layersUnderTag(
  registry: SignatureSource,
  image: Reference,
  { suffix, mediaType, signal }: { readonly suffix: string; readonly mediaType: string; readonly signal: AbortSignal },
): Promise<TaggedLayers | FoundBroken | undefined> {
  const reference = withTag(image, `${fallbackTag(image)}.${suffix}`);
  const place = `signature in ${formatReference(reference)}`;
  const manifest = await orBroken(place, () => pullIfThere(registry, reference, signal));
  if (manifest === undefined || 'form' in manifest) return manifest;
  const layers = imageIn(manifest)?.layers.filter((layer) => layer.mediaType === mediaType);
  if (layers === undefined) return { form: 'Broken', place, message: 'the tag names no image' };
  return { reference, place, layers };
}

/** The bytes of a layer under a tag. */
export async function layerBytes(
  registry: SignatureSource,
  { reference, place, layer }: Omit<TaggedLayers, 'layers'> & { readonly layer: Descriptor },
  { mostBytes, signal }: ContentToPull,
): Promise<Uint8Array | FoundBroken> {
  if (layer.size > mostBytes) return tooLarge(place, mostBytes);
  return orBroken(place, () => collectBytes(registry.pullBlob(reference, layer, signal)));
}

function tooLarge(place: string, mostBytes: number): FoundBroken {
  return { form: 'Broken', place, message: `it is larger than ${mostBytes} bytes` };
}

/**
 * Content that is missing or malformed is a broken signature, which hides no other; a registry that fails is an error.
 */
export async function orBroken<Found>(place: string, pull: () => Promise<Found>): Promise<Found | FoundBroken> {
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
