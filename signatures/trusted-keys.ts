/**
 * The public keys of a policy: whether each can be used, and whether one made a signature. Signers hash as the type of
 * the key suggests, and older ones always by SHA-256; a signature does not say which.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { ReasonedError } from '../api/errors.ts';
import type { TrustedKey } from './policy.ts';

/** Keys of these types hash by themselves. */
const WITHOUT_HASH: ReadonlySet<string | undefined> = new Set(['ed25519', 'ed448']);
const WITH_HASH: ReadonlySet<string | undefined> = new Set(['ec', 'rsa']);
const HASHES = ['sha256', 'sha384', 'sha512'] as const;

/**
 * Refuses the whole policy if one of its keys cannot be used: a key that is left out silently would look like one that
 * signed nothing.
 *
 * @throws ReasonedError InvalidSpec, never retried
 */
export function requireKeys(keys: readonly TrustedKey[]): void {
  for (const { name, pem } of keys) {
    const problem = problemOf(pem);
    if (problem === undefined) continue;
    throw new ReasonedError({
      reason: 'InvalidSpec',
      retry: 'never',
      message: `the key ${name} in spec.verify.keys ${problem}`,
      hint: 'Replace its pem by the public key of the signer: ECDSA, RSA or Ed25519, in PEM form',
    });
  }
}

function problemOf(pem: string): string | undefined {
  try {
    const type = createPublicKey(pem).asymmetricKeyType;
    return WITH_HASH.has(type) || WITHOUT_HASH.has(type) ? undefined : `is of the type ${type}, which is not supported`;
  } catch {
    return 'cannot be parsed';
  }
}

/** Whether the key made the signature of these bytes, by any hash that signers use with it. */
export function isSignedBy(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  const hashes = WITHOUT_HASH.has(key.asymmetricKeyType) ? [null] : HASHES;
  return hashes.some((hash) => {
    try {
      return verify(hash, bytes, key, signature);
    } catch {
      return false;
    }
  });
}
