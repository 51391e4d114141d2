/**
 * The writing half of a registry: blobs (only where missing, mounted where possible, whole or in chunks) and
 * manifests. What is written is what the digest says, by the registry's own check and by what it answers.
 */
import { digestOf } from './digest.ts';
import { mismatch, unavailable } from './errors.ts';
import { formatReference, type Reference } from './reference.ts';
import type { RegistryRequest, Session } from './session.ts';
import type { BodyStream, HttpResponse } from './transport.ts';

export interface BlobSource {
  readonly digest: string;
  readonly size: number;
  /** Starts the content from its beginning; called again where the registry asks for credentials. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

export interface PushBlobOptions {
  /** Repository of the same registry that may have the blob already. */
  readonly mountFrom?: string;
  /** Send in pieces of this size instead of at once. */
  readonly chunkBytes?: number;
  readonly signal?: AbortSignal;
}

/** How the blob came to be there. */
export type Pushed = 'present' | 'mounted' | 'uploaded';

/** A blob of bytes in memory. */
export function blobOf(bytes: Uint8Array): BlobSource {
  return { digest: digestOf(bytes), size: bytes.length, open: () => once(bytes) };
}

/** Whether the repository has the blob. */
export async function hasBlob(
  session: Session,
  reference: Reference,
  options: { digest: string; signal?: AbortSignal | undefined },
) {
  const response = await session.send({
    ...call(reference, options.signal),
    method: 'HEAD',
    to: `blobs/${options.digest}`,
    actions: ['pull'],
    accept: [404],
    what: `blob ${options.digest} of ${nameOf(reference)}`,
  });
  await response.discard();
  return response.status === 200;
}

/** Puts a blob into the repository unless it is there. @see the distribution specification, "Pushing blobs" */
export async function pushBlob(
  session: Session,
  reference: Reference,
  { blob, options }: { readonly blob: BlobSource; readonly options: PushBlobOptions },
): Promise<Pushed> {
  const { digest } = blob;
  const { mountFrom, signal, chunkBytes } = options;
  if (await hasBlob(session, reference, { digest, signal })) return 'present';
  const started = await startUpload(session, reference, { digest, mountFrom, signal });
  if (started === 'mounted') return 'mounted';
  const upload = { session, reference, blob, signal, what: `the upload of blob ${digest} to ${nameOf(reference)}` };
  if (chunkBytes === undefined) await finishUpload(upload, started.location, { length: blob.size, open: blob.open });
  else await sendChunks(upload, { location: started.location, bytes: Math.max(chunkBytes, started.minChunkBytes) });
  return 'uploaded';
}

/** Takes a blob over from another repository of the registry; false where the registry does not do that. */
export async function mountBlob(
  session: Session,
  reference: Reference,
  options: { readonly digest: string; readonly from: string; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const { digest, from, signal } = options;
  const started = await startUpload(session, reference, { digest, mountFrom: from, signal });
  if (started === 'mounted') return true;
  await cancelUpload(session, reference, { location: started.location, signal });
  return false;
}

export interface PushManifestResult {
  readonly digest: string;
  /** Whether the registry took note of the manifest's `subject`; else the caller keeps the list of referrers. */
  readonly subjectNoted: boolean;
}

/** Puts a manifest under the reference's tag, or under its digest where it has no tag. Its blobs come first. */
export async function pushManifest(
  session: Session,
  reference: Reference,
  options: {
    readonly bytes: Uint8Array;
    readonly mediaType: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<PushManifestResult> {
  const { bytes, mediaType, headers, signal } = options;
  const digest = digestOf(bytes);
  const what = `the push of the manifest of ${formatReference(reference)}`;
  if (reference.digest !== undefined && reference.digest !== digest)
    throw new Error('manifest pushed under a wrong digest');
  const response = await session.send({
    ...call(reference, signal),
    method: 'PUT',
    to: `manifests/${reference.tag ?? digest}`,
    actions: ['pull', 'push'],
    headers: { 'content-type': mediaType, ...headers },
    body: bytes,
    what,
  });
  await response.discard();
  const stored = response.headers['docker-content-digest'];
  if (typeof stored === 'string' && stored.startsWith('sha256:') && stored !== digest) {
    throw mismatch(`registry ${reference.registry} stored something else at ${what}`, false);
  }
  return { digest, subjectNoted: response.headers['oci-subject'] !== undefined };
}

/** Deletes by digest, or a tag alone where the registry supports that. */
export async function deleteManifest(session: Session, reference: Reference, signal?: AbortSignal): Promise<void> {
  const response = await session.send({
    ...call(reference, signal),
    method: 'DELETE',
    to: `manifests/${reference.digest ?? reference.tag ?? ''}`,
    actions: ['delete', 'pull', 'push'],
    what: `the deletion of ${formatReference(reference)}`,
  });
  await response.discard();
}

interface StartOptions {
  readonly digest: string;
  readonly mountFrom: string | undefined;
  readonly signal: AbortSignal | undefined;
}

interface StartedUpload {
  readonly location: URL;
  readonly minChunkBytes: number;
}

async function startUpload(
  session: Session,
  reference: Reference,
  options: StartOptions,
): Promise<'mounted' | StartedUpload> {
  const { digest, mountFrom, signal } = options;
  const query =
    mountFrom === undefined ? '' : `?mount=${encodeURIComponent(digest)}&from=${encodeURIComponent(mountFrom)}`;
  const response = await session.send({
    ...call(reference, signal),
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

interface Upload {
  readonly session: Session;
  readonly reference: Reference;
  readonly blob: BlobSource;
  readonly signal: AbortSignal | undefined;
  readonly what: string;
}

async function finishUpload(
  { session, reference, blob, signal, what }: Upload,
  location: URL,
  body?: BodyStream,
): Promise<void> {
  const to = new URL(location);
  to.searchParams.set('digest', blob.digest);
  const response = await session.send({
    ...call(reference, signal),
    method: 'PUT',
    to,
    actions: ['pull', 'push'],
    headers: { 'content-type': 'application/octet-stream' },
    ...(body !== undefined && { body }),
    what,
  });
  await response.discard();
}

/** In order and one by one; where the registry lost count, it is asked once how far it got. */
async function sendChunks(upload: Upload, { location, bytes }: { location: URL; bytes: number }): Promise<void> {
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
  if (missing < 0 || missing > chunk.piece.length) throw unavailable(`${upload.what} lost its place`);
  const rest = { location, offset: received, piece: chunk.piece.subarray(missing) };
  const again = await patch(upload, rest);
  if (again.status === 416) throw unavailable(`${upload.what} lost its place`);
  return locationOf(again, upload.reference);
}

async function patch(
  { session, reference, signal, what }: Upload,
  { location, offset, piece }: Chunk,
): Promise<HttpResponse> {
  const response = await session.send({
    ...call(reference, signal),
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
    ...call(reference, signal),
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

async function cancelUpload(
  session: Session,
  reference: Reference,
  options: { location: URL; signal: AbortSignal | undefined },
) {
  const response = await session.send({
    ...call(reference, options.signal),
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

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function call(
  { registry, repository }: Reference,
  signal: AbortSignal | undefined,
): Pick<RegistryRequest, 'registry' | 'repository' | 'signal'> {
  return { registry, repository, ...(signal !== undefined && { signal }) };
}

function nameOf({ registry, repository }: Reference): string {
  return `${registry}/${repository}`;
}
