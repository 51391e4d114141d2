/** `slipway verify` against a registry, with keys and certificates made here. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { createRegistry, type Registry } from '../../../oci/registry.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { publishSignature } from '../../../oci/testing/publish-signature.ts';
import { createInstance, publicPem } from '../../../signatures/testing/instance.ts';
import { signBundle, signSimply, type Signer } from '../../../signatures/testing/signer.ts';
import { useWorkplace } from '../testing/slipway.ts';

const WHO = { subject: 'https://ci.example/team/release.yml', issuer: 'https://issuer.example' };
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const work = useWorkplace();
let registry: FakeRegistry;
let client: Registry;
const images = new Map<string, string>();

beforeAll(async () => {
  registry = await startFakeRegistry();
  client = createRegistry();
  const instance = await createInstance();
  const certified: Signer = { by: 'certificate', certified: await instance.certify(WHO), instance };
  await publish('by-key', { by: 'key', privateKey });
  await publish('older', { by: 'key', privateKey }, 'older form');
  await publish('by-identity', certified);
  await publish('attested', { by: 'key', privateKey });
  await attest('attested', { by: 'key', privateKey }, 'https://spdx.dev/Document');
  await publish('unsigned');
  work().write(
    new Map([
      ['release.pub', publicPem(privateKey)],
      ['other.pub', publicPem(stranger)],
      ['root.json', instance.root],
      ['policies.yaml', policy('registry', registry.host, privateKey)],
      ['twins.yaml', `${policy('a', registry.host, privateKey)}\n---\n${policy('b', registry.host, stranger)}`],
      ['far.yaml', policy('far', 'far.example', privateKey, { mirrors: [{ prefix: registry.host }], source: 'Never' })],
      ['catalog.yaml', catalog(privateKey)],
    ]),
  );
}, 60_000);
afterAll(async () => {
  client?.close();
  await registry?.close();
});

async function publish(name: string, signer?: Signer, form = 'bundle'): Promise<void> {
  const reference = registry.reference(`team/${name}:v1`);
  const image = buildImage({ files: new Map([['manifests/a.yaml', Buffer.from(name)]]) });
  const digest = await pushImage(client, reference, image);
  images.set(name, `${registry.host}/team/${name}@${digest}`);
  if (signer === undefined) return;
  const make = form === 'bundle' ? signBundle : signSimply;
  const signed = await make({ repository: `${registry.host}/team/${name}`, digest }, signer);
  const { tag: _, ...byDigest } = reference;
  await publishSignature(client, { ...byDigest, digest }, signed);
}

async function attest(name: string, signer: Signer, predicateType: string): Promise<void> {
  const [repository = '', digest = ''] = images.get(name)!.split('@');
  const { tag: _, ...reference } = registry.reference(`team/${name}:v1`);
  const signed = await signBundle({ repository, digest }, signer, { predicateType });
  const noted = { 'dev.sigstore.bundle.predicateType': predicateType };
  await publishSignature(client, { ...reference, digest }, signed, noted);
}

function verifyBy(key: typeof privateKey): object {
  return { keys: [{ name: 'release', pem: publicPem(key), transparencyLog: 'Ignore' }] };
}

function policy(name: string, prefix: string, key: typeof privateKey, fields: object = {}): string {
  const spec = { prefix, verify: verifyBy(key), ...fields };
  return JSON.stringify({ apiVersion: 'slipway.dev/v1alpha1', kind: 'RegistryPolicy', metadata: { name }, spec });
}

function catalog(key: typeof privateKey): string {
  const spec = { source: { image: { ref: 'quay.io/a/b' } }, verify: { ...verifyBy(key), content: ['Bundles'] } };
  return JSON.stringify({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Catalog', metadata: { name: 'hub' }, spec });
}

const byKey = ['--key', 'release.pub', '--transparency-log', 'Ignore'];
const byIdentity = ['--issuer', WHO.issuer, '--subject', WHO.subject, '--trusted-root', 'root.json'];

interface Verdict {
  readonly image: string;
  readonly trusted: boolean;
  readonly by?: string;
  readonly reason?: string;
}

describe('an image is trusted', () => {
  test.each<{ because: string; image: string; flags: readonly string[]; by: string }>([
    { because: 'a key signed it', image: 'by-key', flags: byKey, by: 'key release.pub' },
    { because: 'a key signed it in the older form', image: 'older', flags: byKey, by: 'key release.pub' },
    {
      because: 'one of several keys did',
      image: 'by-key',
      flags: ['--key', 'other.pub', ...byKey],
      by: 'key release.pub',
    },
    { because: 'an identity signed it', image: 'by-identity', flags: byIdentity, by: WHO.subject },
    {
      because: 'the subject fits a pattern',
      image: 'by-identity',
      flags: [...byIdentity, '--subject', 'https://ci.example/team/*'],
      by: WHO.subject,
    },
    { because: 'a policy of a file says so', image: 'by-key', flags: ['--policy', 'policies.yaml'], by: 'key release' },
    {
      because: 'it is attested too, if that is asked for',
      image: 'attested',
      flags: [...byKey, '--attestation', 'https://spdx.dev/Document'],
      by: 'key release.pub',
    },
    {
      because: 'the policy of a Catalog says so',
      image: 'by-key',
      flags: ['--policy', 'catalog.yaml'],
      by: 'key release',
    },
  ])('$because', async ({ image, flags, by }) => {
    const reference = `${registry.host}/team/${image}:v1`;
    const verdict = await work().json<Verdict>('verify', reference, ...flags);
    expect(verdict).toMatchObject({ image: images.get(image), trusted: true, by: expect.stringContaining(by) });
    const { code, stdout } = await work().run('verify', images.get(image)!, ...flags);
    expect(code).toBe(0);
    expect(stdout).toContain(by);
  });

  test('at a mirror that the policy names, without a request to the registry of the name', async () => {
    const { stdout, code } = await work().run('verify', 'far.example/team/by-key:v1', '--policy', 'far.yaml');
    expect(stdout).toContain('far.example/team/by-key@sha256:');
    expect(code).toBe(0);
  });
});

describe('an image is not trusted, with exit code 2 and the reason of the manager', () => {
  test.each<{ because: string; image: string; flags: readonly string[]; reason: string }>([
    { because: 'nothing signed it', image: 'unsigned', flags: byKey, reason: 'Unsigned' },
    {
      because: 'another key signed it',
      image: 'by-key',
      flags: ['--key', 'other.pub', '--transparency-log', 'Ignore'],
      reason: 'SignedByOtherKey',
    },
    {
      because: 'no log holds the signature',
      image: 'by-key',
      flags: ['--key', 'release.pub'],
      reason: 'SignatureNotLogged',
    },
    {
      because: 'another identity signed it',
      image: 'by-identity',
      flags: [...byIdentity, '--subject', 'https://ci.example/other'],
      reason: 'SignedByOtherIdentity',
    },
    {
      because: 'it lacks an attestation',
      image: 'attested',
      flags: [...byKey, '--attestation', 'https://slsa.dev/provenance'],
      reason: 'AttestationMissing',
    },
    {
      because: 'an identity signed it, and a key is trusted',
      image: 'by-identity',
      flags: byKey,
      reason: 'SignedByOtherIdentity',
    },
  ])('$because', async ({ image, flags, reason }) => {
    const reference = `${registry.host}/team/${image}:v1`;
    expect(await work().json<Verdict>('verify', reference, ...flags)).toMatchObject({ trusted: false, reason });
    expect((await work().run('verify', reference, ...flags)).code).toBe(2);
  });
});

test('an image from a mirror that leaves signatures behind is not trusted, unless its registry has them', async () => {
  const image = buildImage({ files: new Map([['manifests/a.yaml', Buffer.from('by-key')]]) });
  const { digest } = image.manifest.descriptor;
  await pushImage(client, registry.reference('stripped/by-key:v1'), image);
  expect(images.get('by-key')).toContain(digest);
  const fields = { mirrors: [{ prefix: `${registry.host}/stripped` }] };
  const verdict = async (source: 'Never' | 'Fallback'): Promise<Verdict> => {
    const written = policy('team', `${registry.host}/team`, privateKey, { ...fields, source });
    work().write(new Map([['stripped.yaml', written]]));
    return work().json<Verdict>('verify', `${registry.host}/team/by-key@${digest}`, '--policy', 'stripped.yaml');
  };
  expect(await verdict('Never')).toMatchObject({ trusted: false, reason: 'Unsigned' });
  expect(await verdict('Fallback')).toMatchObject({ trusted: true, by: 'key release' });
});

describe('the question cannot be answered, with exit code 1', () => {
  test.each<{ because: string; flags: readonly string[]; image?: string; reason: string }>([
    { because: 'no signer is named', flags: [], reason: 'InputInvalid' },
    { because: 'an issuer lacks its subject', flags: ['--issuer', WHO.issuer], reason: 'InputInvalid' },
    { because: 'a file is missing', flags: ['--key', 'none.pub'], reason: 'InputInvalid' },
    { because: 'a file holds no key', flags: ['--key', 'root.json'], reason: 'InvalidSpec' },
    {
      because: 'two ways contradict each other',
      flags: [...byKey, '--policy', 'policies.yaml'],
      reason: 'InputInvalid',
    },
    {
      because: 'the attestations of the flags and those of a policy contradict each other',
      flags: ['--attestation', 'https://spdx.dev/Document', '--policy', 'policies.yaml'],
      reason: 'InputInvalid',
    },
    { because: 'two policies do', flags: ['--policy', 'twins.yaml'], reason: 'RegistryPolicyInvalid' },
    { because: 'the policy is about other images', flags: ['--policy', 'far.yaml'], reason: 'InputInvalid' },
    { because: 'the file has no policy', flags: ['--policy', 'root.json'], reason: 'InputInvalid' },
    { because: 'the image does not exist', flags: byKey, image: 'none', reason: 'ImageNotFound' },
  ])('$because', async ({ flags, image = 'by-key', reason }) => {
    const { code, stderr, stdout } = await work().run('verify', `${registry.host}/team/${image}:v1`, ...flags);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`slipway: ${reason}: `);
  });
});
