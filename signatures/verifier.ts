/**
 * Verifies one Sigstore bundle by the keys or identities of a policy: library in, flaws out. Knows nothing of images; the
 * claims that were signed are compared elsewhere.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { bundleFromJSON, type Bundle } from '@sigstore/bundle';
import { toSignedEntity, VerificationError, Verifier, type SignedEntity, type Signer } from '@sigstore/verify';
import { closest, Flaw } from './flaw.ts';
import { isTrusted, type SignaturePolicy, type TrustedKey } from './policy.ts';
import { isSignedBy } from './trusted-keys.ts';

/** Who signed: `key release`, or `https://… (issuer https://…)`. */
export interface Signed {
  readonly by: string;
}

/** The part of a policy that says who is trusted. */
export type Trust = Pick<SignaturePolicy, 'keys' | 'identities' | 'root'>;

/** Reads a bundle of any version. Throws Flaw (SignatureMalformed). */
export function parseBundle(json: Uint8Array): Bundle {
  try {
    const bundle = bundleFromJSON(JSON.parse(Buffer.from(json).toString('utf8')));
    const { tlogEntries, timestampVerificationData } = bundle.verificationMaterial;
    const proofs = tlogEntries.length + (timestampVerificationData?.rfc3161Timestamps.length ?? 0);
    if (proofs > MOST_PROOFS) throw new Error(`it has ${proofs} proofs, and ${MOST_PROOFS} are checked at most`);
    return bundle;
  } catch (error) {
    throw new Flaw('SignatureMalformed', 'it is no Sigstore bundle', error);
  }
}

/** Signers write one entry of a log and one timestamp; each costs the verification of a signature. */
const MOST_PROOFS = 8;

/**
 * Tries each key of the policy.
 *
 * @param text the signed bytes, if the bundle holds no statement of its own
 * @throws Flaw
 */
export function verifyKeyed(bundleFor: (key: TrustedKey) => Bundle, policy: Trust, text?: Uint8Array): Signed {
  const flaws: Flaw[] = [];
  for (const key of policy.keys) {
    try {
      verifyWith(key, bundleFor(key), policy, text);
      return { by: `key ${key.name}` };
    } catch (error) {
      if (!(error instanceof Flaw)) throw error;
      flaws.push(error);
    }
  }
  throw closest(flaws) ?? new Flaw('SignedByOtherKey', 'a key signed it, and the policy trusts identities only');
}

function verifyWith(key: TrustedKey, bundle: Bundle, { root }: Trust, text?: Uint8Array): void {
  const isLogged = key.transparencyLog === 'Require';
  const entity = ofAnyHash(entityOf(bundle, text), bundle, text);
  const publicKey = { publicKey: createPublicKey(key.pem), validFor: () => true };
  const verifier = new Verifier(
    { ...root, publicKey: () => publicKey },
    { tlogThreshold: isLogged ? 1 : 0, ctlogThreshold: 0, timestampThreshold: 0 },
  );
  judge(isLogged ? entity : { ...entity, tlogEntries: [], timestamps: [] }, (one) => verifier.verify(one), {
    wrongSignature: new Flaw('SignedByOtherKey', 'no key of the policy made it'),
  });
}

/** The library knows one hash for each form; signers choose it by the key. */
function ofAnyHash(entity: SignedEntity, { content }: Bundle, text?: Uint8Array): SignedEntity {
  const [bytes, made] =
    content.$case === 'dsseEnvelope'
      ? [preAuthentication(content.dsseEnvelope), content.dsseEnvelope.signatures[0]?.sig]
      : [text, content.messageSignature.signature];
  if (bytes === undefined || made === undefined) return entity;
  const verifySignature = { value: (key: KeyObject) => isSignedBy(key, bytes, made) };
  return { ...entity, signature: Object.create(entity.signature, { verifySignature }) as SignedEntity['signature'] };
}

/** The bytes that are signed. @see https://github.com/secure-systems-lab/dsse/blob/master/protocol.md */
function preAuthentication({
  payloadType,
  payload,
}: {
  readonly payloadType: string;
  readonly payload: Buffer;
}): Buffer {
  const lengths = [Buffer.byteLength(payloadType), payload.length];
  return Buffer.concat([Buffer.from(`DSSEv1 ${lengths[0]} ${payloadType} ${lengths[1]} `), payload]);
}

/**
 * Verifies the certificate, its logs and the signature, and compares the identity.
 *
 * @param text the signed bytes, if the bundle holds no statement of its own
 * @throws Flaw
 */
export function verifyKeyless(bundle: Bundle, policy: Trust, text?: Uint8Array): Signed {
  if (policy.identities.length === 0)
    throw new Flaw('SignedByOtherIdentity', 'a certificate signed it, and the policy trusts keys only');
  const publicKey = (): never => {
    throw new Flaw('SignatureMalformed', 'it names neither a key nor a certificate');
  };
  const verifier = new Verifier(
    { ...policy.root, publicKey },
    // A root of one's own may have no log of certificates; the public one has.
    { tlogThreshold: 1, ctlogThreshold: policy.root.ctlogs.length > 0 ? 1 : 0, timestampThreshold: 1 },
  );
  const { identity } = judge(ofAnyHash(entityOf(bundle, text), bundle, text), (entity) => verifier.verify(entity), {
    wrongSignature: new Flaw('SignatureInvalid', 'its certificate did not make it'),
  });
  const [issuer, subject] = [identity?.extensions?.issuer ?? '', identity?.subjectAlternativeName ?? ''];
  if (policy.identities.some((trusted) => isTrusted(trusted, { issuer, subject })))
    return { by: `${subject} (issuer ${issuer})` };
  throw new Flaw('SignedByOtherIdentity', `${subject} (issuer ${issuer}) made it`);
}

function entityOf(bundle: Bundle, text: Uint8Array | undefined): SignedEntity {
  try {
    return toSignedEntity(bundle, text === undefined ? undefined : Buffer.from(text));
  } catch (error) {
    throw new Flaw('SignatureMalformed', 'its certificate or timestamp cannot be parsed', error);
  }
}

interface FlawWording {
  readonly wrongSignature: Flaw;
}

/** Runs the verifier, and says in terms of this module what it found. */
function judge(entity: SignedEntity, verify: (entity: SignedEntity) => Signer, wording: FlawWording): Signer {
  try {
    return verify(entity);
  } catch (error) {
    if (error instanceof Flaw) throw error;
    if (!(error instanceof VerificationError)) throw new Flaw('SignatureMalformed', 'it cannot be parsed', error);
    throw flawOf(error, entity, wording);
  }
}

function flawOf(error: VerificationError, entity: SignedEntity, { wrongSignature }: FlawWording): Flaw {
  switch (error.code) {
    case 'SIGNATURE_ERROR':
    case 'PUBLIC_KEY_ERROR':
      return wrongSignature;
    case 'CERTIFICATE_ERROR':
      return isOutsideValidity(entity)
        ? new Flaw('SignatureExpired', 'its certificate was not valid when it was made', error)
        : new Flaw('SignedByOtherIdentity', 'no trusted authority issued its certificate', error);
    case 'TIMESTAMP_ERROR':
      return new Flaw('SignatureNotLogged', 'no trusted log or authority says when it was made', error);
    case 'TLOG_BODY_ERROR':
      return new Flaw('SignatureInvalid', 'the log holds an entry of another signature', error);
    default:
      return new Flaw('SignatureNotLogged', 'no trusted transparency log holds it', error);
  }
}

function isOutsideValidity({ key, timestamps }: SignedEntity): boolean {
  if (key.$case !== 'certificate') return false;
  return timestamps.some((timestamp) => {
    const time =
      timestamp.$case === 'timestamp-authority'
        ? timestamp.timestamp.signingTime
        : new Date(Number(timestamp.tlogEntry.integratedTime) * 1000);
    return !key.certificate.validForDate(time);
  });
}
