/**
 * Makes the keys and certificates of webhook servers. Each certificate has an authority of its own, whose key is
 * discarded.
 */
import { KeyObject, randomBytes, type webcrypto } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';
import { MAX_COMMON_NAME } from '../../../bundles/render/names.ts';

/** A certificate with its private key, both PEM. */
export interface KeyAndCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Issued {
  readonly pair: KeyAndCertificate;
  /** PEM of the authority that signed it. */
  readonly authority: string;
}

export interface WantedCertificate {
  /** The first is the common name. */
  readonly dnsNames: readonly string[];
  readonly now: Date;
  readonly lifetimeMs: number;
}

/** Makes a certificate with its keys. */
export type Issue = (wanted: WantedCertificate) => Promise<Issued>;

type Library = typeof import('@peculiar/x509');

/**
 * Loaded only when needed: few operators have webhooks, and the library takes ten megabytes of memory. A caller that knows that a
 * certificate is needed soon may load it before, since that blocks the thread for 50 to 70 ms.
 */
export async function loadLibrary(): Promise<Library> {
  await import('reflect-metadata');
  // The default export has all of it: in a bundled program a CommonJS module has no other export.
  return (await import('@peculiar/x509')).default;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Clocks of nodes may be behind. */
const BACKDATED_MS = 5 * 60_000;

/** A certificate for a server of these names, signed by an authority that never signs another one. */
export async function issueCertificate({ dnsNames, now, lifetimeMs }: WantedCertificate): Promise<Issued> {
  const library = await loadLibrary();
  const {
    AuthorityKeyIdentifierExtension,
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectAlternativeNameExtension,
    SubjectKeyIdentifierExtension,
    X509CertificateGenerator,
  } = library;
  const [authorityKeys, serverKeys] = await Promise.all([createKeys(), createKeys()]);
  const validity = {
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + lifetimeMs),
  };
  const authority = await createAuthority(library, authorityKeys, validity);
  const [commonName = ''] = dnsNames;
  const certificate = await X509CertificateGenerator.create({
    issuer: authority.subject,
    signingKey: authorityKeys.privateKey,
    publicKey: serverKeys.publicKey,
    ...(commonName.length <= MAX_COMMON_NAME && { subject: [{ CN: [commonName] }] }),
    ...validity,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value }))),
      await AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      await SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
    ],
  });
  const key = KeyObject.from(serverKeys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { pair: { certificate: pemOf(certificate), key }, authority: pemOf(authority) };
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(EC, true, ['sign', 'verify']);
}

/** The name of each authority is unique, so that no client takes an older authority for it. */
async function createAuthority(
  {
    BasicConstraintsExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectKeyIdentifierExtension,
    X509CertificateGenerator,
  }: Library,
  keys: webcrypto.CryptoKeyPair,
  validity: { readonly notBefore: Date; readonly notAfter: Date },
): Promise<X509Certificate> {
  return X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`slipway-${randomBytes(8).toString('hex')}`] }],
    keys,
    ...validity,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem').trim()}\n`;
}
