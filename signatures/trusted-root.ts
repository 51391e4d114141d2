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
 * @param forTenants the message for readers who may not see that place: the library quotes the text
 * @throws ReasonedError InvalidSpec, retried: no watch reports the ConfigMap that is corrected
 */
export function parseTrustedRoot(text: string, place: string, forTenants?: string): TrustRoot {
  try {
    const root = TrustedRoot.fromJSON(JSON.parse(text) ?? {});
    requireContent(root);
    return toTrustMaterial(root);
  } catch (error) {
    throw new ReasonedError({
      reason: 'InvalidSpec',
      retry: 'backoff',
      message: `${place} holds no trusted root: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'Store a trusted_root.json in it, as Sigstore publishes it',
      ...(forTenants !== undefined && { forTenants }),
      cause: error,
    });
  }
}

/** The library reads anything as a root; one without content would make every signature that of a stranger. */
function requireContent({ tlogs, ctlogs, certificateAuthorities, timestampAuthorities }: TrustedRoot): void {
  const authorities = [...certificateAuthorities, ...timestampAuthorities];
  if (tlogs.length + authorities.length === 0) throw new Error('it names neither a log nor an authority');
  if (authorities.some(({ certChain }) => certChain === undefined || certChain.certificates.length === 0))
    throw new Error('an authority has no certificate');
  for (const { publicKey } of [...tlogs, ...ctlogs])
    if (publicKey?.validFor?.start === undefined) throw new Error('the key of a log has no start of its validity');
}
