/** The check of an image's signatures: the registry answers over HTTP, the ConfigMap lies in a fake cluster. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Catalog } from '../api/catalog.ts';
import type { Verify } from '../api/verify.ts';
import { ReasonedError } from '../api/errors.ts';
import type { Signature } from '../api/signature.ts';
import { createFakeCluster, type FakeCluster } from '../kube/testing/fake-cluster.ts';
import { buildImage, pushImage } from '../oci/build.ts';
import { withDigest } from '../oci/reference.ts';
import { createRegistry, type Registry } from '../oci/registry.ts';
import { startFakeRegistry, type FakeRegistry } from '../oci/testing/fake-registry.ts';
import { publishSignature } from '../oci/testing/publish-signature.ts';
import { createInstance, publicPem, type SigstoreInstance } from '../signatures/testing/instance.ts';
import { signBundle, type Signer } from '../signatures/testing/signer.ts';
import { createSignatureChecks, type CheckSignatures, type ImageToCheck } from './signature-checks.ts';
import { policiesOf, type Written } from './testing/policies.ts';

const SYSTEM = 'slipway-system';
const WHO = { subject: 'https://ci.example/release.yml', issuer: 'https://issuer.example' };
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = { name: 'release', pem: publicPem(privateKey), transparencyLog: 'Ignore' } as const;
const BY_KEY: Verify = { enforcement: 'Enforce', keys: [KEY] };
const BY_IDENTITY: Verify = {
  enforcement: 'Enforce',
  identities: [{ ...WHO, match: 'Exact' }],
  trustedRoot: { name: 'root' },
};

let registry: FakeRegistry;
let client: Registry;
let cluster: FakeCluster;
let check: CheckSignatures;
let image: string;

beforeEach(async () => {
  registry = await startFakeRegistry();
  client = createRegistry();
  cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM } });
  check = checkUnder({});
  const reference = registry.reference('team/gadget:v1');
  const built = buildImage({ files: new Map([['manifests/a.yaml', Buffer.from('a')]]) });
  const digest = await pushImage(client, reference, built);
  image = `${registry.host}/team/gadget@${digest}`;
});
afterEach(async () => {
  client.close();
  await registry.close();
});

async function sign(signer: Signer): Promise<void> {
  const [name = '', digest = ''] = image.split('@');
  const { tag: _, ...reference } = registry.reference('team/gadget:v1');
  await publishSignature(client, withDigest(reference, digest), await signBundle({ repository: name, digest }, signer));
}

async function certified(instance: SigstoreInstance): Promise<Signer> {
  return { by: 'certificate', certified: await instance.certify(WHO), instance };
}

function store(text: string | undefined): void {
  const data = text === undefined ? {} : { 'trusted_root.json': text };
  cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'root', namespace: SYSTEM }, data });
}

function checkUnder(written: Written): CheckSignatures {
  return createSignatureChecks({ registries: () => client, policies: policiesOf(written), cluster, namespace: SYSTEM });
}

async function ask(verify: Verify): Promise<Signature | ReasonedError> {
  const catalog = { metadata: { name: 'hub' }, spec: { source: {}, priority: 0, suspend: false, verify } } as Catalog;
  try {
    const found = await check(
      catalog,
      { image, content: 'Bundles', pullSecret: undefined },
      new AbortController().signal,
    );
    if (found === undefined) throw new Error('no check was required');
    return found;
  } catch (error) {
    if (error instanceof ReasonedError) return error;
    throw error;
  }
}

/** No name and no content of an object in the manager's namespace. */
const FOR_TENANTS = 'the trusted root of the signatures cannot be used. Ask an administrator of the cluster';

describe('a policy that cannot be used', () => {
  const broken = { ...KEY, name: 'broken', pem: '-----BEGIN PUBLIC KEY-----\n!!!\n-----END PUBLIC KEY-----' };

  test.each([
    { because: 'also if nothing is signed', signs: false },
    { because: 'also if another of its keys signed', signs: true },
  ])('a text that is no key is reported by the name of the key, $because', async ({ signs }) => {
    if (signs) await sign({ by: 'key', privateKey });
    const asked = registry.requests.length;
    const refused = await ask({ ...BY_KEY, keys: [broken, KEY] });
    expect(refused).toMatchObject({ reason: 'InvalidSpec', retry: 'never' });
    expect((refused as ReasonedError).message).toContain('broken');
    expect(registry.requests.length, 'requests to the registry').toBe(asked);
  });

  test.each<{ because: string; text: string | undefined }>([
    { because: 'the ConfigMap lacks the key', text: undefined },
    { because: 'it is no JSON', text: '{' },
    { because: 'it is null', text: 'null' },
    { because: 'it is a list', text: '[]' },
    { because: 'a log has no key', text: '{"tlogs":[{}]}' },
    { because: 'an authority has no certificate', text: '{"certificateAuthorities":[{}]}' },
    { because: 'its lists are none', text: '{"tlogs":7}' },
  ])('a trusted root is asked for again, since a ConfigMap can be corrected: $because', async ({ text }) => {
    const instance = await createInstance();
    await sign(await certified(instance));
    expect(await ask(BY_IDENTITY), 'without the ConfigMap').toMatchObject({ reason: 'InvalidSpec', retry: 'backoff' });
    store(text);
    const refused = await ask(BY_IDENTITY);
    expect(refused).toMatchObject({ reason: 'InvalidSpec', retry: 'backoff' });
    expect((refused as ReasonedError).message).toContain(`ConfigMap ${SYSTEM}/root`);
    expect((refused as ReasonedError).forTenants, 'the text for tenants').toBe(FOR_TENANTS);
    store(instance.root);
    expect(await ask(BY_IDENTITY)).toMatchObject({ by: expect.stringContaining(WHO.subject) });
  });
});

describe('a policy that requires an attestation', () => {
  const predicateType = 'https://spdx.dev/Document';
  const demand = { ...BY_KEY, attestations: [{ predicateType }] };

  async function attest(type: string): Promise<void> {
    const [repository = '', digest = ''] = image.split('@');
    const { tag: _, ...reference } = registry.reference('team/gadget:v1');
    const attested = await signBundle({ repository, digest }, { by: 'key', privateKey }, { predicateType: type });
    const noted = { 'dev.sigstore.bundle.predicateType': type };
    await publishSignature(client, withDigest(reference, digest), attested, noted);
  }

  test('refuses an image that is only signed, until it is attested too', async () => {
    await sign({ by: 'key', privateKey });
    await attest('https://slsa.dev/provenance/v1');
    const refused = await ask(demand);
    expect(refused).toMatchObject({ reason: 'AttestationMissing', retry: 'never' });
    expect((refused as ReasonedError).message).toContain(predicateType);
    await attest(predicateType);
    expect(await ask(demand)).toMatchObject({ by: 'key release' });
  });

  test('is not met by a check that passed without it', async () => {
    await sign({ by: 'key', privateKey });
    expect(await ask(BY_KEY)).toMatchObject({ by: 'key release' });
    expect(await ask(demand)).toMatchObject({ reason: 'AttestationMissing' });
  });

  test('reports the missing attestation if it only warns', async () => {
    await sign({ by: 'key', privateKey });
    const warned = await ask({ ...demand, enforcement: 'Warn' });
    expect(warned).toMatchObject({ problem: expect.stringMatching(/^AttestationMissing: /) });
  });
});

describe('a check that passed', () => {
  test('is remembered: the registry is not asked again', async () => {
    await sign({ by: 'key', privateKey });
    expect(await ask(BY_KEY)).toMatchObject({ by: 'key release' });
    const asked = registry.requests.length;
    expect(await ask(BY_KEY)).toMatchObject({ by: 'key release' });
    expect(registry.requests.length).toBe(asked);
  });

  test('is forgotten when the trusted root changes', async () => {
    const instance = await createInstance();
    await sign(await certified(instance));
    store(instance.root);
    expect(await ask(BY_IDENTITY)).toHaveProperty('by');
    store((await createInstance()).root);
    expect(await ask(BY_IDENTITY)).toBeInstanceOf(ReasonedError);
    store(instance.root);
    expect(await ask(BY_IDENTITY)).toHaveProperty('by');
  });

  test('is forgotten when the policy changes', async () => {
    await sign({ by: 'key', privateKey });
    expect(await ask(BY_KEY)).toHaveProperty('by');
    const pem = publicPem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    expect(await ask({ ...BY_KEY, keys: [{ ...KEY, pem }] })).toMatchObject({ reason: 'SignedByOtherKey' });
  });
});

describe('a RegistryPolicy over the image', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const OTHER_KEY = { name: 'other', pem: publicPem(other.privateKey), transparencyLog: 'Ignore' } as const;
  const under = (keys: readonly (typeof KEY | typeof OTHER_KEY)[]): Written => ({
    policy: { prefix: registry.host, verify: { keys } },
  });
  const verdict = async (
    written: Written,
    { verify, content }: { readonly verify?: Verify; readonly content: ImageToCheck['content'] },
  ): Promise<unknown> => {
    const ref = { ref: image };
    const spec = { source: { image: ref }, priority: 0, suspend: false, ...(verify && { verify }) };
    const asked = { image, content, pullSecret: undefined };
    try {
      return await checkUnder(written)({ metadata: { name: 'hub' }, spec }, asked, new AbortController().signal);
    } catch (error) {
      if (error instanceof ReasonedError) return error.reason;
      throw error;
    }
  };

  test.each<{ content: ImageToCheck['content'] }>([
    { content: 'Catalog' },
    { content: 'Bundles' },
    { content: 'Pods' },
  ])('demands signatures of $content without a word of the Catalog', async ({ content }) => {
    expect(await verdict({}, { content })).toBeUndefined();
    expect(await verdict(under([KEY]), { content })).toBe('Unsigned');
    await sign({ by: 'key', privateKey });
    expect(await verdict(under([KEY]), { content })).toMatchObject({ by: 'key release' });
    expect(await verdict(under([OTHER_KEY]), { content })).toBe('SignedByOtherKey');
  });

  test('is in addition to the demand of the Catalog: neither weakens the other', async () => {
    const both = { verify: BY_KEY, content: 'Bundles' } as const;
    await sign({ by: 'key', privateKey });
    expect(await verdict(under([OTHER_KEY]), both)).toBe('SignedByOtherKey');
    expect(await verdict(under([KEY]), { ...both, verify: { ...BY_KEY, keys: [OTHER_KEY] } })).toBe('SignedByOtherKey');
    await sign({ by: 'key', privateKey: other.privateKey });
    expect(await verdict(under([OTHER_KEY]), both)).toMatchObject({ by: 'key release and key other' });
  });

  test('that a Catalog only warns takes nothing away from it', async () => {
    const warns = { verify: { ...BY_KEY, enforcement: 'Warn' }, content: 'Bundles' } as const;
    expect(await verdict(under([KEY]), warns)).toBe('Unsigned');
  });

  test('the demand of a Catalog is about no image of a Pod', async () => {
    expect(await verdict({}, { verify: BY_KEY, content: 'Pods' })).toBeUndefined();
  });

  test('refuses without a request if it cannot be used', async () => {
    await sign({ by: 'key', privateKey });
    const asked = registry.requests.length;
    expect(await verdict({ ...under([KEY]), twin: { prefix: registry.host } }, { content: 'Bundles' })).toBe(
      'RegistryPolicyInvalid',
    );
    expect(registry.requests.length).toBe(asked);
  });
});

describe('a policy that only warns', () => {
  const warn: Verify = { ...BY_KEY, enforcement: 'Warn' };

  test('refuses nothing, and asks again at the next check', async () => {
    expect(await ask(warn)).toMatchObject({ problem: expect.stringContaining('Unsigned') });
    await sign({ by: 'key', privateKey });
    expect(await ask(warn)).toMatchObject({ by: 'key release' });
  });
});

test.each<{ because: string; length: number }>([
  { because: 'the subject of a certificate may be longer than its field', length: 3000 },
])('the signer fits into the status: $because', async ({ length }) => {
  const instance = await createInstance();
  const subject = `https://ci.example/${'a'.repeat(length)}`;
  const who = await instance.certify({ ...WHO, subject });
  await sign({ by: 'certificate', certified: who, instance });
  store(instance.root);
  const found = await ask({
    ...BY_IDENTITY,
    identities: [{ ...WHO, subject: 'https://ci.example/*', match: 'Glob' }],
  });
  expect((found as Signature).by?.length).toBeLessThanOrEqual(1100);
});
