/**
 * Issues certificates while the manifests are stored of the Revision that needs them: the manager waits for the API server
 * then, and a certificate takes 12 to 17 ms of the processor. Nothing is promised by that: a certificate that is not there is
 * issued when it is needed, as always. Kept in memory within narrow bounds, and lost with a restart.
 */
import { awaitedLater } from '../../../api/awaited-later.ts';
import type { ObjectRef } from '../../../api/object.ts';
import type { RequiredCertificate } from '../../../bundles/render/required-certificates.ts';
import { namesOf, secretOf } from './add.ts';
import { issueCertificate, type Issue, type Issued } from './issue.ts';
import { LIFETIME_MS } from './plan.ts';

export interface CertificatesAhead {
  /** Begins to issue the certificates of a Revision that is about to be created. */
  readonly begin: (required: readonly RequiredCertificate[], namespace: string) => void;
  /** The certificate that was issued ahead for these names, once; else a new one. */
  readonly issue: Issue;
}

export interface CertificatesAheadDeps {
  /** Whether the Secret exists, as far as a watch knows: its certificate is kept. */
  readonly exists: (secret: ObjectRef) => boolean;
  readonly now: () => Date;
  /** For tests. */
  readonly issue?: Issue;
}

/** Few operators have a webhook, and hardly any two of them are installed at once; beyond that the oldest are dropped. */
const MOST_CERTIFICATES = 4;

/** A Revision is created within a second; the life of a certificate begins when it is issued. */
const FRESH_MS = 60_000;

interface AheadEntry {
  readonly at: Date;
  readonly issued: Promise<Issued>;
}

/** Certificates by the names that they are for. */
export function createCertificatesAhead({
  exists,
  now,
  issue = issueCertificate,
}: CertificatesAheadDeps): CertificatesAhead {
  const waiting = new Map<string, AheadEntry>();
  const isFresh = ({ at }: AheadEntry): boolean => now().getTime() - at.getTime() < FRESH_MS;
  return {
    begin(required, namespace) {
      for (const one of required.filter((certificate) => !exists(secretOf(certificate, namespace)))) {
        const dnsNames = namesOf(one, namespace);
        const at = now();
        const issued = awaitedLater(issue({ dnsNames, now: at, lifetimeMs: LIFETIME_MS }));
        put(waiting, keyOf(dnsNames), { at, issued });
      }
    },
    issue(wanted) {
      const key = keyOf(wanted.dnsNames);
      const known = waiting.get(key);
      waiting.delete(key);
      return known !== undefined && isFresh(known) ? known.issued.catch(() => issue(wanted)) : issue(wanted);
    },
  };
}

function put(waiting: Map<string, AheadEntry>, key: string, entry: AheadEntry): void {
  waiting.delete(key);
  waiting.set(key, entry);
  for (const oldest of waiting.keys()) {
    if (waiting.size <= MOST_CERTIFICATES) break;
    waiting.delete(oldest);
  }
}

function keyOf(dnsNames: readonly string[]): string {
  return dnsNames.join(',');
}
