/**
 * The Secret that holds a webhook server's certificate: the pair that the Pods mount (`tls.crt`, `tls.key`), the
 * authorities that callers trust (`ca.crt`), and during a rotation the pair that serves next. Pure. The content is
 * treated as hostile when it is read: people and programs can write Secrets.
 */
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { ANNOTATION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KeyAndCertificate } from './issue.ts';
import type { CertificateFacts } from './plan.ts';

/** The whole state of one certificate. */
export interface CertificateState {
  readonly serving: KeyAndCertificate;
  /** PEM, the oldest first. */
  readonly authorities: readonly string[];
  readonly next?: KeyAndCertificate;
  /** When the next step is due. */
  readonly due: Date;
  /** OLM issued the serving pair: the templates of the Pods that serve with it do not name it. */
  readonly fromOlm?: true;
}

/** When the next step is due for the certificate in a Secret: in the metadata, which a watch keeps. */
export const DUE_ANNOTATION = ANNOTATION.certificateDue;

/** The key under which OLM v0 keeps the authority of the certificate beside it. */
const OLM_AUTHORITY = 'olmCAKey';

const MAX_PEM = 64 * 1024;
/** The most authorities that are kept; a rotation needs two. */
const MOST_AUTHORITIES = 3;

/** Builds the Secret; the same state gives the same object. */
export function writeSecret(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { serving, authorities, next, due }: CertificateState,
): KubeObject {
  const texts = {
    'ca.crt': authorities.join(''),
    'tls.crt': serving.certificate,
    'tls.key': serving.key,
    ...(next !== undefined && { 'next.crt': next.certificate, 'next.key': next.key }),
  };
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, annotations: { [DUE_ANNOTATION]: due.toISOString() } },
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(data) as Readonly<Record<string, string>>,
  };
}

/** The content of a Secret, whether it can be used or not; undefined without a certificate and a key. */
export function readSecret(secret: KubeObject): CertificateState | undefined {
  const serving = readPair(secret, 'tls');
  if (serving === undefined) return undefined;
  const next = readPair(secret, 'next');
  const ofOlm = textIn(secret, OLM_AUTHORITY) ?? '';
  return {
    serving,
    authorities: splitPem(textIn(secret, 'ca.crt') ?? ofOlm),
    due: dueOf(secret) ?? NEVER_PLANNED,
    ...(next !== undefined && { next }),
    ...(isSignedBy(serving, ofOlm) && { fromOlm: true }),
  };
}

/** Stands for the due time of a Secret that has none. */
export const NEVER_PLANNED: Date = new Date(0);

function isSignedBy({ certificate }: KeyAndCertificate, authority: string): boolean {
  const [parsed, signer] = [parseCertificate(certificate), parseCertificate(authority)];
  return parsed !== undefined && signer !== undefined && parsed.verify(signer.publicKey);
}

/** The time of {@link DUE_ANNOTATION}; undefined if there is none. */
export function dueOf({ metadata }: KubeObject): Date | undefined {
  const due = new Date(metadata.annotations?.[DUE_ANNOTATION] ?? '');
  return Number.isNaN(due.getTime()) ? undefined : due;
}

function readPair(secret: KubeObject, name: 'tls' | 'next'): KeyAndCertificate | undefined {
  const [certificate, key] = [textIn(secret, `${name}.crt`), textIn(secret, `${name}.key`)];
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function textIn(secret: KubeObject, key: string): string | undefined {
  const value = (secret['data'] as Readonly<Record<string, unknown>> | undefined)?.[key];
  return typeof value === 'string' && value.length <= MAX_PEM ? Buffer.from(value, 'base64').toString() : undefined;
}

function splitPem(text: string): readonly string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.slice(-MOST_AUTHORITIES).map((block) => `${block}\n`);
}

/**
 * The facts for the plan; undefined for a certificate that no server could use or no caller would trust: it cannot be
 * parsed, is for other names, has another key, or is signed by none of the authorities.
 */
export function inspect(state: CertificateState, wanted: readonly string[]): CertificateFacts | undefined {
  // OLM's certificates have the name by which the API server calls, and not the one within the cluster's domain.
  const dnsNames = state.fromOlm === true ? wanted.filter((name) => name.endsWith('.svc')) : wanted;
  const authorities = state.authorities.map(parseCertificate).filter((authority) => authority !== undefined);
  const serving = usable(state.serving, authorities, dnsNames);
  if (serving === undefined || authorities.length !== state.authorities.length) return undefined;
  const next = state.next === undefined ? undefined : usable(state.next, authorities, dnsNames);
  return {
    notBefore: new Date(serving.validFrom),
    notAfter: new Date(serving.validTo),
    authorities: authorities.length,
    due: state.due,
    ...(next !== undefined && { nextNotAfter: new Date(next.validTo) }),
  };
}

function usable(
  { certificate, key }: KeyAndCertificate,
  authorities: readonly X509Certificate[],
  dnsNames: readonly string[],
): X509Certificate | undefined {
  const parsed = parseCertificate(certificate);
  if (parsed === undefined || !fitsKey(parsed, key)) return undefined;
  const named = dnsNames.every((name) => parsed.checkHost(name) !== undefined);
  return named && authorities.some((authority) => parsed.verify(authority.publicKey)) ? parsed : undefined;
}

function fitsKey(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** The authorities of a state that are still valid, the newest last; kept beside the authority of a new certificate. */
export function validAuthorities({ authorities }: CertificateState, now: Date): readonly string[] {
  const valid = authorities.filter((pem) => {
    const parsed = parseCertificate(pem);
    return parsed !== undefined && parsed.ca && now < new Date(parsed.validTo);
  });
  return valid.slice(1 - MOST_AUTHORITIES);
}

/** Identifies a certificate in a Pod's template: another certificate restarts the Pods. */
export function fingerprintOf({ serving }: CertificateState): string {
  return createHash('sha256').update(serving.certificate).digest('hex').slice(0, 16);
}
