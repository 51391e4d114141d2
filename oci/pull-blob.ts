/** Blobs as streams: verified while they pass, bounded by their declared size, resumed after a broken connection. */
import { ReasonedError } from '../api/errors.ts';
import { hashFor, hexOf } from './digest.ts';
import { imageTooLarge, mismatch, unavailable } from './errors.ts';
import type { Descriptor } from './manifest.ts';
import { pullPlaces } from './mirrors.ts';
import { fromFirst, type PullContext } from './pull.ts';
import type { Reference } from './reference.ts';
import type { HttpResponse } from './transport.ts';
import { nameOf } from './upload.ts';

/**
 * Streams a blob. Ends normally only if size and digest are right; aborts one byte beyond the declared size. Resumes
 * after a broken connection at the last byte received.
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
        if (received > descriptor.size) throw mismatch(`${what} is longer than its ${descriptor.size} bytes`);
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
  if (hash.digest('hex') !== hexOf(descriptor.digest)) throw mismatch(`${what} does not have its digest`);
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
    throw mismatch(`${request.what} is not ${descriptor.size} bytes long`);
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
