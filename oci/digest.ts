/** Content digests: `sha256:<64 hex>` and `sha512:<128 hex>`; other algorithms are refused. */
import { createHash, type Hash } from 'node:crypto';

const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128})$/;

/** Whether the text is a digest that can be verified. */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** The sha256 digest of bytes: `sha256:…`. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Whether the bytes have the digest, by its own algorithm. */
export function matchesDigest(bytes: Uint8Array, digest: string): boolean {
  return hashFor(digest).update(bytes).digest('hex') === hexOf(digest);
}

/** A hash for the digest's algorithm, to feed while streaming. */
export function hashFor(digest: string): Hash {
  return createHash(algorithmOf(digest));
}

/** `sha256:abc` → `abc`. */
export function hexOf(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1);
}

/** `sha256:abc` → `sha256`. A text that is no digest is a defect of the caller. */
export function algorithmOf(digest: string): 'sha256' | 'sha512' {
  if (!isDigest(digest)) throw new Error('not a digest');
  return digest.startsWith('sha256:') ? 'sha256' : 'sha512';
}
