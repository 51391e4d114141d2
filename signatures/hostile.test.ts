/** Signatures that a registry, a mirror or another signer made to be misread. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { isTrusted, type SignaturePolicy } from './policy.ts';
import type { BundleSignature, ImageSignature, SimpleSignature } from './signature.ts';
import { createInstance, publicPem, type SigstoreInstance } from './testing/instance.ts';
import { signSimply, type Signer } from './testing/signer.ts';
import { parseTrustedRoot } from './trusted-root.ts';
import { verifyImage } from './verify.ts';

const HEX = createHash('sha256').update('gadget').digest('hex');
const HEX512 = createHash('sha512').update('gadget').digest('hex');
const OTHER = createHash('sha256').update('other').digest('hex');
const IMAGE = { repository: 'registry.example/team/gadget', digest: `sha256:${HEX}` };
const PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
const TYPE = 'application/vnd.in-toto+json';
const WHO = { subject: 'https://ci.example/release.yml', issuer: 'https://issuer.example' };
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let instance: SigstoreInstance;
let policy: SignaturePolicy;
beforeAll(async () => {
  instance = await createInstance();
  policy = {
    keys: [{ name: 'release', pem: publicPem(privateKey), transparencyLog: 'Ignore' }],
    identities: [{ ...WHO, match: 'Exact' }],
    mirrored: [],
    root: parseTrustedRoot(instance.root, 'the test'),
  };
});

interface Envelope {
  readonly statement?: unknown;
  readonly text?: string;
  readonly type?: string;
  readonly signatures?: (made: object) => readonly object[];
}

/** A bundle that the trusted key signed, whatever it says. */
function bundle({ statement, text = JSON.stringify(statement), type = TYPE, signatures = (made) => [made] }: Envelope) {
  const payload = Buffer.from(text);
  const bytes = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
  const made = { sig: sign('sha256', bytes, privateKey).toString('base64'), keyid: '' };
  const json = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: 'x' }, tlogEntries: [] },
    dsseEnvelope: { payload: payload.toString('base64'), payloadType: type, signatures: signatures(made) },
  };
  return {
    form: 'Bundle',
    place: 'signature',
    subject: IMAGE.digest,
    json: Buffer.from(JSON.stringify(json)),
  } satisfies BundleSignature;
}

function statement(...digests: readonly object[]): object {
  return { predicateType: PREDICATE, subject: digests.map((digest) => ({ digest })), predicate: {} };
}

function verdict(signature: ImageSignature, image = IMAGE, asked = policy): string {
  try {
    return verifyImage(image, [signature], asked).by;
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    expect(error.message.length, 'characters of the message').toBeLessThan(1500);
    return error.reason;
  }
}

const NESTED = '['.repeat(60_000) + ']'.repeat(60_000);
const FOREIGN = { sig: Buffer.from('x').toString('base64'), keyid: '' };

test.each<{ because: string; envelope: Envelope; expected: string }>([
  {
    because: 'one of its subjects is the image',
    envelope: { statement: statement({ sha256: OTHER }, { sha256: HEX }) },
    expected: 'key release',
  },
  {
    because: 'its subjects are many other images',
    envelope: { statement: statement(...Array.from({ length: 2000 }, () => ({ sha256: OTHER }))) },
    expected: 'SignedOtherDigest',
  },
  {
    because: 'the digest stands under the name of another hash',
    envelope: { statement: statement({ sha512: HEX }) },
    expected: 'SignedOtherDigest',
  },
  {
    because: 'the digest is written in capitals',
    envelope: { statement: statement({ sha256: HEX.toUpperCase() }) },
    expected: 'SignedOtherDigest',
  },
  {
    because: 'the digest stands in the prototype',
    envelope: { text: `{"predicateType":"${PREDICATE}","subject":[{"digest":{"__proto__":{"sha256":"${HEX}"}}}]}` },
    expected: 'not trusted',
  },
  { because: 'it has no subject', envelope: { statement: statement() }, expected: 'SignatureMalformed' },
  { because: 'its payload is nested without end', envelope: { text: NESTED }, expected: 'SignatureMalformed' },
  {
    because: 'its type is another one',
    envelope: { statement: statement({ sha256: HEX }), type: 'text/plain' },
    expected: 'SignatureMalformed',
  },
  {
    because: 'its type only begins like a statement',
    envelope: { statement: statement({ sha256: HEX }), type: `${TYPE} ` },
    expected: 'SignatureMalformed',
  },
  {
    because: 'a signature of a stranger stands before that of the key',
    envelope: { statement: statement({ sha256: HEX }), signatures: (made) => [FOREIGN, made] },
    expected: 'SignatureMalformed',
  },
  {
    because: 'a signature of a stranger stands behind that of the key',
    envelope: { statement: statement({ sha256: HEX }), signatures: (made) => [made, FOREIGN] },
    expected: 'SignatureMalformed',
  },
  {
    because: 'it has no signature',
    envelope: { statement: statement({ sha256: HEX }), signatures: () => [] },
    expected: 'SignatureMalformed',
  },
  {
    because: 'the predicate is that of a signature in another place',
    envelope: {
      statement: {
        ...statement({ sha256: HEX }),
        predicateType: 'https://slsa.dev/provenance/v1',
        predicate: { predicateType: PREDICATE },
      },
    },
    expected: 'Unsigned',
  },
])('a bundle is judged by its signed text: $because', ({ envelope, expected }) => {
  const found = verdict(bundle(envelope));
  if (expected === 'not trusted') expect(['SignedOtherDigest', 'SignatureMalformed']).toContain(found);
  else expect(found).toBe(expected);
});

test('an image whose digest is of another hash is compared by that hash', () => {
  const image = { ...IMAGE, digest: `sha512:${HEX512}` };
  const of = (digest: object): ImageSignature => ({
    ...bundle({ statement: statement(digest) }),
    subject: image.digest,
  });
  expect(verdict(of({ sha512: HEX512 }), image)).toBe('key release');
  expect(verdict(of({ sha256: HEX }), image)).toBe('SignedOtherDigest');
});

describe('the older form', () => {
  const LOGGED = 'dev.sigstore.cosign/bundle';
  const byCertificate = async (): Promise<SimpleSignature> => {
    const signer: Signer = { by: 'certificate', certified: await instance.certify(WHO), instance };
    return signSimply(IMAGE, signer);
  };

  test.each<{ because: string; entry: string }>([
    { because: 'the time is not whole', entry: '"integratedTime":1.5' },
    { because: 'the time is negative', entry: '"integratedTime":-1' },
    { because: 'the time is beyond every date', entry: '"integratedTime":1e300' },
    { because: 'the time is infinite', entry: '"integratedTime":1e999' },
    { because: 'the index is beyond every integer', entry: '"logIndex":1e300' },
    { because: 'the index is negative', entry: '"logIndex":-7' },
    { because: 'the id is no hash', entry: '"logID":"zz"' },
  ])('is refused with a reason if numbers of its log entry are odd: $because', async ({ entry }) => {
    const signature = await byCertificate();
    const [name = ''] = entry.split(':');
    const logged = (signature.annotations[LOGGED] ?? '').replace(new RegExp(`${name}:[^,}]+`), entry);
    expect(logged).toContain(entry);
    const annotations = { ...signature.annotations, [LOGGED]: logged };
    const refused = ['SignatureMalformed', 'SignatureNotLogged', 'SignatureExpired', 'SignedByOtherIdentity'];
    expect(refused).toContain(verdict({ ...signature, annotations }, IMAGE, { ...policy, keys: [] }));
  });

  test('counts by its key, whatever certificate stands beside it', async () => {
    const signature = await signSimply(IMAGE, { by: 'key', privateKey });
    const { annotations } = await byCertificate();
    const certificate = annotations['dev.sigstore.cosign/certificate'] ?? '';
    for (const text of [certificate, 'x']) {
      const both = { ...signature.annotations, 'dev.sigstore.cosign/certificate': text };
      expect(verdict({ ...signature, annotations: both })).toBe('key release');
    }
  });

  test('counts by its certificate in a policy that has keys as well', async () => {
    expect(verdict(await byCertificate())).toBe(`${WHO.subject} (issuer ${WHO.issuer})`);
  });
});

test.each<{ because: string; pattern: string; subject: string; fits: boolean }>([
  { because: 'a star stands for nothing, too', pattern: 'a*b', subject: 'ab', fits: true },
  { because: 'beginning and end do not overlap', pattern: 'ab*ba', subject: 'aba', fits: false },
  {
    because: 'a star crosses slashes',
    pattern: 'https://h.example/*/x',
    subject: 'https://h.example/a/b/x',
    fits: true,
  },
  { because: 'the end is anchored', pattern: '*@team.example', subject: 'a@team.example.evil', fits: false },
  {
    because: 'the beginning is anchored',
    pattern: 'https://h.example/*',
    subject: 'x https://h.example/a',
    fits: false,
  },
  { because: 'parts keep their order', pattern: '*b*a*', subject: 'ab', fits: false },
  { because: 'a dot is a dot', pattern: 'a.b*', subject: 'axb', fits: false },
  { because: 'capitals differ', pattern: 'A*', subject: 'ab', fits: false },
  { because: 'two stars are one', pattern: 'a**b', subject: 'axb', fits: true },
  { because: 'a line end is a character', pattern: 'a*b', subject: 'a\nb', fits: true },
  { because: 'many stars take no time', pattern: `${'a*'.repeat(250)}c`, subject: 'a'.repeat(100_000), fits: false },
])('a pattern: $because', ({ pattern, subject, fits }) => {
  const identity = { issuer: 'i', subject: pattern, match: 'Glob' } as const;
  expect(isTrusted(identity, { issuer: 'i', subject })).toBe(fits);
});
