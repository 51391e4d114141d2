import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import type { Reason } from '../api/reasons.ts';
import type { SignaturePolicy, TrustedIdentity, TrustRoot } from './policy.ts';
import type { BundleSignature, ImageSignature, SimpleSignature } from './signature.ts';
import { createInstance, publicPem, type SigstoreInstance } from './testing/instance.ts';
import { signBundle, signSimply, type Signable, type Signer } from './testing/signer.ts';
import { parseTrustedRoot } from './trusted-root.ts';
import { verifyImage } from './verify.ts';

const IMAGE: Signable = { repository: 'registry.example/team/gadget', digest: digestOf('the index') };
const PLATFORM: Signable = { ...IMAGE, digest: digestOf('the image for one platform') };
const OTHER: Signable = { ...IMAGE, digest: digestOf('another image') };
const SUBJECT = 'https://ci.example/team/release.yml@refs/tags/v1';
const ISSUER = 'https://issuer.example';

let instance: SigstoreInstance;
let foreign: SigstoreInstance;
const key = privateKey();
const otherKey = privateKey();

beforeAll(async () => {
  [instance, foreign] = await Promise.all([createInstance(), createInstance()]);
});

const NO_AUTHORITIES: TrustRoot = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };

type Method = Signer['by'];

interface Circumstances {
  readonly wrongKey?: boolean;
  readonly wrongIdentity?: boolean;
  readonly expired?: boolean;
  readonly foreign?: boolean;
}

async function signerFor(by: Method, how: Circumstances = {}): Promise<Signer> {
  const signing = how.wrongKey === true ? otherKey : key;
  const at = how.foreign === true ? foreign : instance;
  if (by === 'key') return { by, privateKey: signing };
  if (by === 'key with log') return { by, privateKey: signing, instance: at };
  const subject = how.wrongIdentity === true ? 'https://ci.example/stranger' : SUBJECT;
  const certified = await at.certify({ subject, issuer: ISSUER, expired: how.expired ?? false });
  return { by, certified, instance: at };
}

function policyFor(by: Method, policy: Partial<SignaturePolicy> = {}): SignaturePolicy {
  const root = parseTrustedRoot(instance.root, 'the test');
  const identities: readonly TrustedIdentity[] = [{ issuer: ISSUER, subject: SUBJECT, match: 'Exact' }];
  const transparencyLog = by === 'key' ? 'Ignore' : 'Require';
  const isKey = by === 'key' || by === 'key with log';
  return {
    keys: isKey ? [{ name: 'release', pem: publicPem(key), transparencyLog }] : [],
    identities: isKey ? [] : identities,
    root,
    mirrored: [],
    ...policy,
  };
}

function verdict(image: Signable, signatures: readonly ImageSignature[], policy: SignaturePolicy): string {
  try {
    return verifyImage(image, signatures, policy).by;
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    expect(error.retry).toBe('never');
    return error.reason;
  }
}

const KEYED = 'key release';
const CERTIFIED = `${SUBJECT} (issuer ${ISSUER})`;
const METHODS = ['key', 'key with log', 'certificate', 'certificate with Rekor v2'] as const;
const FORMS = {
  bundle: signBundle as (image: Signable, signer: Signer) => Promise<ImageSignature>,
  'older form': signSimply as (image: Signable, signer: Signer) => Promise<ImageSignature>,
};

/** The older form has a place for the promise of a log and for no other proof. */
const CELLS = METHODS.flatMap((by) =>
  (['bundle', 'older form'] as const)
    .filter((form) => form === 'bundle' || by !== 'certificate with Rekor v2')
    .map((form) => ({ by, form, signed: by.startsWith('key') ? KEYED : CERTIFIED, isKey: by.startsWith('key') })),
);

describe.each(CELLS)('a signature by $by, as $form', ({ by, form, signed, isKey }) => {
  const sign = FORMS[form];
  const certified = (reason: Reason): string => (isKey ? signed : reason);
  const OF_STRANGERS: Readonly<Record<Method, string>> = {
    key: signed,
    'key with log': 'SignatureNotLogged',
    certificate: 'SignedByOtherIdentity',
    'certificate with Rekor v2': 'SignatureNotLogged',
  };

  test.each<{ because: string; expected: string; make: () => Promise<readonly ImageSignature[]> }>([
    { because: 'is trusted', expected: signed, make: async () => [await sign(IMAGE, await signerFor(by))] },
    {
      because: 'is about another digest',
      expected: form === 'bundle' ? 'SignatureOfOtherSubject' : 'SignedOtherDigest',
      make: async () => [await sign(OTHER, await signerFor(by))],
    },
    {
      because: 'is about one platform of the index',
      expected: form === 'bundle' ? 'SignatureOfOtherSubject' : 'SignedOtherDigest',
      make: async () => [await sign(PLATFORM, await signerFor(by))],
    },
    {
      because: 'was copied to another image by a manifest that names this one',
      expected: 'SignedOtherDigest',
      make: async () => [replayed(await sign(OTHER, await signerFor(by)))],
    },
    {
      because: 'is by another key',
      expected: isKey ? 'SignedByOtherKey' : signed,
      make: async () => [await sign(IMAGE, await signerFor(by, { wrongKey: true }))],
    },
    {
      because: 'is by another identity',
      expected: certified('SignedByOtherIdentity'),
      make: async () => [await sign(IMAGE, await signerFor(by, { wrongIdentity: true }))],
    },
    {
      because: 'has a certificate that had expired',
      expected: certified('SignatureExpired'),
      make: async () => [await sign(IMAGE, await signerFor(by, { expired: true }))],
    },
    {
      because: 'is vouched for by an instance that the trusted root does not name',
      expected: OF_STRANGERS[by],
      make: async () => [await sign(IMAGE, await signerFor(by, { foreign: true }))],
    },
    { because: 'was stripped', expected: 'Unsigned', make: async () => [] },
    {
      because: 'was changed afterwards',
      // A log's entry is of the signed text, and is compared first.
      expected: by === 'key' ? 'SignedByOtherKey' : 'SignatureInvalid',
      make: async () => [changed(await sign(IMAGE, await signerFor(by)))],
    },
    {
      because: 'stands behind one that is broken',
      expected: signed,
      make: async () => [BROKEN, await sign(IMAGE, await signerFor(by))],
    },
  ])('the verdict is $expected if it $because', async ({ expected, make }) => {
    expect(verdict(IMAGE, await make(), policyFor(by))).toBe(expected);
  });
});

describe('a registry that fails to show a signature', () => {
  const failure = new ReasonedError({ reason: 'RegistryThrottled', retry: 'backoff', message: 'it answers 429' });
  const hidden: ImageSignature = { form: 'Broken', place: 'signature sha256:abc', message: failure.message, failure };

  test('does not matter if another signature is trusted', async () => {
    const signed = await signBundle(IMAGE, await signerFor('key'));
    for (const signatures of [
      [hidden, signed],
      [signed, hidden],
    ])
      expect(verdict(IMAGE, signatures, policyFor('key'))).toBe('key release');
  });

  test.each([
    { because: 'nothing else was found', make: async () => [] },
    {
      because: 'a stranger signed',
      make: async () => [await signBundle(IMAGE, await signerFor('key', { wrongKey: true }))],
    },
    { because: 'a signature is broken', make: async () => [BROKEN] },
  ])('is the error to be retried, as a trusted one may be hidden: $because', async ({ make }) => {
    const signatures = [...(await make()), hidden];
    expect(() => verifyImage(IMAGE, signatures, policyFor('key'))).toThrow(failure);
  });

  test('is the error too if an attestation may be hidden', async () => {
    const policy = policyFor('key', { attestations: ['https://slsa.dev/provenance'] });
    const signed = await signBundle(IMAGE, await signerFor('key'));
    expect(() => verifyImage(IMAGE, [signed, hidden], policy)).toThrow(failure);
  });
});

const BROKEN: ImageSignature = { form: 'Broken', place: 'signature sha256:def', message: 'it is not one bundle' };

function replayed(signature: ImageSignature): ImageSignature {
  return signature.form === 'Bundle' ? { ...signature, subject: IMAGE.digest } : signature;
}

/** The signed text is another one, as long as before. */
function changed(signature: ImageSignature): ImageSignature {
  if (signature.form === 'SimpleSigning') {
    const payload = Buffer.from(Buffer.from(signature.payload).toString().replace('null', '1234'));
    return { ...signature, payload };
  }
  if (signature.form !== 'Bundle') return signature;
  const bundle = JSON.parse(Buffer.from(signature.json).toString()) as { dsseEnvelope: { payload: string } };
  const text = Buffer.from(bundle.dsseEnvelope.payload, 'base64')
    .toString()
    .replace('"predicate":{}', '"predicate":[]');
  bundle.dsseEnvelope.payload = Buffer.from(text).toString('base64');
  return { ...signature, json: Buffer.from(JSON.stringify(bundle)) };
}

describe('a policy', () => {
  test.each<{ because: string; by: Method; policy: Partial<SignaturePolicy>; expected: string }>([
    {
      because: 'a key that requires a log does not trust a signature without one',
      by: 'key',
      policy: { keys: [{ name: 'release', pem: publicPem(key), transparencyLog: 'Require' }] },
      expected: 'SignatureNotLogged',
    },
    {
      because: 'a key that ignores logs trusts a signature in a log that is not known',
      by: 'key with log',
      policy: { keys: [{ name: 'release', pem: publicPem(key), transparencyLog: 'Ignore' }], root: NO_AUTHORITIES },
      expected: KEYED,
    },
    {
      because: 'any of several keys is enough',
      by: 'key',
      policy: {
        keys: [
          { name: 'old', pem: publicPem(otherKey), transparencyLog: 'Require' },
          { name: 'release', pem: publicPem(key), transparencyLog: 'Ignore' },
        ],
      },
      expected: KEYED,
    },
    {
      because: 'identities do not make keys trusted',
      by: 'key with log',
      policy: { keys: [], identities: [{ issuer: ISSUER, subject: '*', match: 'Glob' }] },
      expected: 'SignedByOtherKey',
    },
    {
      because: 'a pattern trusts every tag of the workflow',
      by: 'certificate',
      policy: {
        identities: [{ issuer: ISSUER, subject: 'https://ci.example/team/release.yml@refs/tags/*', match: 'Glob' }],
      },
      expected: CERTIFIED,
    },
    {
      because: 'a part of the subject is not the subject',
      by: 'certificate',
      policy: { identities: [{ issuer: ISSUER, subject: 'ci.example', match: 'Exact' }] },
      expected: 'SignedByOtherIdentity',
    },
    {
      because: 'a star means itself unless a pattern is asked for',
      by: 'certificate',
      policy: { identities: [{ issuer: ISSUER, subject: 'https://*', match: 'Exact' }] },
      expected: 'SignedByOtherIdentity',
    },
    {
      because: 'another issuer may give the same subject to anyone',
      by: 'certificate',
      policy: { identities: [{ issuer: 'https://other.example', subject: SUBJECT, match: 'Exact' }] },
      expected: 'SignedByOtherIdentity',
    },
    {
      because: 'without authorities no certificate is trusted',
      by: 'certificate',
      policy: { root: NO_AUTHORITIES },
      expected: 'SignedByOtherIdentity',
    },
  ])('$because', async ({ by, policy, expected }) => {
    for (const sign of Object.values(FORMS)) {
      const signatures = [await sign(IMAGE, await signerFor(by))];
      expect(verdict(IMAGE, signatures, policyFor(by, policy))).toBe(expected);
    }
  });

  test.each<{ because: string; signedAs: string; mirrored: SignaturePolicy['mirrored']; expected: string }>([
    {
      because: 'the name of another repository is not trusted',
      signedAs: 'quay.example/team/gadget',
      mirrored: [],
      expected: 'SignedOtherReference',
    },
    {
      because: 'a mirror that the policy names has the name of its source',
      signedAs: 'quay.example/operators/gadget',
      mirrored: [{ prefix: 'registry.example/team', signedPrefix: 'quay.example/operators' }],
      expected: KEYED,
    },
    {
      because: 'of several prefixes the longest decides',
      signedAs: 'quay.example/special',
      mirrored: [
        { prefix: 'registry.example', signedPrefix: 'quay.example/general' },
        { prefix: 'registry.example/team/gadget', signedPrefix: 'quay.example/special' },
      ],
      expected: KEYED,
    },
    {
      because: 'a prefix ends at a slash',
      signedAs: 'quay.example/operators/gadget',
      mirrored: [{ prefix: 'registry.example/tea', signedPrefix: 'quay.example/operators/ga' }],
      expected: 'SignedOtherReference',
    },
    {
      because: 'mirrored content under its new name was not signed by its publisher',
      signedAs: 'registry.example/team/gadget',
      mirrored: [{ prefix: 'registry.example/team', signedPrefix: 'quay.example/operators' }],
      expected: 'SignedOtherReference',
    },
    {
      because: 'a tag in the signed name does not count',
      signedAs: 'registry.example/team/gadget:v1',
      mirrored: [],
      expected: KEYED,
    },
    {
      because: 'a digest in the signed name does not count',
      signedAs: `registry.example/team/gadget@${OTHER.digest}`,
      mirrored: [],
      expected: KEYED,
    },
    {
      because: 'a port is no tag',
      signedAs: 'registry.example:5000/team/gadget',
      mirrored: [],
      expected: 'SignedOtherReference',
    },
  ])('$because', async ({ signedAs, mirrored, expected }) => {
    const signature = await signSimply({ ...IMAGE, repository: signedAs }, await signerFor('key'));
    expect(verdict(IMAGE, [signature], policyFor('key', { mirrored }))).toBe(expected);
  });
});

describe('the signed name and the name of the image are compared in one spelling', () => {
  test.each<{
    because: string;
    repository: string;
    signedAs: string;
    mirrored?: SignaturePolicy['mirrored'];
    expected: string;
  }>([
    {
      because: 'the port of TLS is implied',
      repository: 'registry.example/team/gadget',
      signedAs: 'registry.example:443/team/gadget',
      expected: KEYED,
    },
    {
      because: 'the port of TLS is implied, and a tag follows',
      repository: 'registry.example/team/gadget',
      signedAs: 'registry.example:443/team/gadget:v1',
      expected: KEYED,
    },
    {
      because: 'an image may be asked for by the other spelling',
      repository: 'registry.example:443/team/gadget',
      signedAs: 'registry.example/team/gadget',
      expected: KEYED,
    },
    {
      because: 'signers write the alias of Docker Hub',
      repository: 'docker.io/library/nginx',
      signedAs: 'index.docker.io/library/nginx',
      expected: KEYED,
    },
    {
      because: 'Docker Hub is asked under another alias',
      repository: 'docker.io/library/nginx',
      signedAs: 'registry-1.docker.io:443/library/nginx',
      expected: KEYED,
    },
    {
      because: 'hosts have no case',
      repository: 'registry.example/team/gadget',
      signedAs: 'Registry.Example./team/gadget',
      expected: KEYED,
    },
    {
      because: 'a prefix under which content was signed has spellings too',
      repository: 'registry.example/team/gadget',
      signedAs: 'docker.io/operators/gadget',
      mirrored: [{ prefix: 'registry.example/team', signedPrefix: 'index.docker.io/operators' }],
      expected: KEYED,
    },
    {
      because: 'another port is another registry',
      repository: 'registry.example/team/gadget',
      signedAs: 'registry.example:8443/team/gadget',
      expected: 'SignedOtherReference',
    },
    {
      because: 'repositories have case',
      repository: 'registry.example/team/gadget',
      signedAs: 'registry.example/Team/gadget',
      expected: 'SignedOtherReference',
    },
    {
      because: 'the host of another registry is no alias',
      repository: 'docker.io/library/nginx',
      signedAs: 'index.docker.io.example/library/nginx',
      expected: 'SignedOtherReference',
    },
  ])('$because', async ({ repository, signedAs, mirrored = [], expected }) => {
    const signature = await signSimply({ ...IMAGE, repository: signedAs }, await signerFor('key'));
    expect(verdict({ ...IMAGE, repository }, [signature], policyFor('key', { mirrored }))).toBe(expected);
  });
});

test('keys do not make identities trusted', async () => {
  const keys = [{ name: 'release', pem: publicPem(key), transparencyLog: 'Require' }] as const;
  const policy = policyFor('certificate', { identities: [], keys });
  const signer = await signerFor('certificate');
  expect(verdict(IMAGE, [await signBundle(IMAGE, signer)], policy)).toBe('SignedByOtherIdentity');
  // The older form does not say whether its key or its certificate is meant.
  expect(verdict(IMAGE, [await signSimply(IMAGE, signer)], policy)).toBe('SignedByOtherKey');
});

test('an attestation about the image is no signature', async () => {
  const signer = await signerFor('certificate');
  const provenance = await signBundle(IMAGE, signer, { predicateType: 'https://slsa.dev/provenance/v1' });
  expect(verdict(IMAGE, [provenance], policyFor('certificate'))).toBe('Unsigned');
});

test('of several flaws, that of the signature that came closest is reported', async () => {
  const wrong = await signBundle(IMAGE, await signerFor('key', { wrongKey: true }));
  const elsewhere = replayed(await signBundle(OTHER, await signerFor('key')));
  const policy = policyFor('key');
  expect(verdict(IMAGE, [BROKEN, wrong], policy)).toBe('SignedByOtherKey');
  expect(verdict(IMAGE, [BROKEN, elsewhere, wrong], policy)).toBe('SignedOtherDigest');
});

describe('malformed signatures are refused with a reason', () => {
  const bundle = (text: string): BundleSignature => ({
    form: 'Bundle',
    place: 'signature',
    subject: undefined,
    json: Buffer.from(text),
  });
  const simple = (payload: string, annotations = {}): SimpleSignature => ({
    form: 'SimpleSigning',
    place: 'signature',
    payload: Buffer.from(payload),
    annotations,
  });
  test.each<{ because: string; signature: ImageSignature }>([
    { because: 'no JSON', signature: bundle('{') },
    { because: 'JSON of another shape', signature: bundle('[]') },
    { because: 'null', signature: bundle('null') },
    {
      because: 'a bundle without content',
      signature: bundle('{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'),
    },
    { because: 'a payload without JSON', signature: simple('x') },
    { because: 'a payload without claims', signature: simple('{}') },
    { because: 'a payload of another type', signature: simple('{"critical":{"type":"x"}}') },
    { because: 'nothing that the registry could give', signature: BROKEN },
  ])('$because', ({ signature }) => {
    expect(verdict(IMAGE, [signature], policyFor('key with log'))).toBe('SignatureMalformed');
    expect(verdict(IMAGE, [signature], policyFor('certificate'))).toBe('SignatureMalformed');
  });

  test('a bundle with more proofs than signers write', async () => {
    const { json } = await signBundle(IMAGE, await signerFor('key with log'));
    const many = JSON.parse(Buffer.from(json).toString()) as { verificationMaterial: { tlogEntries: unknown[] } };
    const [entry] = many.verificationMaterial.tlogEntries;
    many.verificationMaterial.tlogEntries = Array.from({ length: 9 }, () => entry);
    expect(verdict(IMAGE, [bundle(JSON.stringify(many))], policyFor('key with log'))).toBe('SignatureMalformed');
  });

  test.each(['certificate', 'bundle'])('annotations of the older form whose %s is no such thing', async (name) => {
    const signed = await signSimply(IMAGE, await signerFor('certificate'));
    const annotations = { ...signed.annotations, [`dev.sigstore.cosign/${name}`]: 'x' };
    expect(verdict(IMAGE, [{ ...signed, annotations }], policyFor('certificate'))).toBe('SignatureMalformed');
  });
});

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function privateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}
