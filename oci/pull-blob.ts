/** Blobs as streams: verified while they pass, bounded by their declared size, resumed after a broken connection. */
import { ReasonedError } from '../api/errors.ts';
import { hashFor, hexOf } from './digest.ts';
import { imageTooLarge, mismatch, unavailable } from './errors.ts';
import type { Descriptor } from './manifest.ts';
import { pullPlaces, type RegistryRepository } from './mirrors.ts';
import type { PullContext } from './pull.ts';
import type { Reference } from './reference.ts';
import type { HttpResponse } from './transport.ts';
import { nameOf } from './upload.ts';

/**
 * Streams a blob. Ends normally only if size and digest are right; aborts one byte beyond the declared size. Resumes
 * after a broken connection at the last byte received. A place that fails is passed over, and the next one goes on at that
 * byte. Bytes that prove wrong at the end were handed on already: the next pull of the blob asks their place last.
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
  const places = placesOf(context, reference, descriptor.digest);
  let [at, received] = [0, 0];
  let first: RegistryRepository | undefined;
  for (let failures = 0; ;) {
    const [place, before] = [needPlace(places, at), received];
    try {
      for await (const chunk of blobFrom(context, place, { descriptor, offset: received, what, signal })) {
        first ??= place;
        received += chunk.length;
        if (received > descriptor.size) throw mismatch(`${what} is longer than its ${descriptor.size} bytes`);
        hash.update(chunk);
        yield chunk;
      }
      if (received < descriptor.size) throw unavailable(`${what} ends too early`);
      break;
    } catch (error) {
      if (received > descriptor.size) noteDamaged(context, first, descriptor.digest);
      const isOver = received >= descriptor.size || signal?.aborted === true;
      if (isOver || !(error instanceof ReasonedError)) throw error;
      const [isLast, hasSent] = [at === places.length - 1, received > before];
      failures = hasSent ? 1 : failures + 1;
      const isBroken = error.reason === 'RegistryUnavailable' && error.retry === 'backoff';
      const mayResume = isBroken && received > 0 && failures <= context.limits.resumes;
      // A place that sends nothing more may cost a timeout each time: the next one is asked at once.
      if (mayResume && (hasSent || isLast)) continue;
      if (isLast) throw error;
      [at, failures] = [at + 1, 0];
    }
  }
  if (hash.digest('hex') === hexOf(descriptor.digest)) return;
  noteDamaged(context, first, descriptor.digest);
  throw mismatch(`${what} does not have its digest`);
}

/** Mirrors first, but those last that have served other bytes for the digest, and of these the last one to do so. */
function placesOf(
  { mirrors, damaged }: PullContext,
  reference: Reference,
  digest: string,
): readonly RegistryRepository[] {
  const noted = [...damaged];
  const rank = (place: RegistryRepository): number => noted.indexOf(keyOf(place, digest));
  return pullPlaces(reference, mirrors).toSorted((a, b) => rank(a) - rank(b));
}

function needPlace(places: readonly RegistryRepository[], at: number): RegistryRepository {
  const place = places[at];
  if (place === undefined) throw new Error('a reference has at least one place');
  return place;
}

const MOST_DAMAGED = 1000;

function noteDamaged({ damaged }: PullContext, place: RegistryRepository | undefined, digest: string): void {
  if (place === undefined) return;
  const key = keyOf(place, digest);
  damaged.delete(key);
  damaged.add(key);
  const [oldest] = damaged;
  if (damaged.size > MOST_DAMAGED && oldest !== undefined) damaged.delete(oldest);
}

function keyOf({ registry, repository }: RegistryRepository, digest: string): string {
  return `${registry}/${repository}@${digest}`;
}

interface BlobRequest {
  readonly descriptor: Pick<Descriptor, 'digest' | 'size'>;
  readonly offset: number;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

async function* blobFrom(
  context: PullContext,
  place: RegistryRepository,
  request: BlobRequest,
): AsyncGenerator<Uint8Array> {
  const { offset, descriptor } = request;
  const response = await openBlob(context, place, request);
  const partial = response.status === 206;
  if (partial && !startsAt(response, offset)) {
    await response.discard();
    throw unavailable(`${request.what} is answered with another range than asked for`);
  }
  const expected = partial ? descriptor.size - offset : descriptor.size;
  const declared = response.headers['content-length'];
  if (declared !== undefined && Number(declared) !== expected) {
    await response.discard();
    throw mismatch(`${request.what} is not ${descriptor.size} bytes long`);
  }
  yield* partial || offset === 0 ? response.body : skip(response.body, offset);
}

async function openBlob(
  { session }: PullContext,
  place: RegistryRepository,
  request: BlobRequest,
): Promise<HttpResponse> {
  return session.send({
    ...place,
    method: 'GET',
    to: `blobs/${request.descriptor.digest}`,
    actions: ['pull'],
    headers: request.offset === 0 ? {} : { range: `bytes=${request.offset}-` },
    what: request.what,
    ...(request.signal !== undefined && { signal: request.signal }),
  });
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
