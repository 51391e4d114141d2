/**
 * The writing half of a registry: blobs (only if missing, mounted if possible, whole or in chunks) and manifests. The
 * check of the registry and its answer confirm that the written content has its digest.
 */
import type { BlobSource } from './blob.ts';
import { digestOf } from './digest.ts';
import { mismatch } from './errors.ts';
import { formatReference, type Reference } from './reference.ts';
import type { Session } from './session.ts';
import { cancelUpload, finishUpload, nameOf, requestFor, sendChunks, startUpload } from './upload.ts';

export interface PushBlobOptions {
  /** Repository of the same registry that may have the blob already. */
  readonly mountFrom?: string;
  /** Send in pieces of this size instead of at once. */
  readonly chunkBytes?: number;
  readonly signal?: AbortSignal;
}

/** How the blob came to be there. */
export type Pushed = 'present' | 'mounted' | 'uploaded';

/** Whether the repository has the blob. */
export async function hasBlob(
  session: Session,
  reference: Reference,
  options: { digest: string; signal?: AbortSignal | undefined },
) {
  const response = await session.send({
    ...requestFor(reference, options.signal),
    method: 'HEAD',
    to: `blobs/${options.digest}`,
    actions: ['pull'],
    accept: [404],
    what: `blob ${options.digest} of ${nameOf(reference)}`,
  });
  await response.discard();
  return response.status === 200;
}

/** Puts a blob into the repository unless it has it already. @see the distribution specification, "Pushing blobs" */
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

/** Takes a blob over from another repository of the registry; false if the registry does not do that. */
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

/** Puts a manifest under the tag of the reference, or under its digest if it has no tag. Its blobs come first. */
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
    ...requestFor(reference, signal),
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
    throw mismatch(`registry ${reference.registry} stored something else at ${what}`);
  }
  return { digest, subjectNoted: response.headers['oci-subject'] !== undefined };
}

/** Deletes by digest, or a tag alone if the registry supports that. */
export async function deleteManifest(session: Session, reference: Reference, signal?: AbortSignal): Promise<void> {
  const response = await session.send({
    ...requestFor(reference, signal),
    method: 'DELETE',
    to: `manifests/${reference.digest ?? reference.tag ?? ''}`,
    actions: ['delete', 'pull', 'push'],
    what: `the deletion of ${formatReference(reference)}`,
  });
  await response.discard();
}
