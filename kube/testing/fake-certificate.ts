/** A certificate for a server of a test on loopback, which is also its own authority. */
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type JsonGeneralName,
} from '@peculiar/x509';

export interface FakeCertificate {
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A new self-signed certificate for `localhost`, or another name, and 127.0.0.1; good for a day. */
export async function createFakeCertificate(name = 'localhost'): Promise<FakeCertificate> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: name },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { cert: certificate.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` };
}

/** The PEM of a self-signed certificate with other names, whatever they are. */
export async function certificateFor(commonName: string, names: readonly JsonGeneralName[]): Promise<string> {
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    keys: await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']),
    signingAlgorithm: ALGORITHM,
    extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])],
  });
  return certificate.toString('pem');
}
