/**
 * Decides the next step for the certificate of a webhook server, from its state and the time. Pure.
 *
 *   nothing usable → issue
 *   two thirds of its life are over → prepare: a new pair beside the old one, and both authorities are trusted
 *   all callers have trusted both for a while → switch: the new pair serves, which restarts the server
 *   all servers have the new pair → drop: the old authority is trusted no longer
 *
 * At every moment the API server trusts the certificate that the server presents: see the test.
 */

/** The state of a certificate. */
export interface CertificateFacts {
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The end of the pair that is to serve next, if one is prepared. */
  readonly nextNotAfter?: Date;
  /** The number of authorities that are trusted. */
  readonly authorities: number;
  /** The next step of a rotation is not taken before this time. */
  readonly due?: Date;
}

export interface Circumstances {
  readonly now: Date;
  /** Whether the last step is in place: all callers trust the authorities, and all Pods are of the last template. */
  readonly settled: boolean;
}

export type CertificateStep = 'issue' | 'prepare' | 'switch' | 'drop' | 'keep';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a certificate is valid. */
export const LIFETIME_MS = 365 * DAY;
/** How long both authorities are trusted before the new certificate serves: by then every API server has read them. */
export const OVERLAP_MS = 10 * MINUTE;
/** How long the old authority is trusted after that: by then every Pod has the new Secret, restarted or not. */
export const DROP_AFTER_MS = DAY;

/** The next step. `facts` is undefined if there is no certificate, or none that can be used. */
export function planCertificate(facts: CertificateFacts | undefined, { now, settled }: Circumstances): CertificateStep {
  if (facts === undefined) return 'issue';
  const { notAfter, nextNotAfter, authorities, due } = facts;
  const hasNext = nextNotAfter !== undefined && now < nextNotAfter;
  // No caller accepts the expired certificate, so a switch without the overlap loses nothing.
  if (now >= notAfter) return hasNext ? 'switch' : 'issue';
  const mayGoOn = settled && (due === undefined || now >= due);
  if (hasNext) return mayGoOn ? 'switch' : 'keep';
  if (now >= rotationTime(facts)) return 'prepare';
  return authorities > 1 && mayGoOn ? 'drop' : 'keep';
}

/** When two thirds of a certificate's life are over. */
export function rotationTime({ notBefore, notAfter }: Pick<CertificateFacts, 'notBefore' | 'notAfter'>): Date {
  return new Date(notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3);
}
