/**
 * Turns a signature or attestation of the older form into a Sigstore bundle, so that one verifier judges both: the layer's
 * annotations hold the certificate and the log's promise, the layer itself the signed text or the envelope with it.
 *
 * @see https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
 */
import { createHash, X509Certificate } from 'node:crypto';
import { bundleFromJSON, type Bundle } from '@sigstore/bundle';
import * as z from 'zod';
import { Flaw } from './flaw.ts';
import type { EnvelopeSignature, SimpleSignature } from './signature.ts';

type OlderForm = SimpleSignature | EnvelopeSignature;

const ANNOTATION = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  logged: 'dev.sigstore.cosign/bundle',
  timestamp: 'dev.sigstore.cosign/rfc3161timestamp',
} as const;

/** The oldest form allows a promise of the log without a proof of inclusion, the later one neither. */
const FORM = {
  logged: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
  unlogged: 'application/vnd.dev.sigstore.bundle.v0.3+json',
} as const;

/** Whether the signature was made with a certificate, not with a key alone. */
export function hasCertificate({ annotations }: OlderForm): boolean {
  return ANNOTATION.certificate in annotations;
}

/**
 * The bundle of a signature.
 *
 * @param by Certificate: that of the annotations signed; Key: a key did, and a certificate is ignored.
 * @throws Flaw SignatureMalformed
 */
export function bundleOf(signature: OlderForm, by: 'Certificate' | 'Key'): Bundle {
  const { annotations } = signature;
  const logged = annotations[ANNOTATION.logged];
  const content = by === 'Key' ? { publicKey: { hint: '' } } : certificateIn(annotations);
  const timestamps = timestampsIn(annotations);
  try {
    return bundleFromJSON({
      mediaType: logged === undefined ? FORM.unlogged : FORM.logged,
      verificationMaterial: {
        ...content,
        tlogEntries: logged === undefined ? [] : [entryOf(logged)],
        ...(timestamps.length > 0 && { timestampVerificationData: { rfc3161Timestamps: timestamps } }),
      },
      ...contentOf(signature, logged),
    });
  } catch (error) {
    throw error instanceof Flaw ? error : malformed('the annotations of the signature', error);
  }
}

function contentOf(signature: OlderForm, logged: string | undefined): object {
  if (signature.form === 'Envelope')
    return { dsseEnvelope: JSON.parse(Buffer.from(signature.envelope).toString('utf8')) as unknown };
  const { annotations, payload } = signature;
  const algorithm = logged === undefined ? 'sha256' : loggedHash(logged);
  const digest = createHash(algorithm).update(payload).digest('base64');
  return {
    messageSignature: {
      messageDigest: { algorithm: HASHES[algorithm], digest },
      signature: annotations[ANNOTATION.signature] ?? '',
    },
  };
}

/** A hash that signers use, and its name in a bundle. */
const HASHES = { sha256: 'SHA2_256', sha384: 'SHA2_384', sha512: 'SHA2_512' } as const;

const LoggedHash = z.object({
  spec: z.object({ data: z.object({ hash: z.object({ algorithm: z.enum(['sha256', 'sha384', 'sha512']) }) }) }),
});

/** Signers with larger keys have the log note a longer hash of the signed text; an entry of another kind has none. */
function loggedHash(logged: string): keyof typeof HASHES {
  const { data } = LoggedHash.safeParse(bodyOf(logged));
  return data?.spec.data.hash.algorithm ?? 'sha256';
}

function bodyOf(logged: string): unknown {
  return JSON.parse(Buffer.from(Logged.parse(JSON.parse(logged)).Payload.body, 'base64').toString());
}

function certificateIn(annotations: OlderForm['annotations']): object {
  try {
    const { raw } = new X509Certificate(annotations[ANNOTATION.certificate] ?? '');
    return { x509CertificateChain: { certificates: [{ rawBytes: raw.toString('base64') }] } };
  } catch (error) {
    throw malformed('the certificate of the signature', error);
  }
}

const Logged = z.object({
  SignedEntryTimestamp: z.string(),
  Payload: z.object({
    body: z.string(),
    integratedTime: z.number(),
    logIndex: z.number(),
    logID: z.string().regex(/^(?:[0-9a-f]{2})+$/),
  }),
});

const Body = z.object({ kind: z.string(), apiVersion: z.string() });

function entryOf(logged: string): object {
  try {
    const { SignedEntryTimestamp: promise, Payload: entry } = Logged.parse(JSON.parse(logged));
    const { kind, apiVersion: version } = Body.parse(bodyOf(logged));
    return {
      logIndex: String(entry.logIndex),
      logId: { keyId: Buffer.from(entry.logID, 'hex').toString('base64') },
      kindVersion: { kind, version },
      integratedTime: String(entry.integratedTime),
      inclusionPromise: { signedEntryTimestamp: promise },
      canonicalizedBody: entry.body,
    };
  } catch (error) {
    throw malformed("the log's entry about the signature", error);
  }
}

const Timestamp = z.object({ SignedRFC3161Timestamp: z.string() });

function timestampsIn(annotations: OlderForm['annotations']): readonly object[] {
  const text = annotations[ANNOTATION.timestamp];
  if (text === undefined) return [];
  try {
    return [{ signedTimestamp: Timestamp.parse(JSON.parse(text)).SignedRFC3161Timestamp }];
  } catch (error) {
    throw malformed('the timestamp of the signature', error);
  }
}

function malformed(noun: string, cause: unknown): Flaw {
  return new Flaw('SignatureMalformed', `${noun} cannot be parsed`, cause);
}
