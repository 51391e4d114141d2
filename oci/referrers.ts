/**
 * The manifests that refer to an image: signatures, SBOMs and others that name it as their subject. If a registry has
 * no API for that, an index under a tag made of the subject's digest replaces it, and is kept here.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-referrers
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ReasonedError } from '../api/errors.ts';
import { hexOf, algorithmOf } from './digest.ts';
import { endlessList, imageInvalid, listTooLong, unavailable } from './errors.ts';
import { nextPage } from './link.ts';
import { type Descriptor, MEDIA_TYPE, parseManifest } from './manifest.ts';
import { pullPlaces } from './mirrors.ts';
import { type PullContext, pullManifest } from './pull.ts';
import { pushManifest } from './push.ts';
import { formatReference, type Reference, withTag } from './reference.ts';
import { readBody } from './http-body.ts';
import { type HttpResponse } from './transport.ts';

export interface ReferrerLimits {
  readonly referrers: number;
  readonly pages: number;
  /** Bytes of all pages. */
  readonly referrerBytes: number;
}

export interface ReferrersOptions {
  /** Only those of this type. */
  readonly artifactType?: string | undefined;
  readonly limits: ReferrerLimits;
  readonly signal?: AbortSignal | undefined;
  /** Called for each place that fails, if others list some: the list may lack those of that place. A mirror that refuses has none. */
  readonly onFailure?: ((failure: ReasonedError) => void) | undefined;
}

/**
 * An entry of the list. A list has thousands of entries, each with annotations of any length: the one that distinguishes
 * signatures from attestations is kept.
 */
export interface Referrer extends Pick<Descriptor, 'digest' | 'size' | 'artifactType'> {
  /** Type of the statement in a Sigstore bundle, if the entry says it. */
  readonly predicateType?: string;
}

export const PREDICATE_ANNOTATION = 'dev.sigstore.bundle.predicateType';

/** More characters than any type has. */
const MOST_OF_TYPE = 1024;

/**
 * The manifests that name the reference's digest as their subject. The lists of all places are joined, since many mirrors
 * leave signatures behind, or have referrers of their own; the last place, which is the source, decides about an entry
 * that several have. The list is the registry's word: whether a manifest really has that subject shows only when it is
 * pulled.
 *
 * @throws the error of a place that failed, if no place lists any; ImageTooLarge
 */
export async function referrers(
  context: PullContext,
  subject: Reference,
  options: ReferrersOptions,
): Promise<readonly Referrer[]> {
  const { artifactType, limits, onFailure } = options;
  const found = new Map<string, Referrer>();
  const failures: ReasonedError[] = [];
  const places = pullPlaces(subject, context.mirrors);
  for (const place of places) {
    try {
      for (const one of await referrersAt(context, { ...subject, ...place }, options))
        if (artifactType === undefined || one.artifactType === artifactType) found.set(one.digest, one);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
      // Many registries refuse what does not exist: such a mirror has no copy. The last place decides.
      if (error.reason !== 'RegistryDenied' || place === places.at(-1)) failures.push(error);
    }
    if (found.size > limits.referrers) throw tooMany(subject, limits);
  }
  const last = failures.at(-1);
  if (last !== undefined && found.size === 0) throw last;
  for (const failure of failures) onFailure?.(failure);
  return [...found.values()];
}

/**
 * The list of one place, of the API or of the tag. Some registries refuse paths that they do not know: then the tag counts if it
 * lists any, else nothing is known. A tag that cannot be read now may list some later.
 */
async function referrersAt(
  context: PullContext,
  subject: Reference,
  options: ReferrersOptions,
): Promise<readonly Referrer[]> {
  const here = { ...context, mirrors: [] };
  try {
    const listed = await fromApi(here, subject, options);
    if (listed !== undefined) return listed;
  } catch (error) {
    if (!isDenied(error)) throw error;
    const listed = await fromTag(here, subject, options).catch((later: unknown) => {
      throw isDenied(later) ? error : later;
    });
    if (listed.length === 0) throw error;
    return listed;
  }
  return fromTag(here, subject, options);
}

function isDenied(error: unknown): boolean {
  return error instanceof ReasonedError && error.reason === 'RegistryDenied';
}

export interface ReferrerManifest {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Described for the list of referrers. */
  readonly artifactType: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Pushes a manifest that has a `subject`, and adds it to the index tag of the subject if the registry keeps no list
 * itself. Returns its digest.
 */
export async function pushReferrer(
  context: PullContext,
  subject: Reference,
  { manifest, options }: { readonly manifest: ReferrerManifest; readonly options: ReferrersOptions },
): Promise<string> {
  const { registry, repository } = subject;
  const { bytes, mediaType, artifactType, annotations } = manifest;
  const pushed = await pushManifest(
    context.session,
    { registry, repository },
    { bytes, mediaType, signal: options.signal },
  );
  if (pushed.subjectNoted) return pushed.digest;
  const entry = {
    mediaType,
    digest: pushed.digest,
    size: bytes.length,
    artifactType,
    ...(annotations !== undefined && { annotations }),
  };
  await addToTag(context, subject, { entry, options });
  return pushed.digest;
}

/** The list of the API, all pages; undefined if the registry has no such API. */
async function fromApi(
  context: PullContext,
  subject: Reference,
  options: ReferrersOptions,
): Promise<readonly Referrer[] | undefined> {
  const { limits, artifactType } = options;
  const what = nameOfList(subject);
  const found: Referrer[] = [];
  let bytes = 0;
  const visited = new Set<string>();
  const filter = artifactType === undefined ? '' : `?artifactType=${encodeURIComponent(artifactType)}`;
  let to: string | URL | undefined = `referrers/${digestOfSubject(subject)}${filter}`;
  while (to !== undefined) {
    const response: HttpResponse = await ask(context, subject, { to, what, signal: options.signal }).catch(
      (error: unknown) => {
        throw visited.size > 0 && isDenied(error) ? lacksPage(what) : error;
      },
    );
    const page = await readPage(context, response, what);
    if (page === undefined && visited.size > 0) throw lacksPage(what);
    if (page === undefined) return undefined;
    visited.add(response.url.href);
    found.push(...page.entries);
    bytes += page.bytes;
    if (found.length > limits.referrers || visited.size > limits.pages || bytes > limits.referrerBytes)
      throw tooMany(subject, limits);
    to = nextPage(response, what);
    if (to !== undefined && visited.has(to.href)) throw endlessList(what);
  }
  return found;
}

interface Ask {
  readonly to: string | URL;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/** The list of a tag would be shorter, too. */
function lacksPage(what: string): ReasonedError {
  return unavailable(`${what} lack one of their pages`);
}

async function ask(
  { session }: PullContext,
  { registry, repository }: Reference,
  { to, what, signal }: Ask,
): Promise<HttpResponse> {
  return session.send({
    registry,
    repository,
    method: 'GET',
    to,
    actions: ['pull'],
    headers: { accept: MEDIA_TYPE.ociIndex },
    accept: [400, 404, 405, 406, 501],
    // One registry sends to a page for people, which refuses clients that ask too often.
    acceptElsewhere: true,
    what,
    ...(signal !== undefined && { signal }),
  });
}

function typeOf({ headers }: HttpResponse): string | undefined {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}

interface Page {
  readonly entries: readonly Referrer[];
  readonly bytes: number;
}

/** Undefined for a registry without the API: it answers with an error, or with something that is no index. */
async function readPage({ limits }: PullContext, response: HttpResponse, what: string): Promise<Page | undefined> {
  const type = typeOf(response);
  if (response.status !== 200 || type !== MEDIA_TYPE.ociIndex) {
    await response.discard();
    return undefined;
  }
  const bytes = await readBody(response, limits.manifestBytes, () => listTooLong(`${what} come in too large a page`));
  const index = parseManifest(bytes, type, { what, byDigest: false });
  return index.kind === 'index' ? { entries: index.manifests.map(referrerOf), bytes: bytes.length } : undefined;
}

function referrerOf({ digest, size, artifactType, annotations }: Descriptor): Referrer {
  const predicateType = annotations?.[PREDICATE_ANNOTATION] ?? '';
  const isTold = predicateType !== '' && predicateType.length <= MOST_OF_TYPE;
  return { digest, size, ...(artifactType !== undefined && { artifactType }), ...(isTold && { predicateType }) };
}

function nameOfList(subject: Reference): string {
  return `the referrers of ${formatReference(subject)}`;
}

function tooMany(subject: Reference, { referrers: count, referrerBytes }: ReferrerLimits): ReasonedError {
  return listTooLong(`${nameOfList(subject)} are more than ${count}, or have more than ${referrerBytes} bytes`);
}

async function fromTag(
  context: PullContext,
  subject: Reference,
  options: ReferrersOptions,
): Promise<readonly Referrer[]> {
  const { index } = await readTagIfThere(context, subject, options);
  if (index.length > options.limits.referrers) throw tooMany(subject, options.limits);
  return index.map(referrerOf);
}

interface TagIndex {
  readonly index: readonly Descriptor[];
  readonly digest: string | undefined;
}

async function readTag(context: PullContext, subject: Reference, { signal }: ReferrersOptions): Promise<TagIndex> {
  const tag = withTag(subject, fallbackTag(subject));
  try {
    const { manifest, digest } = await pullManifest(context, tag, signal);
    if (manifest.kind === 'index') return { index: manifest.manifests, digest };
    throw imageInvalid(`${formatReference(tag)} is not a list of referrers`, false);
  } catch (error) {
    if (error instanceof ReasonedError && error.reason === 'ImageNotFound') return NO_TAG;
    throw error;
  }
}

const NO_TAG: TagIndex = { index: [], digest: undefined };

/** For readers alone: a writer that takes a refused list for none would replace it. */
async function readTagIfThere(context: PullContext, subject: Reference, options: ReferrersOptions): Promise<TagIndex> {
  try {
    return await readTag(context, subject, options);
  } catch (error) {
    if (await meansNoTag(error, () => pullManifest(context, subject, options.signal))) return NO_TAG;
    throw error;
  }
}

/**
 * Whether the failed pull of a tag says that there is no such tag. Some registries refuse a tag that does not exist: if
 * the image itself can be read, so could the tag.
 */
export async function meansNoTag(error: unknown, pullImage: () => Promise<unknown>): Promise<boolean> {
  if (!(error instanceof ReasonedError)) return false;
  if (error.reason !== 'RegistryDenied') return error.reason === 'ImageNotFound';
  return pullImage().then(
    () => true,
    () => false,
  );
}

const ATTEMPTS = 5;

/** Reads, adds, writes, and reads again: another writer may have been there in between. */
async function addToTag(
  context: PullContext,
  subject: Reference,
  { entry, options }: { readonly entry: Descriptor; readonly options: ReferrersOptions },
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await readTag(context, subject, options);
    if (before.index.some(({ digest }) => digest === entry.digest)) return;
    const index = { schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, manifests: [...before.index, entry] };
    await pushManifest(context.session, withTag(subject, fallbackTag(subject)), {
      bytes: Buffer.from(JSON.stringify(index)),
      mediaType: MEDIA_TYPE.ociIndex,
      headers: before.digest === undefined ? {} : { 'if-match': `"${before.digest}"` },
      signal: options.signal,
    });
    const after = await readTag(context, subject, options);
    if (after.index.some(({ digest }) => digest === entry.digest)) return;
    await pause(attempt * 50 + Math.random() * 50);
  }
  throw unavailable(`the list of referrers of ${formatReference(subject)} is changed by others all the time`);
}

/** `sha256:abc` → `sha256-abc`, cut as the specification says. */
export function fallbackTag(subject: Reference): string {
  const digest = digestOfSubject(subject);
  return `${algorithmOf(digest)}-${hexOf(digest).slice(0, 64)}`;
}

function digestOfSubject({ digest }: Reference): string {
  if (digest === undefined) throw new Error('referrers are asked for by digest');
  return digest;
}
