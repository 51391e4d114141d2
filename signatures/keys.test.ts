/** Keys in a policy: the types that signers use, and texts that are no key. */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ImageSignature } from './signature.ts';
import { createInstance, publicPem } from './testing/instance.ts';
import { signBundle, signSimply, type Signer } from './testing/signer.ts';
import { parseTrustedRoot } from './trusted-root.ts';
import { requireKeys } from './trusted-keys.ts';
import { verifyImage } from './verify.ts';

const IMAGE = {
  repository: 'registry.example/team/gadget',
  digest: `sha256:${createHash('sha256').update('gadget').digest('hex')}`,
};
const NO_AUTHORITIES = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
const ec = (namedCurve: string): KeyObject => generateKeyPairSync('ec', { namedCurve }).privateKey;
const rsa = (modulusLength: number): KeyObject => generateKeyPairSync('rsa', { modulusLength }).privateKey;

describe.each<{ because: string; key: KeyObject; hash: string | null }>([
  { because: 'RSA of 2048 bits is in use', key: rsa(2048), hash: 'sha256' },
  { because: 'RSA of 4096 bits is in use, and signed with a longer hash by some', key: rsa(4096), hash: 'sha512' },
  { because: 'P-256 is the type that cosign makes', key: ec('P-256'), hash: 'sha256' },
  { because: 'P-384 signs SHA-256 in older signers', key: ec('P-384'), hash: 'sha256' },
  { because: 'P-384 signs SHA-384 in newer signers', key: ec('P-384'), hash: 'sha384' },
  { because: 'P-521 signs SHA-512 in newer signers', key: ec('P-521'), hash: 'sha512' },
  { because: 'Ed25519 hashes by itself', key: generateKeyPairSync('ed25519').privateKey, hash: null },
])('$because ($hash)', ({ key, hash }) => {
  const by = { by: 'key', privateKey: key, sign: (bytes: Uint8Array) => sign(hash, bytes, key) } as const;
  const policy = (pem: string) => ({
    keys: [{ name: 'release', pem, transparencyLog: 'Ignore' as const }],
    identities: [],
    mirrored: [],
    root: NO_AUTHORITIES,
  });

  test.each<{ form: string; make: () => Promise<ImageSignature> }>([
    { form: 'a bundle', make: () => signBundle(IMAGE, by) },
    { form: 'the older form', make: () => signSimply(IMAGE, by) },
  ])('$form is trusted with that key, and with no other of its type', async ({ make }) => {
    const signature = await make();
    expect(verifyImage(IMAGE, [signature], policy(publicPem(key)))).toEqual({ by: 'key release' });
    const other = publicPem(
      key.asymmetricKeyType === 'ed25519' ? generateKeyPairSync('ed25519').privateKey : ec('P-256'),
    );
    expect(() => verifyImage(IMAGE, [signature], policy(other))).toThrow(
      expect.objectContaining({ reason: 'SignedByOtherKey' }),
    );
  });
});

describe.each<{ because: string; namedCurve: string; hash: 'sha256' | 'sha384' | 'sha512' }>([
  { because: 'cosign signs SHA-256 with keys of every size', namedCurve: 'P-384', hash: 'sha256' },
  { because: 'a key of P-384 in a key service signs SHA-384', namedCurve: 'P-384', hash: 'sha384' },
  { because: 'a key of P-521 in a key service signs SHA-512', namedCurve: 'P-521', hash: 'sha512' },
])('in a log, $because', ({ namedCurve, hash }) => {
  const WHO = { subject: 'https://ci.example/release.yml', issuer: 'https://issuer.example' };

  test.each(['key with log', 'certificate'] as const)('both forms are trusted by %s', async (by) => {
    const instance = await createInstance();
    const privateKey = ec(namedCurve);
    const signer: Signer =
      by === 'certificate'
        ? { by, hash, instance, certified: await instance.certify(WHO) }
        : { by, hash, instance, privateKey };
    const policy = {
      keys: [{ name: 'release', pem: publicPem(privateKey), transparencyLog: 'Require' as const }],
      identities: [{ ...WHO, match: 'Exact' as const }],
      mirrored: [],
      root: parseTrustedRoot(instance.root, 'the test'),
    };
    for (const make of [signBundle, signSimply]) {
      const signature = await make(IMAGE, signer);
      const expected = by === 'certificate' ? `${WHO.subject} (issuer ${WHO.issuer})` : 'key release';
      expect(verifyImage(IMAGE, [signature], policy)).toEqual({ by: expected });
    }
  });
});

const good = publicPem(ec('P-256'));

test.each<{ because: string; pem: string }>([
  { because: 'it holds no base64', pem: '-----BEGIN PUBLIC KEY-----\n!!!\n-----END PUBLIC KEY-----\n' },
  { because: 'it is cut off', pem: good.slice(0, 80) },
  { because: 'it is empty', pem: '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n' },
  { because: 'a key for key agreement signs nothing', pem: publicPem(generateKeyPairSync('x25519').privateKey) },
])('a text that is no key is refused by the name of the key: $because', ({ pem }) => {
  const key = (name: string, text: string) => ({ name, pem: text, transparencyLog: 'Ignore' as const });
  const refuse = (): void => requireKeys([key('release', good), key('broken', pem)]);
  expect(refuse).toThrow(expect.objectContaining({ reason: 'InvalidSpec', retry: 'never' }));
  expect(refuse).toThrow(/broken/);
});

test.each<{ because: string; pem: string }>([
  { because: 'it is as openssl prints it', pem: good },
  { because: 'an editor added lines at the end', pem: `${good}\n\n# release key\n` },
  { because: 'an editor writes other line ends', pem: good.replaceAll('\n', '\r\n') },
])('a key is accepted: $because', ({ pem }) => {
  expect(() => requireKeys([{ name: 'release', pem, transparencyLog: 'Ignore' }])).not.toThrow();
});
