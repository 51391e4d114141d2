/** Attestations that a policy requires: of the right type, about this image, and by a signer whom the policy trusts. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { SIGNATURE_REASONS } from './flaw.ts';
import type { SignaturePolicy } from './policy.ts';
import type { ImageSignature } from './signature.ts';
import { createInstance, publicPem, type SigstoreInstance } from './testing/instance.ts';
import { attestSimply, signBundle, signSimply, type Signable, type Signer } from './testing/signer.ts';
import { parseTrustedRoot } from './trusted-root.ts';
import { verifyImage } from './verify.ts';

const IMAGE = signable('gadget');
const OTHER = signable('widget');
const WHO = { subject: 'https://ci.example/release.yml', issuer: 'https://issuer.example' };
const PROVENANCE = 'https://slsa.dev/provenance';
const PACKAGES = 'https://spdx.dev/Document';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const METHODS = ['key', 'key with log', 'certificate', 'certificate with Rekor v2'] as const;
type Method = (typeof METHODS)[number];

let instance: SigstoreInstance;

beforeAll(async () => {
  instance = await createInstance();
});

async function signerFor(by: Method, isTrusted = true): Promise<Signer> {
  const key = isTrusted ? privateKey : stranger;
  if (by === 'key') return { by, privateKey: key };
  if (by === 'key with log') return { by, privateKey: key, instance };
  const subject = isTrusted ? WHO.subject : 'https://ci.example/stranger';
  return { by, instance, certified: await instance.certify({ ...WHO, subject }) };
}

function policyFor(by: Method, attestations: readonly string[]): SignaturePolicy {
  const isKey = by.startsWith('key');
  const transparencyLog = by === 'key' ? 'Ignore' : 'Require';
  return {
    keys: isKey ? [{ name: 'release', pem: publicPem(privateKey), transparencyLog }] : [],
    identities: isKey ? [] : [{ ...WHO, match: 'Exact' }],
    root: parseTrustedRoot(instance.root, 'the test'),
    mirrored: [],
    attestations,
  };
}

function verdict(signatures: readonly ImageSignature[], policy: SignaturePolicy): string {
  try {
    verifyImage(IMAGE, signatures, policy);
    return 'trusted';
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    expect(SIGNATURE_REASONS, 'another signature changes the answer').toContain(error.reason);
    return error.reason;
  }
}

type Attest = (image: Signable, signer: Signer, type: string) => Promise<ImageSignature>;

const FORMS: Readonly<Record<string, Attest>> = {
  bundle: (image, signer, predicateType) => signBundle(image, signer, { predicateType }),
  'older form': (image, signer, predicateType) => attestSimply(image, signer, { predicateType }),
};

/** The older form has a place for the promise of a log and for no other proof. */
const CELLS = METHODS.flatMap((by) =>
  Object.keys(FORMS)
    .filter((form) => form === 'bundle' || by !== 'certificate with Rekor v2')
    .map((form) => ({ by, form })),
);

describe.each(CELLS)('an attestation by $by, as $form', ({ by, form }) => {
  const attest = FORMS[form]!;
  const byOther = by.startsWith('key') ? 'SignedByOtherKey' : 'SignedByOtherIdentity';

  test.each<{ because: string; required: readonly string[]; expected: string; make: () => Promise<ImageSignature[]> }>([
    {
      because: 'of the type itself is enough',
      required: [PACKAGES],
      expected: 'trusted',
      make: async () => [await attest(IMAGE, await signerFor(by), PACKAGES)],
    },
    {
      because: 'of a version of the type is enough',
      required: [PROVENANCE],
      expected: 'trusted',
      make: async () => [await attest(IMAGE, await signerFor(by), `${PROVENANCE}/v1`)],
    },
    {
      because: 'of a type that begins alike is of another type',
      required: [PROVENANCE],
      expected: 'AttestationMissing',
      make: async () => [await attest(IMAGE, await signerFor(by), `${PROVENANCE}s/v1`)],
    },
    {
      because: 'of each of two types is needed if both are required',
      required: [PROVENANCE, PACKAGES],
      expected: 'AttestationMissing',
      make: async () => [await attest(IMAGE, await signerFor(by), PACKAGES)],
    },
    {
      because: 'about another image does not count, although the list of this one holds it',
      required: [PACKAGES],
      expected: 'SignedOtherDigest',
      make: async () => [replayed(await attest(OTHER, await signerFor(by), PACKAGES))],
    },
    {
      because: 'by a stranger does not count',
      required: [PACKAGES],
      expected: byOther,
      make: async () => [await attest(IMAGE, await signerFor(by, false), PACKAGES)],
    },
    {
      because: 'that is missing is missed',
      required: [PACKAGES],
      expected: 'AttestationMissing',
      make: async () => [],
    },
    {
      because: 'that cannot be read is missing',
      required: [PACKAGES],
      expected: 'AttestationMissing',
      make: async () => [{ form: 'Broken', place: 'signature sha256:def', message: 'it is too large' }],
    },
    {
      because: 'is found behind one that cannot be read, and one by a stranger',
      required: [PACKAGES],
      expected: 'trusted',
      make: async () => [
        { form: 'Broken', place: 'signature sha256:def', message: 'it is too large' },
        await attest(IMAGE, await signerFor(by, false), PACKAGES),
        await attest(IMAGE, await signerFor(by), PACKAGES),
      ],
    },
  ])('$because', async ({ required, expected, make }) => {
    const signature = await signBundle(IMAGE, await signerFor(by));
    const attestations = await make();
    expect(verdict([signature, ...attestations], policyFor(by, required))).toBe(expected);
    expect(verdict([signature, ...attestations], policyFor(by, [])), 'without the demand').toBe('trusted');
    expect(verdict(attestations, policyFor(by, required)), 'an attestation is no signature').not.toBe('trusted');
  });
});

test('a signature stands for no attestation, in either form', async () => {
  const signer = await signerFor('key');
  const signatures = [await signBundle(IMAGE, signer), await signSimply(IMAGE, signer)];
  expect(verdict(signatures, policyFor('key', [PACKAGES]))).toBe('AttestationMissing');
});

test.each(['', '{', '[]', '{}', '{"payload":"e30=","payloadType":"text/plain","signatures":[{"sig":"eA=="}]}'])(
  'an envelope of the older form that is none is no attestation: %s',
  async (text) => {
    const signed = await signBundle(IMAGE, await signerFor('key'));
    const broken = { ...(await attestSimply(IMAGE, await signerFor('key'))), envelope: Buffer.from(text) };
    expect(verdict([signed, broken], policyFor('key', [PACKAGES]))).toBe('AttestationMissing');
    expect(verdict([broken], policyFor('key', []))).toBe('SignatureMalformed');
  },
);

/** Another image's attestation in the list of this one. */
function replayed(signature: ImageSignature): ImageSignature {
  return signature.form === 'Bundle' ? { ...signature, subject: IMAGE.digest } : signature;
}

function signable(name: string): Signable {
  const digest = `sha256:${createHash('sha256').update(name).digest('hex')}`;
  return { repository: `registry.example/team/${name}`, digest };
}
