/**
 * Judges the signatures of an image against a policy, offline: one that holds is enough. Pure; nothing is asked for
 * the time, since a certificate has to be valid when a log or a timestamp authority saw its signature.
 */
import type { Bundle } from '@sigstore/bundle';
import { ReasonedError } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import { canonicalPrefix } from '../oci/host.ts';
import { closest, Flaw } from './flaw.ts';
import { signedRepository, type SignaturePolicy } from './policy.ts';
import type { BundleSignature, EnvelopeSignature, ImageSignature, SimpleSignature } from './signature.ts';
import { bundleOf, hasCertificate } from './simple-signing.ts';
import {
  claimOfSimpleSigning,
  claimOfStatement,
  SIGNATURE_PREDICATE,
  STATEMENT_TYPE,
  type Claim,
  type StatementClaim,
} from './statement.ts';
import { parseBundle, verifyKeyed, verifyKeyless, type Signed } from './verifier.ts';

/** The image that is to be signed. */
export interface SignedImage {
  /** Registry and repository that it is pulled from: `registry.example/team/gadget`. */
  readonly repository: string;
  /** Digest of the manifest or index that was asked for, `sha256:…`: never that of one platform of an index. */
  readonly digest: string;
}

/**
 * Returns the signer of the first signature that the policy trusts. If the policy requires attestations, one of each type
 * has to be trusted in the same way.
 *
 * @throws ReasonedError Unsigned or AttestationMissing if there is none, else the reason why the closest one does not
 * count; never retried by itself, since only another signature or another policy changes the answer. If the registry has
 * failed to show one, its error (retried)
 */
export function verifyImage(
  image: SignedImage,
  signatures: readonly ImageSignature[],
  policy: SignaturePolicy,
): Signed {
  const signed = firstTrusted(image, signatures, { ...SIGNATURE, policy });
  for (const type of policy.attestations ?? []) firstTrusted(image, signatures, { ...attestationOf(type), policy });
  return signed;
}

/** The statements that are looked for: signatures, or attestations of one type. */
interface Sought {
  /** For messages. */
  readonly noun: string;
  readonly missing: Reason;
  readonly hint: string;
  readonly accepts: (predicateType: string) => boolean;
}

interface SoughtUnder extends Sought {
  readonly policy: SignaturePolicy;
}

const SIGNATURE: Sought = {
  noun: 'signature',
  missing: 'Unsigned',
  hint: 'Ask its publisher to sign it, or change the policy',
  accepts: (type) => type === SIGNATURE_PREDICATE,
};

/** Later versions of a type are below it: `https://slsa.dev/provenance/v1`. */
function attestationOf(type: string): Sought {
  return {
    noun: `attestation ${type}`,
    missing: 'AttestationMissing',
    hint: 'Ask its publisher to attest it, or change the policy',
    accepts: (found) => found === type || found.startsWith(`${type}/`),
  };
}

function firstTrusted(image: SignedImage, signatures: readonly ImageSignature[], sought: SoughtUnder): Signed {
  const flaws: Flaw[] = [];
  for (const signature of signatures) {
    try {
      const signed = verifyOne(image, signature, sought);
      if (signed !== undefined) return signed;
    } catch (error) {
      if (!(error instanceof Flaw)) throw error;
      flaws.push(new Flaw(error.reason, `${signature.place}: ${error.message}`.slice(0, MOST_TEXT), error.cause));
    }
  }
  throw failureIn(signatures) ?? refusal(image, flaws, sought);
}

/** A failed look-up can hide a signature, and never forges one: it counts only if no other is trusted. */
function failureIn(signatures: readonly ImageSignature[]): ReasonedError | undefined {
  return signatures.map((one) => (one.form === 'Broken' ? one.failure : undefined)).find((one) => one !== undefined);
}

/** Signers choose the length of names and lists; one of the reasons has to fit into a message with the rest. */
const MOST_TEXT = 1000;

function refusal({ repository, digest }: SignedImage, flaws: readonly Flaw[], sought: Sought): ReasonedError {
  const { noun, missing, hint } = sought;
  const image = `${repository}@${digest}`;
  const flaw = closest(flaws);
  // A statement that cannot be parsed need not be of the type that is looked for.
  if (flaw === undefined || (missing !== 'Unsigned' && flaw.reason === 'SignatureMalformed')) {
    const unread = flaw === undefined ? '' : `, and one that cannot be read: ${flaw.message}`;
    return new ReasonedError({ reason: missing, retry: 'never', message: `${image} has no ${noun}${unread}`, hint });
  }
  const others = flaws.length === 1 ? '' : ` (of ${flaws.length} signatures, this one came closest)`;
  return new ReasonedError({
    reason: flaw.reason,
    retry: 'never',
    message: `no ${noun} of ${image} counts: ${flaw.message}${others}`,
    hint: 'Ask its publisher for a signature that the policy trusts, or change the policy',
    cause: flaw,
  });
}

/** Undefined for a statement that is not looked for: an attestation is no signature, nor the reverse. */
function verifyOne(image: SignedImage, signature: ImageSignature, sought: SoughtUnder): Signed | undefined {
  switch (signature.form) {
    case 'Broken':
      throw new Flaw('SignatureMalformed', signature.message);
    case 'Bundle':
      return verifyBundle(image, signature, sought);
    case 'SimpleSigning':
      return sought.accepts(SIGNATURE_PREDICATE) ? verifySimple(image, signature, sought.policy) : undefined;
    case 'Envelope':
      return verifyEnvelope(image, signature, sought);
  }
}

function verifyBundle(
  image: SignedImage,
  signature: BundleSignature,
  { policy, accepts }: SoughtUnder,
): Signed | undefined {
  if (signature.subject !== undefined && signature.subject !== image.digest)
    throw new Flaw('SignatureOfOtherSubject', `its manifest refers to ${signature.subject}`);
  const bundle = parseBundle(signature.json);
  const claim = claimIn(bundle);
  if (!accepts(claim.predicateType)) return undefined;
  const isKeyed = bundle.verificationMaterial.content.$case === 'publicKey';
  const signed = isKeyed ? verifyKeyed(() => bundle, policy) : verifyKeyless(bundle, policy);
  requireClaim(claim, image, policy);
  return signed;
}

/** The older form of attestations: which key or certificate is meant, annotations say, as for signatures. */
function verifyEnvelope(
  image: SignedImage,
  signature: EnvelopeSignature,
  { policy, accepts }: SoughtUnder,
): Signed | undefined {
  const claim = claimIn(bundleOf(signature, 'Key'));
  if (!accepts(claim.predicateType)) return undefined;
  const signed = verifySigner(signature, policy);
  requireClaim(claim, image, policy);
  return signed;
}

function claimIn({ content }: Bundle): StatementClaim {
  if (content.$case !== 'dsseEnvelope' || content.dsseEnvelope.payloadType !== STATEMENT_TYPE)
    throw new Flaw('SignatureMalformed', 'it signs bytes, not a statement about an image');
  return claimOfStatement(content.dsseEnvelope.payload);
}

function verifySimple(image: SignedImage, signature: SimpleSignature, policy: SignaturePolicy): Signed {
  const claim = claimOfSimpleSigning(signature.payload);
  const signed = verifySigner(signature, policy, signature.payload);
  requireClaim(claim, image, policy);
  return signed;
}

/** The certificate stands in an annotation that is not signed: a key may have made the signature nevertheless. */
function verifySigner(
  signature: SimpleSignature | EnvelopeSignature,
  policy: SignaturePolicy,
  payload?: Uint8Array,
): Signed {
  const byKey = (): Signed => verifyKeyed(() => bundleOf(signature, 'Key'), policy, payload);
  if (!hasCertificate(signature) || policy.identities.length === 0) return byKey();
  try {
    return verifyKeyless(bundleOf(signature, 'Certificate'), policy, payload);
  } catch (error) {
    if (!(error instanceof Flaw) || policy.keys.length === 0) throw error;
    return orCloser(error, byKey);
  }
}

function orCloser(flaw: Flaw, verify: () => Signed): Signed {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    throw closest([flaw, error]) ?? error;
  }
}

/** A signature that holds proves that its signer meant some digest: this one, of this repository? */
function requireClaim(claim: Claim, image: SignedImage, policy: SignaturePolicy): void {
  if (!claim.digests.includes(image.digest))
    throw new Flaw('SignedOtherDigest', `it is about ${claim.digests.join(', ') || 'no image'}`);
  // Signers write the host as it was typed: with its port, or by an alias.
  const expected = canonicalPrefix(signedRepository(policy, image.repository));
  if (claim.repository !== undefined && canonicalPrefix(claim.repository) !== expected)
    throw new Flaw('SignedOtherReference', `it is about ${claim.repository}, and ${expected} was expected`);
}
