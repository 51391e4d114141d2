/** Resolves tags and pulls manifests: every result has been checked against its digest. pull-blob.ts pulls blobs. */
import { ReasonedError } from '../api/errors.ts';
import { digestOf, isDigest, matchesDigest } from './digest.ts';
import { answerError, imageInvalid, imageTooLarge, mismatch } from './errors.ts';
import { type OciManifest, MANIFEST_ACCEPT, type Origin, parseManifest } from './manifest.ts';
import { type Mirrors, type RegistryRepository, pullPlaces } from './mirrors.ts';
import { formatReference, identifierOf, type Reference } from './reference.ts';
import type { Session } from './session.ts';
import { readBody } from './http-body.ts';
import { type HttpResponse } from './transport.ts';

export interface PullLimits {
  readonly manifestBytes: number;
  readonly blobBytes: number;
  /** How often a broken pull of a blob is resumed. */
  readonly resumes: number;
}

export interface PullContext {
  readonly session: Session;
  readonly limits: PullLimits;
  readonly mirrors: Mirrors;
  /** Mutable: the places that have served other bytes for a blob, each with its digest, the last one to do so at the end. */
  readonly damaged: Set<string>;
}

/** The manifest that a reference names right now. */
export interface Resolved {
  readonly digest: string;
  readonly mediaType: string;
  /** Bytes of the manifest. */
  readonly size: number;
}

export interface PulledManifest {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly mediaType: string;
  readonly manifest: OciManifest;
}

/**
 * Sends HEAD, and GET if the registry does not answer that with a digest: one without HEAD may answer as if nothing were there, and
 * one may refuse HEAD to those who may read. The error of GET is the one that is thrown.
 */
export async function resolve(context: PullContext, reference: Reference, signal?: AbortSignal): Promise<Resolved> {
  const asked: AskedPlaces = { places: pullPlaces(reference, context.mirrors), refusing: new Set(), signal };
  const head = await askHead(context, reference, asked).catch((error: unknown) =>
    asked.refusing.size > 0 ? undefined : missingAsUndefined(error),
  );
  if (head !== undefined) return head;
  const { digest, mediaType, bytes } = await pullFrom(context, reference, asked);
  return { digest, mediaType, size: bytes.length };
}

/** The places that a manifest is read from. */
interface AskedPlaces {
  readonly places: readonly RegistryRepository[];
  /** Mutable: those that have refused HEAD, if need be with fresh credentials. */
  readonly refusing: Set<RegistryRepository>;
  readonly signal: AbortSignal | undefined;
}

/** Fetches and checks a manifest or index. */
export async function pullManifest(
  context: PullContext,
  reference: Reference,
  signal?: AbortSignal,
): Promise<PulledManifest> {
  const places = pullPlaces(reference, context.mirrors);
  return pullFrom(context, reference, { places, refusing: new Set(), signal });
}

function pullFrom(
  context: PullContext,
  reference: Reference,
  { places, refusing, signal }: AskedPlaces,
): Promise<PulledManifest> {
  return fromFirst(places, async (place) => {
    const origin = originOf(reference);
    const request = manifestRequest(place, reference, { method: 'GET', signal });
    const response = await context.session.send({ ...request, isRenewed: refusing.has(place) });
    const limit = context.limits.manifestBytes;
    const bytes = await readBody(response, limit, () =>
      imageTooLarge(`${origin.what} is larger than ${limit} bytes`, origin.byDigest),
    );
    const digest = verifiedDigest(bytes, response, reference);
    const manifest = parseManifest(bytes, response.headers['content-type'], origin);
    return { bytes, digest, mediaType: manifest.mediaType ?? '', manifest };
  });
}

function manifestRequest(
  place: RegistryRepository,
  reference: Reference,
  options: { method: 'GET' | 'HEAD'; signal: AbortSignal | undefined },
) {
  return {
    ...place,
    method: options.method,
    to: `manifests/${identifierOf(reference)}`,
    actions: ['pull'] as const,
    headers: { accept: MANIFEST_ACCEPT },
    what: originOf(reference).what,
    ...(options.signal !== undefined && { signal: options.signal }),
  };
}

function missingAsUndefined(error: unknown): undefined {
  if (!(error instanceof ReasonedError) || error.reason !== 'ImageNotFound') throw error;
}

/** Answers to HEAD that say nothing about GET. */
const NO_HEAD: readonly number[] = [400, 403, 404, 405, 501];

async function askHead(
  context: PullContext,
  reference: Reference,
  { places, refusing, signal }: AskedPlaces,
): Promise<Resolved | undefined> {
  return fromFirst(places, async (place) => {
    const request = { ...manifestRequest(place, reference, { method: 'HEAD', signal }), accept: NO_HEAD };
    const response = await context.session.send(request);
    await response.discard();
    const { status, headers } = response;
    if (status === 403) refusing.add(place);
    // The next place may have it, and answer HEAD.
    if (status === 404 || status === 403)
      throw answerError(place.registry, request.what, { status, headers, code: undefined });
    return status === 200 ? describeHead(response, reference) : undefined;
  });
}

/** Undefined if the answer lacks a fact that GET would give. */
function describeHead({ headers }: HttpResponse, reference: Reference): Resolved | undefined {
  const digest = headers['docker-content-digest'];
  const mediaType = headers['content-type']?.split(';')[0]?.trim() ?? '';
  const size = Number(headers['content-length'] ?? Number.NaN);
  if (typeof digest !== 'string' || !isDigest(digest) || mediaType === '' || !Number.isSafeInteger(size))
    return undefined;
  if (reference.digest !== undefined && reference.digest !== digest) {
    throw mismatch(`${originOf(reference).what} is offered with another digest`);
  }
  return { digest, mediaType, size };
}

function verifiedDigest(bytes: Buffer, { headers }: HttpResponse, reference: Reference): string {
  const origin = originOf(reference);
  const claimed = headers['docker-content-digest'];
  const expected = reference.digest ?? (typeof claimed === 'string' ? claimed : digestOf(bytes));
  if (!isDigest(expected))
    throw imageInvalid(`${origin.what} comes with a digest that cannot be checked`, origin.byDigest);
  if (!matchesDigest(bytes, expected)) throw mismatch(`${origin.what} does not have its digest`);
  return expected;
}

/** A mirror that fails in any way is skipped; the failure of the last place is reported. */
export async function fromFirst<Result>(
  places: readonly RegistryRepository[],
  ask: (place: RegistryRepository) => Promise<Result>,
): Promise<Result> {
  for (const place of places.slice(0, -1)) {
    try {
      return await ask(place);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
    }
  }
  const last = places.at(-1);
  if (last === undefined) throw new Error('a reference has at least one place');
  return ask(last);
}

/** The name of a reference in errors. */
export function originOf(reference: Reference): Origin {
  return { what: `the manifest of ${formatReference(reference)}`, byDigest: reference.digest !== undefined };
}
