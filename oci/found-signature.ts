/**
 * The parts of collecting signatures and attestations that both share: a bundle by digest, layers under a tag made of the
 * image's digest, and the rule that content with a fault is a broken signature and hides no other.
 */
import { ReasonedError } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import { collectBytes } from './bytes.ts';
import type { Descriptor, ImageManifest } from './manifest.ts';
import type { PulledManifest } from './pull.ts';
import { formatReference, type Reference, withDigest, withTag } from './reference.ts';
import { fallbackTag, meansNoTag } from './referrers.ts';
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
  /** Set if the registry failed, or its settings could not be used, so that a signature may be there. */
  readonly failure?: ReasonedError;
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

/** A manifest that refers to an image and is said to hold a bundle. */
export interface NotedBundle {
  readonly digest: string;
  readonly predicateType: string;
  /** If it was pulled already. */
  readonly content?: BundleContent;
}

/** The part of a manifest that leads to its bundle: the rest, which many of them would fill the memory with, is not kept. */
export interface BundleContent {
  /** Undefined if the manifest does not hold one bundle alone. */
  readonly layer: Pick<Descriptor, 'digest' | 'size'> | undefined;
  readonly subject: string | undefined;
}

/** Of a manifest that holds a bundle; it has 2 kB. */
export const MOST_MANIFEST_BYTES = 256 * 1024;

/** The bundle in a manifest that refers to the image. */
export async function bundleAt(
  registry: SignatureSource,
  image: Reference,
  { digest, content, mostBytes, signal }: Omit<NotedBundle, 'predicateType'> & ContentToPull,
): Promise<FoundSignature> {
  const place = placeOf(digest);
  const reference = withDigest(image, digest);
  return orBroken(place, async () => {
    const { layer, subject } =
      content ?? contentOf(imageIn(await registry.pullManifest(reference, signal, MOST_MANIFEST_BYTES)));
    if (layer === undefined) return { form: 'Broken', place, message: 'it is not one bundle' };
    if (layer.size > mostBytes) return tooLarge(place, mostBytes);
    const json = await collectBytes(registry.pullBlob(reference, layer, signal));
    return { form: 'Bundle', place, subject, json };
  });
}

export function contentOf(manifest: ImageManifest | undefined): BundleContent {
  const [layer, ...others] = manifest?.layers ?? [];
  const isOne = layer !== undefined && others.length === 0;
  return {
    layer: isOne ? { digest: layer.digest, size: layer.size } : undefined,
    subject: manifest?.subject?.digest,
  };
}

/** A bundle by its manifest, for messages. */
export function placeOf(digest: string): string {
  return `signature ${digest}`;
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
  const manifest = await orBroken(place, () => pullIfThere(registry, { image, reference, signal }));
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

/** Content that is not kept, or not fetched at all. */
export function tooLarge(place: string, mostBytes: number): FoundBroken {
  return { form: 'Broken', place, message: `it is larger than ${mostBytes} bytes` };
}

/**
 * Content that is missing or malformed is a broken signature, which hides no other. So is content that a registry fails to
 * deliver, or whose settings cannot be used: it counts only if no signature that was found is trusted.
 */
export async function orBroken<Found>(place: string, pull: () => Promise<Found>): Promise<Found | FoundBroken> {
  try {
    return await pull();
  } catch (error) {
    return brokenBy(place, error);
  }
}

/** @throws the error itself if it has no reason */
export function brokenBy(place: string, error: unknown): FoundBroken {
  if (!(error instanceof ReasonedError)) throw error;
  const { reason, message } = error;
  return { form: 'Broken', place, message, ...(!OF_CONTENT.has(reason) && { failure: error }) };
}

/** Reasons that name a fault of the content. After any other, of a registry or of its settings, the content may be there. */
const OF_CONTENT: ReadonlySet<Reason> = new Set(['ImageNotFound', 'ImageInvalid', 'ImageTooLarge', 'ReferenceInvalid']);

interface TaggedPull {
  /** By digest. */
  readonly image: Reference;
  /** By the tag. */
  readonly reference: Reference;
  readonly signal: AbortSignal;
}

async function pullIfThere(
  registry: SignatureSource,
  { image, reference, signal }: TaggedPull,
): Promise<PulledManifest | undefined> {
  try {
    return await registry.pullManifest(reference, signal);
  } catch (error) {
    if (await meansNoTag(error, () => registry.pullManifest(image, signal))) return undefined;
    throw error;
  }
}

/** The manifest, unless it is an index. */
export function imageIn({ manifest }: PulledManifest): ImageManifest | undefined {
  return manifest.kind === 'image' ? manifest : undefined;
}
