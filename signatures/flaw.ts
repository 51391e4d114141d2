/** Why a signature does not count. */
import type { Reason } from '../api/reasons.ts';

/** The reasons for which one signature does not count, from the least to the most that was right about it. */
const FLAWS = [
  'SignatureMalformed',
  'SignatureOfOtherSubject',
  'SignatureNotLogged',
  'SignatureInvalid',
  'SignatureExpired',
  'SignedByOtherKey',
  'SignedByOtherIdentity',
  'SignedOtherDigest',
  'SignedOtherReference',
] as const satisfies readonly Reason[];

export type FlawReason = (typeof FLAWS)[number];

/** Every reason for which an image is refused because of its signatures: another signature changes the answer. */
export const SIGNATURE_REASONS: ReadonlySet<Reason> = new Set<Reason>([
  'Unsigned',
  'AttestationMissing',
  'TooManySignatures',
  ...FLAWS,
]);

/** Thrown by every check of a signature, so that the first one that fails decides. */
export class Flaw extends Error {
  override readonly name = 'Flaw';
  readonly reason: FlawReason;

  /** @param message the fault as a clause with its subject: `the log entry is of another signature` */
  constructor(reason: FlawReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** The flaw of the signature that came closest to being trusted: the one that a reader can act on. */
export function closest(flaws: readonly Flaw[]): Flaw | undefined {
  return flaws.toSorted((a, b) => FLAWS.indexOf(b.reason) - FLAWS.indexOf(a.reason))[0];
}
