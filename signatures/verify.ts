/**
 * Judges the signatures of an image against a policy, offline: one that holds is enough. Pure; nothing is asked for
 * the time, since a certificate has to be valid when a log or a timestamp authority saw its signature.
 */
import { ReasonedError } from '../api/errors.ts';
import { closest, Flaw } from './flaw.ts';
import { signedRepository, type SignaturePolicy } from './policy.ts';
import type { BundleSignature, ImageSignature, SimpleSignature } from './signature.ts';
import { bundleOf, hasCertificate } from './simple-signing.ts';
import { claimOfSimpleSigning, claimOfStatement, STATEMENT_TYPE, type Claim } from './statement.ts';
import { parseBundle, verifyKeyed, verifyKeyless, type Signed } from './verifier.ts';

/** The image that is to be signed. */
export interface SignedImage {
  /** Registry and repository that it is pulled from: `registry.example/team/gadget`. */
  readonly repository: string;
  /** Digest of the manifest or index that was asked for, `sha256:…`: never that of one platform of an index. */
  readonly digest: string;
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

/** A signature that holds proves that its signer meant some digest: this one, of this repository? */
function requireClaim(claim: Claim, image: SignedImage, policy: SignaturePolicy): void {
  if (!claim.digests.includes(image.digest))
    throw new Flaw('SignedOtherDigest', `it is about ${claim.digests.join(', ') || 'no image'}`);
  const expected = signedRepository(policy, image.repository);
  if (claim.repository !== undefined && claim.repository !== expected)
    throw new Flaw('SignedOtherReference', `it is about ${claim.repository}, and ${expected} was expected`);
}
