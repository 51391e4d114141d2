/** `slipway plan` from files: whether a bundle image is signed is checked against the signers of flags; the file cannot vouch for itself. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFiles } from '../../../bundles/testing/bundle.ts';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { createRegistry, type Registry } from '../../../oci/registry.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { publishSignature } from '../../../oci/testing/publish-signature.ts';
import { createInstance, publicPem } from '../../../signatures/testing/instance.ts';
import { signBundle, type Signer } from '../../../signatures/testing/signer.ts';
import { useWorkplace } from '../testing/slipway.ts';
import type { PlanReport } from './report.ts';

const WHO = { subject: 'https://ci.example/team/release.yml', issuer: 'https://issuer.example' };
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const work = useWorkplace();
let registry: FakeRegistry;
let client: Registry;

/** 1.0.0 is installed, and nothing signed it; the signer of each further version. */
const SIGNED_BY = { '1.1.0': 'key', '1.2.0': 'identity', '1.3.0': 'nothing' } as const;

beforeAll(async () => {
  registry = await startFakeRegistry();
  client = createRegistry();
  const instance = await createInstance();
  const signers: Readonly<Record<string, Signer>> = {
    key: { by: 'key', privateKey },
    identity: { by: 'certificate', certified: await instance.certify(WHO), instance },
  };
  await publish('1.0.0');
  for (const [version, signer] of Object.entries(SIGNED_BY)) await publish(version, signers[signer]);
  work().write(
    new Map([
      ['release.pub', publicPem(privateKey)],
      ['other.pub', publicPem(stranger)],
      ['root.json', instance.root],
      ['catalog/catalog.yaml', catalog(registry.host)],
      ['far/catalog.yaml', catalog('far.example')],
      ['policies.yaml', policy('registry', registry.host, privateKey)],
      ['others.yaml', policy('registry', 'elsewhere.example', privateKey)],
      ['twins.yaml', `${policy('a', registry.host, privateKey)}\n---\n${policy('b', registry.host, stranger)}`],
      ['warn.yaml', policy('registry', registry.host, stranger, { enforcement: 'Warn' })],
    ]),
  );
  for (const version of Object.keys(SIGNED_BY)) work().write(new Map([[fileOf(version), subscription(version)]]));
  const withPolicy = `${subscription('1.1.0')}\n---\n${policy('in-file', registry.host, privateKey)}`;
  work().write(
    new Map([
      ['with-policy.yaml', withPolicy],
      ['with-stranger.yaml', `${subscription('1.1.0')}\n---\n${policy('in-file', registry.host, stranger)}`],
      ['mirrored.yaml', mirrored('far.example')],
      ['with-mirror.yaml', `${subscription('1.1.0')}\n---\n${mirrored(registry.host, 'far.example')}`],
    ]),
  );
  work().write(files('1.1.0'), 'folder');
}, 60_000);
afterAll(async () => {
  client?.close();
  await registry?.close();
});

function files(version: string): ReadonlyMap<string, Uint8Array> {
  return makeFiles({ metadata: { name: `gadget-operator.v${version}` }, spec: { version } });
}

async function publish(version: string, signer?: Signer): Promise<void> {
  const reference = registry.reference(`team/gadget:v${version}`);
  const digest = await pushImage(client, reference, buildImage({ files: new Map(files(version)) }));
  if (signer === undefined) return;
  const signed = await signBundle({ repository: `${registry.host}/team/gadget`, digest }, signer);
  const { tag: _, ...byDigest } = reference;
  await publishSignature(client, { ...byDigest, digest }, signed);
}

function policy(name: string, prefix: string, key: KeyObject, more: object = {}): string {
  const verify = { keys: [{ name: 'release', pem: publicPem(key), transparencyLog: 'Ignore' }], ...more };
  return JSON.stringify({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'RegistryPolicy',
    metadata: { name },
    spec: { prefix, verify },
  });
}

/** The images are named at a registry that is never asked. */
function mirrored(prefix: string, mirror = registry.host): string {
  const one = JSON.parse(policy('mirrored', prefix, privateKey)) as { readonly spec: object };
  return JSON.stringify({ ...one, spec: { ...one.spec, mirrors: [{ prefix: mirror }], source: 'Never' } });
}

test('a policy in the file does not choose the place of the image that is planned', async () => {
  const { plans, denied } = await work().json<PlanReport>(...planArgs({ file: 'with-mirror.yaml', flags: [] }));
  expect(plans.map(({ to }) => to?.image)).toEqual([expect.stringContaining(`${registry.host}/team/gadget:v1.1.0`)]);
  expect(denied.map(({ rule }) => rule)).toEqual(['unsigned']);
});

function catalog(host: string): string {
  const versions = ['1.0.0', ...Object.keys(SIGNED_BY)];
  const name = (version: string): string => `gadget-operator.v${version}`;
  const documents = [
    { schema: 'olm.package', name: 'gadget-operator', defaultChannel: 'stable' },
    {
      schema: 'olm.channel',
      package: 'gadget-operator',
      name: 'stable',
      entries: versions.map((version) => ({ name: name(version), skipRange: `<${version}` })),
    },
    ...versions.map((version) => ({
      schema: 'olm.bundle',
      package: 'gadget-operator',
      name: name(version),
      image: `${host}/team/gadget:v${version}`,
      properties: [{ type: 'olm.package', value: { packageName: 'gadget-operator', version } }],
    })),
  ];
  return documents.map((document) => JSON.stringify(document)).join('\n---\n');
}

function subscription(version: string): string {
  return JSON.stringify({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'gadget', namespace: 'ops' },
    spec: { package: 'gadget-operator', version },
  });
}

function fileOf(version: string): string {
  return `${version}.yaml`;
}

const byKey = ['--key', 'release.pub', '--transparency-log', 'Ignore'];
const byIdentity = ['--issuer', WHO.issuer, '--subject', WHO.subject, '--trusted-root', 'root.json'];

interface Question {
  readonly because: string;
  readonly file: string;
  readonly flags: readonly string[];
  readonly catalog?: string;
}

const planArgs = ({ file, flags, catalog: source = 'catalog' }: Omit<Question, 'because'>): readonly string[] => [
  'plan',
  '--file',
  file,
  '--catalog',
  source,
  '--from',
  '1.0.0',
  '--deny',
  'unsigned',
  ...flags,
];

describe('a bundle image counts as signed', () => {
  test.each<Question & { readonly by: string }>([
    { because: 'a key of the flags signed it', file: '1.1.0.yaml', flags: byKey, by: 'key release.pub' },
    { because: 'an identity of the flags signed it', file: '1.2.0.yaml', flags: byIdentity, by: WHO.subject },
    {
      because: 'a policy of a file names its signer',
      file: '1.1.0.yaml',
      flags: ['--policy', 'policies.yaml'],
      by: 'key release',
    },
    {
      because: 'it comes from the mirror of a policy of the flags, under its own name',
      file: '1.1.0.yaml',
      flags: ['--policy', 'mirrored.yaml'],
      catalog: 'far',
      by: 'key release',
    },
    {
      because: 'the reader of the file names its policies by a flag',
      file: 'with-policy.yaml',
      flags: ['--policy', 'with-policy.yaml'],
      by: 'key release',
    },
  ])('$because', async ({ by, ...question }) => {
    const { plans, denied } = await work().json<PlanReport>(...planArgs(question));
    expect(plans.map(({ to }) => [to?.signedBy, to?.unsigned])).toEqual([[expect.stringContaining(by), undefined]]);
    expect(denied).toEqual([]);
    expect((await work().run(...planArgs(question))).code).toBe(0);
  });
});

describe('a bundle image never counts as signed', () => {
  test.each<Question & { readonly says: string }>([
    {
      because: 'no signer is named, so none is looked for',
      file: '1.1.0.yaml',
      flags: [],
      says: 'no signer is named',
    },
    { because: 'nothing signed it', file: '1.3.0.yaml', flags: byKey, says: 'Unsigned: ' },
    {
      because: 'another key signed it',
      file: '1.1.0.yaml',
      flags: ['--key', 'other.pub', '--transparency-log', 'Ignore'],
      says: 'SignedByOtherKey: ',
    },
    {
      because: 'no log holds the signature',
      file: '1.1.0.yaml',
      flags: ['--key', 'release.pub'],
      says: 'SignatureNotLogged: ',
    },
    {
      because: 'no policy is about it',
      file: '1.1.0.yaml',
      flags: ['--policy', 'others.yaml'],
      says: 'no policy demands a signature of it',
    },
    {
      because: 'a policy that only warns names another signer',
      file: '1.1.0.yaml',
      flags: ['--policy', 'warn.yaml'],
      says: 'SignedByOtherKey: ',
    },
    {
      because: 'only a policy in the file itself names its signer, and its author chose both',
      file: 'with-policy.yaml',
      flags: [],
      says: 'key release signed it, but only a RegistryPolicy in with-policy.yaml itself trusts that; name the signer by --policy',
    },
    {
      because: 'the policy in the file names another signer',
      file: 'with-stranger.yaml',
      flags: [],
      says: 'SignedByOtherKey: ',
    },
    {
      because: 'the flags take the place of the policies in the file',
      file: 'with-policy.yaml',
      flags: ['--policy', 'others.yaml'],
      says: 'no policy demands a signature of it',
    },
    {
      because: 'a folder is no image',
      file: '1.1.0.yaml',
      flags: [...byKey, '--bundle', 'folder'],
      says: 'gadget-operator.v1.1.0, which is read from a folder',
    },
  ])('$because', async ({ says, ...question }) => {
    const { plans, denied } = await work().json<PlanReport>(...planArgs(question));
    expect(plans.map(({ to }) => to?.signedBy)).toEqual([undefined]);
    expect(denied.map(({ rule }) => rule)).toEqual(['unsigned']);
    expect(denied[0]?.messages).toEqual([expect.stringContaining(says)]);
    expect((await work().run(...planArgs(question))).code).toBe(2);
  });
});

describe('there is no plan if it is not known whether the image is signed', () => {
  test.each<Question & { readonly reason: string }>([
    {
      because: 'two policies contradict each other',
      file: '1.1.0.yaml',
      flags: ['--policy', 'twins.yaml'],
      reason: 'RegistryPolicyInvalid',
    },
    { because: 'the key cannot be read', file: '1.1.0.yaml', flags: ['--key', 'root.json'], reason: 'InvalidSpec' },
    {
      because: 'an issuer lacks its subject',
      file: '1.1.0.yaml',
      flags: ['--issuer', WHO.issuer],
      reason: 'InputInvalid',
    },
    {
      because: 'the file has no policy',
      file: '1.1.0.yaml',
      flags: ['--policy', 'catalog/catalog.yaml'],
      reason: 'InputInvalid',
    },
  ])('$because', async ({ reason, ...question }) => {
    const { code, stdout, stderr } = await work().run(...planArgs(question));
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`slipway: ${reason}: `) as string,
    });
  });

  test('the registry refuses to list its signatures', async () => {
    registry.intercept = ({ path }) =>
      path.includes('/referrers/') || path.includes('/manifests/sha256-') ? { status: 403 } : undefined;
    try {
      const { code, stdout, stderr } = await work().run(...planArgs({ file: '1.1.0.yaml', flags: byKey }));
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('slipway: RegistryDenied: ');
    } finally {
      registry.intercept = () => undefined;
    }
  });
});

test('signers go with --file: the manager has checked the Revision of a cluster', async () => {
  const { code, stderr } = await work().run('plan', 'ops/gadget', '--key', 'release.pub');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--key goes with --file') as string });
});
