/** Makes signatures as signers publish them: the older form and Sigstore bundles, by key or certificate, with or without a log. */
import { createHash, X509Certificate, type KeyObject } from 'node:crypto';
import type { BundleSignature, EnvelopeSignature, SimpleSignature } from '../signature.ts';
import { publicPem, signBytes, type CertifiedKey, type SigstoreInstance } from './instance.ts';

/** Who signs, and which proof there is of it. */
export type Signer =
  | {
      readonly by: 'key';
      readonly privateKey: KeyObject;
      /** For keys that sign another hash than SHA-256. */
      readonly sign?: (bytes: Uint8Array) => Buffer;
    }
  | {
      readonly by: 'key with log';
      readonly privateKey: KeyObject;
      readonly instance: SigstoreInstance;
      /** Hash that is signed and noted by the log; SHA-256 unless given. */
      readonly hash?: LoggedHash;
    }
  | {
      readonly by: 'certificate';
      readonly certified: CertifiedKey;
      readonly instance: SigstoreInstance;
      readonly hash?: LoggedHash;
    }
  | { readonly by: 'certificate with Rekor v2'; readonly certified: CertifiedKey; readonly instance: SigstoreInstance };

export type LoggedHash = 'sha256' | 'sha384' | 'sha512';

export interface Signable {
  readonly repository: string;
  readonly digest: string;
}

/** The older form, which knows no Rekor v2. */
export async function signSimply(image: Signable, signer: Signer): Promise<SimpleSignature> {
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': image.repository },
        image: { 'docker-manifest-digest': image.digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );
  const signature = signatureOf(payload, signer);
  const hash = hashOf(signer);
  const entry = {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: hash, value: createHash(hash).update(payload).digest('hex') } },
      signature: { content: signature.toString('base64'), publicKey: { content: base64(verifierOf(signer)) } },
    },
  };
  const logged = signer.by === 'key' ? undefined : ((await signer.instance.log(entry, 1)) as PromisedEntry);
  return {
    form: 'SimpleSigning',
    place: 'signature in sha256-abc.sig',
    payload,
    annotations: {
      'dev.cosignproject.cosign/signature': signature.toString('base64'),
      ...('certified' in signer && { 'dev.sigstore.cosign/certificate': verifierOf(signer) }),
      ...(logged !== undefined && { 'dev.sigstore.cosign/bundle': JSON.stringify(promiseOf(logged)) }),
    },
  };
}

interface PromisedEntry {
  readonly logIndex: string;
  readonly logId: { readonly keyId: string };
  readonly integratedTime: string;
  readonly inclusionPromise: { readonly signedEntryTimestamp: string };
  readonly canonicalizedBody: string;
}

function promiseOf(entry: PromisedEntry): object {
  return {
    SignedEntryTimestamp: entry.inclusionPromise.signedEntryTimestamp,
    Payload: {
      body: entry.canonicalizedBody,
      integratedTime: Number(entry.integratedTime),
      logIndex: Number(entry.logIndex),
      logID: Buffer.from(entry.logId.keyId, 'base64').toString('hex'),
    },
  };
}

const TYPE = 'application/vnd.in-toto+json';

export interface BundleOptions {
  /** Of the manifest that holds it; the image's unless stated. */
  readonly subject?: string;
  readonly predicateType?: string;
}

/** A Sigstore bundle with a signed statement. */
export async function signBundle(
  image: Signable,
  signer: Signer,
  { subject = image.digest, predicateType }: BundleOptions = {},
): Promise<BundleSignature> {
  const content = signStatement(image, signer, predicateType);
  const json = JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: await materialOf(signer, content),
    dsseEnvelope: envelopeOf(content),
  });
  return { form: 'Bundle', place: 'signature sha256:abc', subject, json: Buffer.from(json) };
}

/** An attestation of the older form, which knows no Rekor v2. */
export async function attestSimply(
  image: Signable,
  signer: Signer,
  { predicateType = '' }: Pick<BundleOptions, 'predicateType'> = {},
): Promise<EnvelopeSignature> {
  const content = signStatement(image, signer, predicateType);
  const logged =
    signer.by === 'key' ? undefined : ((await signer.instance.log(entryOf(signer, content), 1)) as PromisedEntry);
  return {
    form: 'Envelope',
    place: 'signature in sha256-abc.att',
    envelope: Buffer.from(JSON.stringify(envelopeOf(content))),
    annotations: {
      'dev.cosignproject.cosign/signature': '',
      predicateType,
      ...('certified' in signer && { 'dev.sigstore.cosign/certificate': verifierOf(signer) }),
      ...(logged !== undefined && { 'dev.sigstore.cosign/bundle': JSON.stringify(promiseOf(logged)) }),
    },
  };
}

function signStatement(
  image: Signable,
  signer: Signer,
  predicateType = 'https://sigstore.dev/cosign/sign/v1',
): Content {
  const [, hex = ''] = image.digest.split(':');
  const payload = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256: hex } }],
      predicateType,
      predicate: {},
    }),
  );
  return { payload, signature: signatureOf(preAuthentication(payload), signer) };
}

function envelopeOf({ payload, signature }: Content): object {
  return {
    payload: payload.toString('base64'),
    payloadType: TYPE,
    signatures: [{ sig: signature.toString('base64'), keyid: '' }],
  };
}

/** @see https://github.com/secure-systems-lab/dsse/blob/master/protocol.md */
function preAuthentication(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `), payload]);
}

interface Content {
  readonly payload: Buffer;
  readonly signature: Buffer;
}

async function materialOf(signer: Signer, content: Content): Promise<object> {
  const holder =
    'certified' in signer
      ? { certificate: { rawBytes: signer.certified.certificate.toString('base64') } }
      : { publicKey: { hint: 'any' } };
  switch (signer.by) {
    case 'key':
      return { ...holder, tlogEntries: [] };
    case 'key with log':
    case 'certificate':
      return { ...holder, tlogEntries: [await signer.instance.log(entryOf(signer, content), 1)] };
    case 'certificate with Rekor v2': {
      const stamped = (await signer.instance.timestamp(content.signature)).toString('base64');
      return {
        ...holder,
        tlogEntries: [await signer.instance.log(secondEntryOf(signer, content), 2)],
        timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: stamped }] },
      };
    }
  }
}

function entryOf(signer: Signer, { payload, signature }: Content): object {
  const hash = { algorithm: 'sha256', value: createHash('sha256').update(payload).digest('hex') };
  const signatures = [{ signature: signature.toString('base64'), verifier: base64(verifierOf(signer)) }];
  return { apiVersion: '0.0.1', kind: 'dsse', spec: { envelopeHash: hash, payloadHash: hash, signatures } };
}

function secondEntryOf(signer: Signer & { readonly certified: CertifiedKey }, { payload, signature }: Content): object {
  const digest = createHash('sha256').update(payload).digest('base64');
  const verifier = {
    x509Certificate: { rawBytes: signer.certified.certificate.toString('base64') },
    keyDetails: 'PKIX_ECDSA_P256_SHA_256',
  };
  const dsseV002 = {
    payloadHash: { algorithm: 'SHA2_256', digest },
    signatures: [{ content: signature.toString('base64'), verifier }],
  };
  return { apiVersion: '0.0.2', kind: 'dsse', spec: { dsseV002 } };
}

function signatureOf(bytes: Uint8Array, signer: Signer): Buffer {
  if (signer.by === 'key' && signer.sign !== undefined) return signer.sign(bytes);
  return signBytes(bytes, keyOf(signer), hashOf(signer));
}

function hashOf(signer: Signer): LoggedHash {
  return ('hash' in signer ? signer.hash : undefined) ?? 'sha256';
}

function keyOf(signer: Signer): KeyObject {
  return 'certified' in signer ? signer.certified.privateKey : signer.privateKey;
}

/** PEM of the certificate, or of the public key. */
function verifierOf(signer: Signer): string {
  return 'certified' in signer
    ? new X509Certificate(signer.certified.certificate).toString()
    : publicPem(signer.privateKey);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
