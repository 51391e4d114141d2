/**
 * Judges the signatures of an image against a policy, offline: one that holds is enough. Pure; nothing is asked for
 * the time, since a certificate has to be valid when a log or a timestamp authority saw its signature.
 */
import { createPublicKey } from 'node:crypto';
import { bundleFromJSON, type Bundle } from '@sigstore/bundle';
import { toSignedEntity, VerificationError, Verifier, type SignedEntity, type Signer } from '@sigstore/verify';
import { ReasonedError } from '../api/errors.ts';
import { closest, Flaw } from './flaw.ts';
import { isTrusted, signedRepository, type SignaturePolicy, type TrustedKey } from './policy.ts';
import type { BundleSignature, ImageSignature, SimpleSignature } from './signature.ts';
import { bundleOf, hasCertificate } from './simple-signing.ts';
import { claimOfSimpleSigning, claimOfStatement, STATEMENT_TYPE, type Claim } from './statement.ts';

/** The image that is to be signed. */
export interface SignedImage {
  /** Registry and repository that it is pulled from: `registry.example/team/gadget`. */
  readonly repository: string;
  /** Digest of the manifest or index that was asked for, `sha256:…`: never that of one platform of an index. */
  readonly digest: string;
}

/** Who signed: `key release`, or `https://… (issuer https://…)`. */
export interface Signed {
  readonly by: string;
}

/**
 * Returns the signer of the first signature that the policy trusts.
 *
 * @throws ReasonedError Unsigned if there is no signature, else the reason why the closest one does not count; never
 * retried by itself, since only another signature or another policy changes the answer
 */
export function verifyImage(
  image: SignedImage,
  signatures: readonly ImageSignature[],
  policy: SignaturePolicy,
): Signed {
  const flaws: Flaw[] = [];
  for (const signature of signatures) {
    try {
      const signed = verifyOne(image, signature, policy);
      if (signed !== undefined) return signed;
    } catch (error) {
      if (!(error instanceof Flaw)) throw error;
      flaws.push(new Flaw(error.reason, `${signature.place}: ${error.message}`, error.cause));
    }
  }
  throw refusal(image, flaws);
}

function refusal({ repository, digest }: SignedImage, flaws: readonly Flaw[]): ReasonedError {
  const image = `${repository}@${digest}`;
  const flaw = closest(flaws);
  if (flaw === undefined)
    return new ReasonedError({
      reason: 'Unsigned',
      retry: 'never',
      message: `${image} has no signature`,
      hint: 'Ask its publisher to sign it, or change the policy',
    });
  const others = flaws.length === 1 ? '' : ` (and ${flaws.length - 1} more signatures that do not count)`;
  return new ReasonedError({
    reason: flaw.reason,
    retry: 'never',
    message: `no signature of ${image} counts: ${flaw.message}${others}`,
    hint: 'Ask its publisher for a signature that the policy trusts, or change the policy',
    cause: flaw,
  });
}

/** Undefined for an attestation, which is no signature. */
function verifyOne(image: SignedImage, signature: ImageSignature, policy: SignaturePolicy): Signed | undefined {
  switch (signature.form) {
    case 'Broken':
      throw new Flaw('SignatureMalformed', signature.message);
    case 'Bundle':
      return verifyBundle(image, signature, policy);
    case 'SimpleSigning':
      return verifySimple(image, signature, policy);
  }
}

function verifyBundle(image: SignedImage, signature: BundleSignature, policy: SignaturePolicy): Signed | undefined {
  if (signature.subject !== undefined && signature.subject !== image.digest)
    throw new Flaw('SignatureOfOtherSubject', `its manifest refers to ${signature.subject}`);
  const bundle = parseBundle(signature.json);
  if (bundle.content.$case !== 'dsseEnvelope' || bundle.content.dsseEnvelope.payloadType !== STATEMENT_TYPE)
    throw new Flaw('SignatureMalformed', 'it signs bytes, not a statement about an image');
  const claim = claimOfStatement(bundle.content.dsseEnvelope.payload);
  if (claim === undefined) return undefined;
  const isKeyed = bundle.verificationMaterial.content.$case === 'publicKey';
  const signed = isKeyed ? verifyKeyed(() => bundle, policy) : verifyKeyless(bundle, policy);
  requireClaim(claim, image, policy);
  return signed;
}

function verifySimple(image: SignedImage, signature: SimpleSignature, policy: SignaturePolicy): Signed {
  const { payload } = signature;
  const claim = claimOfSimpleSigning(payload);
  const signed =
    hasCertificate(signature) && policy.identities.length > 0
      ? verifyKeyless(bundleOf(signature, 'Certificate'), policy, payload)
      : verifyKeyed(() => bundleOf(signature, 'Key'), policy, payload);
  requireClaim(claim, image, policy);
  return signed;
}

function parseBundle(json: Uint8Array): Bundle {
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

/** Tries each key of the policy. */
function verifyKeyed(bundleFor: (key: TrustedKey) => Bundle, policy: SignaturePolicy, text?: Uint8Array): Signed {
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

function verifyWith(key: TrustedKey, bundle: Bundle, { root }: SignaturePolicy, text?: Uint8Array): void {
  const isLogged = key.transparencyLog === 'Require';
  const entity = entityOf(bundle, text);
  const publicKey = { publicKey: createPublicKey(key.pem), validFor: () => true };
  const verifier = new Verifier(
    { ...root, publicKey: () => publicKey },
    { tlogThreshold: isLogged ? 1 : 0, ctlogThreshold: 0, timestampThreshold: 0 },
  );
  judge(isLogged ? entity : { ...entity, tlogEntries: [], timestamps: [] }, (one) => verifier.verify(one), {
    wrongSignature: new Flaw('SignedByOtherKey', 'no key of the policy made it'),
  });
}

function verifyKeyless(bundle: Bundle, policy: SignaturePolicy, text?: Uint8Array): Signed {
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
  const { identity } = judge(entityOf(bundle, text), (entity) => verifier.verify(entity), {
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

interface Wording {
  readonly wrongSignature: Flaw;
}

/** Runs the verifier, and says in terms of this module what it found. */
function judge(entity: SignedEntity, verify: (entity: SignedEntity) => Signer, wording: Wording): Signer {
  try {
    return verify(entity);
  } catch (error) {
    if (error instanceof Flaw) throw error;
    if (!(error instanceof VerificationError)) throw new Flaw('SignatureMalformed', 'it cannot be parsed', error);
    throw flawOf(error, entity, wording);
  }
}

function flawOf(error: VerificationError, entity: SignedEntity, { wrongSignature }: Wording): Flaw {
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

/** A signature that holds proves that its signer meant some digest: this one, of this repository? */
function requireClaim(claim: Claim, image: SignedImage, policy: SignaturePolicy): void {
  if (!claim.digests.includes(image.digest))
    throw new Flaw('SignedOtherDigest', `it is about ${claim.digests.join(', ') || 'no image'}`);
  const expected = signedRepository(policy, image.repository);
  if (claim.repository !== undefined && claim.repository !== expected)
    throw new Flaw('SignedOtherReference', `it is about ${claim.repository}, and ${expected} was expected`);
}
