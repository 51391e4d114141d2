/**
 * Which signatures are trusted: the keys and identities of a policy, and the authorities behind certificates,
 * transparency logs and timestamps.
 */
import type { TrustMaterial } from '@sigstore/verify';

export interface SignaturePolicy {
  readonly keys: readonly TrustedKey[];
  readonly identities: readonly TrustedIdentity[];
  readonly root: TrustRoot;
  /** Repositories whose content was signed under another name before it was mirrored; the longest prefix decides. */
  readonly mirrored: readonly MirroredPrefix[];
  /** Types of the predicates of attestations that an image must have besides a signature, by the same signers. */
  readonly attestations?: readonly string[] | undefined;
}

export interface TrustedKey {
  /** Name of the key, for messages. */
  readonly name: string;
  /** The public key in PEM form. */
  readonly pem: string;
  /** Whether a signature counts only with proof that a transparency log holds it. */
  readonly transparencyLog: 'Require' | 'Ignore';
}

export interface TrustedIdentity {
  /** Issuer of the certificate, exactly. */
  readonly issuer: string;
  readonly subject: string;
  /** Compares the subject character by character, or as a pattern in which each `*` stands for any text. */
  readonly match: 'Exact' | 'Glob';
}

/** Content of repositories under `prefix` was signed as content of the same repositories under `signedPrefix`. */
export interface MirroredPrefix {
  readonly prefix: string;
  readonly signedPrefix: string;
}

/** The authorities of a trusted root, without any key of a person. */
export type TrustRoot = Omit<TrustMaterial, 'publicKey'>;

/** Whether a signer is one that the policy trusts. */
export function isTrusted(
  identity: TrustedIdentity,
  signer: { readonly issuer: string; readonly subject: string },
): boolean {
  if (identity.issuer !== signer.issuer) return false;
  return identity.match === 'Exact' ? identity.subject === signer.subject : matches(identity.subject, signer.subject);
}

/** Whether a text fits a pattern in which `*` stands for any text. Takes linear time in practice: no backtracking. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return text === first;
  const last = parts.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/** The repository under whose name content was signed; the same one unless the policy says that it is a mirror. */
export function signedRepository(policy: Pick<SignaturePolicy, 'mirrored'>, repository: string): string {
  const isUnder = (prefix: string): boolean => repository === prefix || repository.startsWith(`${prefix}/`);
  const [longest] = policy.mirrored
    .filter(({ prefix }) => isUnder(prefix))
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  return longest === undefined ? repository : `${longest.signedPrefix}${repository.slice(longest.prefix.length)}`;
}
