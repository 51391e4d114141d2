/**
 * Decides what is to be done about the certificate of a webhook server, from what is there and what time it is. Pure.
 *
 *   nothing usable → issue
 *   two thirds of its life are over → prepare: a new pair beside the old one, and both authorities are trusted
 *   all callers trust both for a while → switch: the new pair serves, which restarts the server
 *   all servers have the new pair → drop: the old authority is trusted no longer
 *
 * Whatever the API server trusts and whatever the server presents in between, they fit: see the test.
 */

/** What there is. */
export interface CertificateFacts {
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The end of the pair that is to serve next, where one is prepared. */
  readonly nextNotAfter?: Date;
  /** How many authorities are trusted. */
  readonly authorities: number;
  /** Before this the next step of a rotation is not taken. */
  readonly due?: Date;
}

export interface Circumstances {
  readonly now: Date;
  /** Everything that was decided last is in place: all callers trust what they should, all Pods are of the last template. */
  readonly settled: boolean;
}

export type CertificateStep = 'issue' | 'prepare' | 'switch' | 'drop' | 'keep';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a certificate is valid. */
export const LIFETIME_MS = 365 * DAY;
/** How long both authorities are trusted before the new certificate serves: every API server has heard of it then. */
export const OVERLAP_MS = 10 * MINUTE;
/** How long the old authority is trusted after that: every Pod has the new Secret then, restarted or not. */
export const DROP_AFTER_MS = DAY;

/** The next step. `facts` is undefined where there is no certificate, or none that can be used. */
export function planCertificate(facts: CertificateFacts | undefined, { now, settled }: Circumstances): CertificateStep {
  if (facts === undefined) return 'issue';
  const { notAfter, nextNotAfter, authorities, due } = facts;
  const hasNext = nextNotAfter !== undefined && now < nextNotAfter;
  // Nothing is lost by it: nobody takes the old one any more.
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
