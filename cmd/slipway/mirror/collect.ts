/** Copies images with all that refers to them: several at a time, each once, however many names it has. */
import { ReasonedError } from '../../../api/errors.ts';
import { createSlots, inSlots } from '../../../apply/slots.ts';
import { copyImage, type ImageSink } from '../../../oci/copy.ts';
import { formatReference, parseReference, withDigest, withoutScheme, type Reference } from '../../../oci/reference.ts';
import { fallbackTag } from '../../../oci/referrers.ts';
import type { Registry } from '../../../oci/registry.ts';
import type { MirroredImage } from './list.ts';

export interface ToCollect {
  /** As it is named: by tag, by digest, or both. */
  readonly reference: Reference;
  /** The digest by which it was read already: its tag may have moved since. */
  readonly digest?: string;
  readonly role: MirroredImage['role'];
}

export interface CollectOptions {
  readonly sink: ImageSink;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

const AT_A_TIME = 4;

/** Under these tags signers and builders put content of the older form about an image. */
const SUFFIXES = ['sig', 'att', 'sbom'] as const;

/** @throws the errors of a registry; content that was copied stays, and is not copied again by the next run */
export async function collectImages(
  registry: Registry,
  images: readonly ToCollect[],
  { sink, signal, progress }: CollectOptions,
): Promise<readonly MirroredImage[]> {
  const distinct = foremost(images, ({ reference }) => formatReference(reference)).map(([one]) => one);
  let done = 0;
  const collected = await inSlots({ slots: createSlots(AT_A_TIME), signal }, distinct, async (one) => {
    const image = await collectOne(registry, one, { sink, signal });
    done += 1;
    progress(`${done} of ${distinct.length}: ${formatReference(one.reference)}\n`);
    return image;
  });
  return mergeSame(collected);
}

async function collectOne(
  registry: Registry,
  { reference, digest: known, role }: ToCollect,
  { sink, signal }: Pick<CollectOptions, 'sink' | 'signal'>,
): Promise<MirroredImage> {
  const asked = known === undefined ? reference : withDigest(reference, known);
  const digest = await copyImage(registry, asked, sink, signal);
  const { registry: host, repository, tag } = reference;
  const subject = { registry: host, repository, digest };
  const referrers = await collectReferrers(registry, subject, { sink, signal });
  const signatures = await collectTags(registry, subject, { sink, signal });
  // A tag beside a digest need not name that digest.
  const tags = reference.digest === undefined && tag !== undefined ? { [tag]: digest, ...signatures } : signatures;
  return { name: `${host}/${repository}`, digest, role, tags, referrers };
}

async function collectReferrers(
  registry: Registry,
  subject: Reference,
  { sink, signal }: Pick<CollectOptions, 'sink' | 'signal'>,
): Promise<string[]> {
  const listed = await registry.referrers(subject, { signal });
  for (const { digest } of listed) await copyImage(registry, withDigest(subject, digest), sink, signal);
  return listed.map(({ digest }) => digest);
}

async function collectTags(
  registry: Registry,
  subject: Reference,
  { sink, signal }: Pick<CollectOptions, 'sink' | 'signal'>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const suffix of SUFFIXES) {
    const tag = `${fallbackTag(subject)}.${suffix}`;
    const digest = await copyIfThere(registry, { ...subject, tag }, { sink, signal });
    if (digest !== undefined) found[tag] = digest;
  }
  return found;
}

async function copyIfThere(
  registry: Registry,
  { registry: host, repository, tag = '' }: Reference,
  { sink, signal }: Pick<CollectOptions, 'sink' | 'signal'>,
): Promise<string | undefined> {
  try {
    return await copyImage(registry, { registry: host, repository, tag }, sink, signal);
  } catch (error) {
    if (error instanceof ReasonedError && error.reason === 'ImageNotFound') return undefined;
    throw error;
  }
}

/** One entry for each name and digest. */
function mergeSame(images: readonly MirroredImage[]): readonly MirroredImage[] {
  return foremost(images, ({ name, digest }) => `${name}@${digest}`).map(([first, ...others]) => {
    const tags = Object.assign({}, first.tags, ...others.map((one) => one.tags)) as MirroredImage['tags'];
    return { ...first, tags };
  });
}

/** Groups by the key. Bundles and catalogs, which are often among the images of a bundle, come before these. */
function foremost<One extends Pick<MirroredImage, 'role'>>(
  all: readonly One[],
  keyOf: (one: One) => string,
): readonly [One, ...One[]][] {
  const sorted = all.toSorted((a, b) => Number(a.role === 'Image') - Number(b.role === 'Image'));
  return [...Map.groupBy(sorted, keyOf).values()] as [One, ...One[]][];
}

/** The reference of an image that a bundle names; undefined for a text that names none. */
export function readImage(text: string): Reference | undefined {
  try {
    return parseReference(withoutScheme(text));
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}
