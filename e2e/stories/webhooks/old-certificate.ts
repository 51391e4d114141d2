/** A certificate for a webhook server that was issued long ago, so that it is due to be replaced. */
import 'reflect-metadata';
import { KeyObject } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3600_000;

/** The data of a Secret, valid for another ten days of a hundred. */
export async function oldCertificate(dnsNames: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const validity = { notBefore: new Date(Date.now() - 90 * DAY_MS), notAfter: new Date(Date.now() + 10 * DAY_MS) };
  const [authorityKeys, keys] = await Promise.all([
    crypto.subtle.generateKey(EC, true, ['sign', 'verify']),
    crypto.subtle.generateKey(EC, true, ['sign', 'verify']),
  ]);
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: ['an authority of long ago'] }],
    keys: authorityKeys,
    ...validity,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  });
  const certificate = await X509CertificateGenerator.create({
    issuer: authority.subject,
    signingKey: authorityKeys.privateKey,
    publicKey: keys.publicKey,
    ...validity,
    extensions: [new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value })))],
  });
  const texts = {
    'ca.crt': `${authority.toString('pem')}\n`,
    'tls.crt': `${certificate.toString('pem')}\n`,
    'tls.key': KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  ) as Readonly<Record<string, string>>;
}
