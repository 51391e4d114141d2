/** Issues the certificates and keys of a test cluster. They live as long as the cluster's folder does. */
import 'reflect-metadata';
import { generateKeyPairSync, type webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3600 * 1000;

/** A private key (PKCS#8) with its public part: a certificate, or the bare public key. */
export interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
}

/** Who a certificate is for. `organization` is the group that Kubernetes sees, `commonName` the user. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organization?: string;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** A certificate authority of its own for each cluster. */
export interface Authority {
  readonly certificatePem: string;
  /** Issues a certificate for server and client use, valid for 30 days. */
  issue(subject: CertificateSubject): Promise<KeyPair>;
}

/** Creates a self-signed authority with a new P-256 key. */
export async function createAuthority(commonName: string): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    ...validity(),
    extensions: [
      new BasicConstraintsExtension(true, 1, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    certificatePem: certificate.toString('pem'),
    issue: (subject) => issue(subject, { issuer: certificate.subject, signingKey: keys.privateKey }),
  };
}

/** The key with which ServiceAccount tokens are signed, and the public half that checks them. */
export function createTokenKeys(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privatePem: privateKey, publicPem: publicKey };
}

async function issue(
  subject: CertificateSubject,
  signer: { readonly issuer: string; readonly signingKey: webcrypto.CryptoKey },
): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    ...signer,
    subject: distinguishedName(subject),
    publicKey: keys.publicKey,
    ...validity(),
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      ...alternativeNames(subject),
    ],
  });
  return { privatePem: await privatePem(keys.privateKey), publicPem: certificate.toString('pem') };
}

function distinguishedName({ commonName, organization }: CertificateSubject): Record<string, string[]>[] {
  const name = { CN: [commonName] };
  return organization === undefined ? [name] : [{ O: [organization] }, name];
}

function alternativeNames({ dnsNames = [], ipAddresses = [] }: CertificateSubject): SubjectAlternativeNameExtension[] {
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  return names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)];
}

/** From a minute ago, since clocks of processes on one machine agree but certificates count in whole seconds. */
function validity(): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + 30 * DAY_MS) };
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').replaceAll(/(.{64})(?=.)/g, '$1\n');
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
}
