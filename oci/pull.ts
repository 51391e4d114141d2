/**
 * The reading half of a registry: what a tag points to, manifests, blobs. Whatever is returned has been checked
 * against its digest; a blob is checked while it streams, so its end decides.
 */
import { ReasonedError } from '../api/errors.ts';
import { digestOf, hashFor, hexOf, isDigest, matchesDigest } from './digest.ts';
import { answerError, imageInvalid, imageTooLarge, mismatch, unavailable } from './errors.ts';
import { type Descriptor, type Manifest, MANIFEST_ACCEPT, type Origin, parseManifest } from './manifest.ts';
import { type Mirror, type Place, pullPlaces } from './mirrors.ts';
import { formatReference, identifierOf, type Reference } from './reference.ts';
import type { Session } from './session.ts';
import { type HttpResponse, readBody } from './transport.ts';

export interface PullLimits {
  readonly manifestBytes: number;
  readonly blobBytes: number;
  /** How often a broken blob is taken up again where it stopped. */
  readonly resumes: number;
}

export interface PullContext {
  readonly session: Session;
  readonly limits: PullLimits;
  readonly mirrors: readonly Mirror[];
}

/** What a reference stands for right now. */
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
  readonly manifest: Manifest;
}

/** Asks by HEAD, and by GET where the registry does not answer that with a digest. */
export async function resolve(context: PullContext, reference: Reference, signal?: AbortSignal): Promise<Resolved> {
  const head = await askHead(context, reference, signal);
  if (head !== undefined) return head;
  const { digest, mediaType, bytes } = await pullManifest(context, reference, signal);
  return { digest, mediaType, size: bytes.length };
}

/** Fetches and checks a manifest or index. */
export async function pullManifest(
  context: PullContext,
  reference: Reference,
  signal?: AbortSignal,
): Promise<PulledManifest> {
  return fromFirst(pullPlaces(reference, context.mirrors), async (place) => {
    const origin = originOf(reference);
    const response = await context.session.send(manifestRequest(place, reference, { method: 'GET', signal }));
    const limit = context.limits.manifestBytes;
    const bytes = await readBody(response, limit, () =>
      imageTooLarge(`${origin.what} is larger than ${limit} bytes`, origin.byDigest),
    );
    const digest = verifiedDigest(bytes, response, reference);
    const manifest = parseManifest(bytes, response.headers['content-type'], origin);
    return { bytes, digest, mediaType: manifest.mediaType ?? '', manifest };
  });
}

/**
 * Streams a blob. Ends normally only where size and digest are right; aborts one byte beyond the declared size. A
 * broken connection is taken up where it stopped.
 */
export async function* pullBlob(
  context: PullContext,
  reference: Reference,
  options: { readonly descriptor: Pick<Descriptor, 'digest' | 'size'>; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { descriptor, signal } = options;
  const what = `blob ${descriptor.digest} of ${nameOf(reference)}`;
  if (descriptor.size > context.limits.blobBytes) {
    throw imageTooLarge(`${what} is larger than ${context.limits.blobBytes} bytes`, true);
  }
  const hash = hashFor(descriptor.digest);
  let received = 0;
  for (let failures = 0; ;) {
    const before = received;
    try {
      for await (const chunk of blobFrom(context, reference, { descriptor, offset: received, what, signal })) {
        received += chunk.length;
        if (received > descriptor.size) throw mismatch(`${what} is longer than its ${descriptor.size} bytes`, true);
        hash.update(chunk);
        yield chunk;
      }
      if (received < descriptor.size) throw unavailable(`${what} ends too early`);
      break;
    } catch (error) {
      failures = received > before ? 1 : failures + 1;
      const again =
        error instanceof ReasonedError && error.reason === 'RegistryUnavailable' && error.retry === 'backoff';
      if (!again || received === 0 || received === descriptor.size || failures > context.limits.resumes) throw error;
    }
  }
  if (hash.digest('hex') !== hexOf(descriptor.digest)) throw mismatch(`${what} does not have its digest`, true);
}

function manifestRequest(
  place: Place,
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

async function askHead(
  context: PullContext,
  reference: Reference,
  signal: AbortSignal | undefined,
): Promise<Resolved | undefined> {
  return fromFirst(pullPlaces(reference, context.mirrors), async (place) => {
    const request = { ...manifestRequest(place, reference, { method: 'HEAD', signal }), accept: [404, 405, 400, 501] };
    const response = await context.session.send(request);
    await response.discard();
    if (response.status === 404) {
      throw answerError(place.registry, request.what, { status: 404, headers: response.headers, code: undefined });
    }
    return response.status === 200 ? describeHead(response, reference) : undefined;
  });
}

/** Undefined where the answer lacks what GET would tell. */
function describeHead({ headers }: HttpResponse, reference: Reference): Resolved | undefined {
  const digest = headers['docker-content-digest'];
  const mediaType = headers['content-type']?.split(';')[0]?.trim() ?? '';
  const size = Number(headers['content-length'] ?? Number.NaN);
  if (typeof digest !== 'string' || !isDigest(digest) || mediaType === '' || !Number.isSafeInteger(size))
    return undefined;
  if (reference.digest !== undefined && reference.digest !== digest) {
    throw mismatch(`${originOf(reference).what} is offered with another digest`, true);
  }
  return { digest, mediaType, size };
}

function verifiedDigest(bytes: Buffer, { headers }: HttpResponse, reference: Reference): string {
  const origin = originOf(reference);
  const claimed = headers['docker-content-digest'];
  const expected = reference.digest ?? (typeof claimed === 'string' ? claimed : digestOf(bytes));
  if (!isDigest(expected))
    throw imageInvalid(`${origin.what} comes with a digest that cannot be checked`, origin.byDigest);
  if (!matchesDigest(bytes, expected)) throw mismatch(`${origin.what} does not have its digest`, origin.byDigest);
  return expected;
}

interface BlobRequest {
  readonly descriptor: Pick<Descriptor, 'digest' | 'size'>;
  readonly offset: number;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

async function* blobFrom(context: PullContext, reference: Reference, request: BlobRequest): AsyncGenerator<Uint8Array> {
  const { offset, descriptor } = request;
  const response = await openBlob(context, reference, request);
  const partial = response.status === 206;
  if (partial && !startsAt(response, offset)) {
    await response.discard();
    throw unavailable(`${request.what} is answered with another range than asked for`);
  }
  const expected = partial ? descriptor.size - offset : descriptor.size;
  const declared = response.headers['content-length'];
  if (declared !== undefined && Number(declared) !== expected) {
    await response.discard();
    throw mismatch(`${request.what} is not ${descriptor.size} bytes long`, true);
  }
  yield* partial || offset === 0 ? response.body : skip(response.body, offset);
}

async function openBlob(context: PullContext, reference: Reference, request: BlobRequest): Promise<HttpResponse> {
  return fromFirst(pullPlaces(reference, context.mirrors), (place) =>
    context.session.send({
      ...place,
      method: 'GET',
      to: `blobs/${request.descriptor.digest}`,
      actions: ['pull'],
      headers: request.offset === 0 ? {} : { range: `bytes=${request.offset}-` },
      what: request.what,
      ...(request.signal !== undefined && { signal: request.signal }),
    }),
  );
}

function startsAt({ headers }: HttpResponse, offset: number): boolean {
  return headers['content-range']?.startsWith(`bytes ${offset}-`) === true;
}

async function* skip(body: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of body) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

/** A mirror that fails in whatever way is passed over; the failure of the last place is the one that counts. */
async function fromFirst<Result>(places: readonly Place[], ask: (place: Place) => Promise<Result>): Promise<Result> {
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

/** How errors name what a reference stands for. */
export function originOf(reference: Reference): Origin {
  return { what: `the manifest of ${formatReference(reference)}`, byDigest: reference.digest !== undefined };
}

function nameOf({ registry, repository }: Reference): string {
  return `${registry}/${repository}`;
}
