/**
 * Reads a trusted root: the authorities of certificates, transparency logs and timestamps, as Sigstore publishes them.
 *
 * @see https://github.com/sigstore/protobuf-specs/blob/main/protos/sigstore_trustroot.proto
 */
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial } from '@sigstore/verify';
import { ReasonedError } from '../api/errors.ts';
import type { TrustRoot } from './policy.ts';

/**
 * The authorities in a `trusted_root.json`.
 *
 * @param place where the text comes from, for messages: `ConfigMap slipway-system/root`
 * @throws ReasonedError InvalidSpec, never retried
 */
export function parseTrustedRoot(text: string, place: string): TrustRoot {
  try {
    const root = TrustedRoot.fromJSON(JSON.parse(text));
    for (const { publicKey } of [...root.tlogs, ...root.ctlogs])
      if (publicKey?.validFor?.start === undefined) throw new Error('the key of a log has no start of its validity');
    return toTrustMaterial(root);
  } catch (error) {
    throw new ReasonedError({
      reason: 'InvalidSpec',
      retry: 'never',
      message: `${place} holds no trusted root: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'Store a trusted_root.json in it, as Sigstore publishes it',
      cause: error,
    });
  }
}
