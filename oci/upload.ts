/**
 * One upload by the specification's steps: start, whole or in chunks, finish. push.ts decides which blob goes
 * which way.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pushing-blobs
 */
import { unavailable } from './errors.ts';
import type { BodyStream } from './http-body.ts';
import type { BlobSource } from './blob.ts';
import type { Reference } from './reference.ts';
import type { RegistryRequest, Session } from './session.ts';
import type { HttpResponse } from './transport.ts';

export interface StartOptions {
  readonly digest: string;
  readonly mountFrom: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface StartedUpload {
  readonly location: URL;
  readonly minChunkBytes: number;
}

/** Opens an upload, or mounts the blob from another repository if the registry supports that. */
export async function startUpload(
  session: Session,
  reference: Reference,
  options: StartOptions,
): Promise<'mounted' | StartedUpload> {
  const { digest, mountFrom, signal } = options;
  const query =
    mountFrom === undefined ? '' : `?mount=${encodeURIComponent(digest)}&from=${encodeURIComponent(mountFrom)}`;
  const response = await session.send({
    ...requestFor(reference, signal),
    method: 'POST',
    to: `blobs/uploads/${query}`,
    actions: ['pull', 'push'],
    ...(mountFrom !== undefined && { alsoPull: mountFrom }),
    what: `the start of an upload to ${nameOf(reference)}`,
  });
  await response.discard();
  if (response.status === 201) return 'mounted';
  return {
    location: locationOf(response, reference),
    minChunkBytes: Number(response.headers['oci-chunk-min-length'] ?? 0) || 0,
  };
}

/** A blob on its way into a repository. */
export interface Upload {
  readonly session: Session;
  readonly reference: Reference;
  readonly blob: BlobSource;
  readonly signal: AbortSignal | undefined;
  readonly what: string;
}

/** Closes the upload, with the whole content as its body or after all chunks. */
export async function finishUpload(
  { session, reference, blob, signal, what }: Upload,
  location: URL,
  body?: BodyStream,
): Promise<void> {
  const to = new URL(location);
  to.searchParams.set('digest', blob.digest);
  const response = await session.send({
    ...requestFor(reference, signal),
    method: 'PUT',
    to,
    actions: ['pull', 'push'],
    headers: { 'content-type': 'application/octet-stream' },
    ...(body !== undefined && { body }),
    what,
  });
  await response.discard();
}

/** Sends the content in order, chunk by chunk; if the registry lost count, one request asks for the position. */
export async function sendChunks(upload: Upload, { location, bytes }: { location: URL; bytes: number }): Promise<void> {
  let at = location;
  let offset = 0;
  for await (const piece of pieces(upload.blob.open(), bytes)) {
    at = await sendChunk(upload, { location: at, offset, piece });
    offset += piece.length;
  }
  await finishUpload(upload, at);
}

interface Chunk {
  readonly location: URL;
  readonly offset: number;
  readonly piece: Uint8Array;
}

async function sendChunk(upload: Upload, chunk: Chunk): Promise<URL> {
  const response = await patch(upload, chunk);
  if (response.status !== 416) return locationOf(response, upload.reference);
  const { received, location } = await uploadStatus(upload, chunk.location);
  const missing = received - chunk.offset;
  if (missing === chunk.piece.length) return location;
  if (missing < 0 || missing > chunk.piece.length) throw displaced(upload);
  const rest = { location, offset: received, piece: chunk.piece.subarray(missing) };
  const again = await patch(upload, rest);
  if (again.status === 416) throw displaced(upload);
  return locationOf(again, upload.reference);
}

function displaced({ what }: Upload) {
  const message = `the registry reports another position of the upload than the one that was sent: ${what}`;
  return unavailable(message, { hint: 'Start the push again' });
}

async function patch(
  { session, reference, signal, what }: Upload,
  { location, offset, piece }: Chunk,
): Promise<HttpResponse> {
  const response = await session.send({
    ...requestFor(reference, signal),
    method: 'PATCH',
    to: location,
    actions: ['pull', 'push'],
    headers: {
      'content-type': 'application/octet-stream',
      'content-range': `${offset}-${offset + piece.length - 1}`,
    },
    body: piece,
    accept: [416],
    what,
  });
  await response.discard();
  return response;
}

async function uploadStatus(
  { session, reference, signal, what }: Upload,
  location: URL,
): Promise<{ received: number; location: URL }> {
  const response = await session.send({
    ...requestFor(reference, signal),
    method: 'GET',
    to: location,
    actions: ['pull', 'push'],
    what,
  });
  await response.discard();
  const last = /^(?:bytes=)?0-(\d+)$/.exec(response.headers.range ?? '')?.[1];
  const moved = response.headers.location === undefined ? location : locationOf(response, reference);
  return { received: last === undefined ? 0 : Number(last) + 1, location: moved };
}

/** Gives an upload up; a registry that cannot do that forgets it by itself. */
export async function cancelUpload(
  session: Session,
  reference: Reference,
  options: { location: URL; signal: AbortSignal | undefined },
) {
  const response = await session.send({
    ...requestFor(reference, options.signal),
    method: 'DELETE',
    to: options.location,
    actions: ['pull', 'push'],
    accept: [400, 404, 405],
    what: `the end of an upload to ${nameOf(reference)}`,
  });
  await response.discard();
}

function locationOf({ headers, url }: HttpResponse, { registry, repository }: Reference): URL {
  const { location } = headers;
  if (location === undefined || !URL.canParse(location, url.href)) {
    throw unavailable(`registry ${registry} does not say where to upload to for ${repository}`);
  }
  return new URL(location, url);
}

async function* pieces(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + size - length);
      held.push(part);
      length += part.length;
      at += part.length;
      if (length < size) continue;
      yield Buffer.concat(held);
      held = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.concat(held);
}

/** The fields that every request about a reference has. */
export function requestFor(
  { registry, repository }: Reference,
  signal: AbortSignal | undefined,
): Pick<RegistryRequest, 'registry' | 'repository' | 'signal'> {
  return { registry, repository, ...(signal !== undefined && { signal }) };
}

/** How errors name a repository. */
export function nameOf({ registry, repository }: Reference): string {
  return `${registry}/${repository}`;
}
