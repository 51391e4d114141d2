/** `slipway mirror`: from one registry into a folder, and from there into another one, with the first one switched off. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage, buildIndex, pushImage } from '../../../oci/build.ts';
import { pushIndex } from '../../../oci/testing/push-built.ts';
import { createRegistry, type Registry } from '../../../oci/registry.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { publishSignature } from '../../../oci/testing/publish-signature.ts';
import { publicPem } from '../../../signatures/testing/instance.ts';
import { signBundle, signSimply } from '../../../signatures/testing/signer.ts';
import { useWorkplace, type Finished } from '../testing/slipway.ts';
import type { MirroredImage } from './list.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const work = useWorkplace();
let source: FakeRegistry;
let client: Registry;
let catalog: string;
let names: Record<string, string>;

beforeAll(async () => {
  source = await startFakeRegistry();
  client = createRegistry();
  catalog = `${source.host}/team/catalog:v1`;
  names = { program: await publishProgram(), helper: await publishFile('helper:v7', 'helper') };
  names['related'] = await publishFile('related:v1', 'related');
  names['plugin'] = await publishFile('plugin:v1', 'plugin');
  await publishFile('unused:v1', 'unused');
  await publishCatalog(['1.0.0', '1.1.0']);
}, 60_000);
afterAll(async () => {
  client?.close();
  await source?.close();
});

/** An index over two platforms, signed in both forms. */
async function publishProgram(): Promise<string> {
  const built = ['amd64', 'arm64'].map((architecture) =>
    buildImage({ files: new Map([['program', Buffer.from(architecture)]]), platform: { os: 'linux', architecture } }),
  );
  const digest = await pushIndex(client, source.reference('team/program:v1'), buildIndex(built));
  await sign('team/program', digest, signBundle);
  await sign('team/program', digest, signSimply);
  return `${source.host}/team/program@${digest}`;
}

async function sign(repository: string, digest: string, make: typeof signBundle | typeof signSimply): Promise<void> {
  const { tag: _, ...reference } = { ...source.reference(repository), digest };
  const signed = await make({ repository: `${source.host}/${repository}`, digest }, { by: 'key', privateKey });
  await publishSignature(client, reference, signed);
}

async function publishFile(name: string, content: string): Promise<string> {
  const image = buildImage({ files: new Map([['file', Buffer.from(content)]]) });
  const digest = await pushImage(client, source.reference(`team/${name}`), image);
  return `${source.host}/team/${name.split(':')[0]}@${digest}`;
}

interface BundleFacts {
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly object[];
  /** A file beside its manifests. */
  readonly further?: Uint8Array;
}

/** A bundle whose Deployment runs the program, names a helper by its tag, and gets a related image. */
async function publishBundle({ name, version, further }: BundleFacts): Promise<string> {
  const env = [
    { name: 'RELATED_IMAGE_OPERAND', value: names['related'] },
    { name: 'RELATED_IMAGE_PLUGIN', value: `oci://${names['plugin']}` },
  ];
  const containers = [
    { name: 'operator', image: names['program'], env },
    { name: 'helper', image: `${source.host}/team/helper:v7` },
  ];
  const labels = { app: name };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  const csv = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `${name}.v${version}` },
    spec: {
      version,
      installModes: [{ type: 'AllNamespaces', supported: true }],
      install: { strategy: 'deployment', spec: { deployments: [{ name, spec }] } },
    },
  };
  const annotations = { 'operators.operatorframework.io.bundle.package.v1': name };
  const files = new Map([
    ['manifests/csv.json', Buffer.from(JSON.stringify(csv))],
    ['metadata/annotations.yaml', Buffer.from(JSON.stringify({ annotations }))],
    ...(further === undefined ? [] : [['tests/further', further] as const]),
  ]);
  const image = buildImage({ files, labels: { 'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1' } });
  const digest = await pushImage(client, source.reference(`team/${name}:v${version}`), image);
  await sign(`team/${name}`, digest, signBundle);
  return `${source.host}/team/${name}@${digest}`;
}

async function documentsOf(name: string, versions: readonly BundleFacts[]): Promise<readonly object[]> {
  const bundleName = (version: string): string => `${name}.v${version}`;
  const entries = versions.map(({ version }, at) => ({
    name: bundleName(version),
    ...(at > 0 && { replaces: bundleName(versions[at - 1]!.version) }),
  }));
  const bundles = await Promise.all(
    versions.map(async ({ version, properties = [], further }) => ({
      schema: 'olm.bundle',
      package: name,
      name: bundleName(version),
      image: await publishBundle({ name, version, ...(further !== undefined && { further }) }),
      properties: [{ type: 'olm.package', value: { packageName: name, version } }, ...properties],
    })),
  );
  return [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries },
    ...bundles,
  ];
}

/** @param further Makes the last of these versions as large as bundles with many CRDs are. */
async function publishCatalog(gadgets: readonly string[], further?: Uint8Array): Promise<void> {
  const needs = { type: 'olm.package.required', value: { packageName: 'widget', versionRange: '<3.0.0' } };
  const needsKind = { type: 'olm.gvk.required', value: { group: 'a.example', version: 'v1', kind: 'Base' } };
  const provides = { type: 'olm.gvk', value: { group: 'a.example', version: 'v1', kind: 'Base' } };
  const documents = [
    ...(await documentsOf(
      'gadget',
      gadgets.map((version, at) => ({
        name: 'gadget',
        version,
        properties: [needs],
        ...(at === gadgets.length - 1 && further !== undefined && { further }),
      })),
    )),
    ...(await documentsOf(
      'widget',
      ['1.0.0', '2.0.0', '3.0.0'].map((version) => ({ name: 'widget', version, properties: [needsKind] })),
    )),
    ...(await documentsOf('base', [{ name: 'base', version: '0.1.0', properties: [provides] }])),
    ...(await documentsOf('lonely', [
      {
        name: 'lonely',
        version: '1.0.0',
        properties: [{ type: 'olm.package.required', value: { packageName: 'nowhere', versionRange: '>0.0.0' } }],
      },
    ])),
  ];
  const text = documents.map((document) => JSON.stringify(document)).join('\n');
  const image = buildImage({ files: new Map([['configs/catalog.json', Buffer.from(text)]]) });
  await pushImage(client, source.reference('team/catalog:v1'), image);
}

interface Layers {
  readonly layers: readonly { readonly digest: string }[];
}

interface Pulled {
  readonly bundles: readonly string[];
  readonly images: readonly MirroredImage[];
  readonly signatures: number;
}

function pull(folder: string, ...flags: readonly string[]): Promise<Finished> {
  return work().run(
    'mirror',
    'pull',
    folder,
    '--catalog',
    catalog,
    '--package',
    'gadget@>=1.0.0',
    ...flags,
    '-o',
    'json',
  );
}

async function pulled(folder: string, ...flags: readonly string[]): Promise<Pulled> {
  const { stdout, stderr } = await pull(folder, ...flags);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Pulled;
}

function verify(...args: readonly string[]): Promise<Finished> {
  return work().run('mirror', 'verify', ...args);
}

function blobsIn(folder: string): readonly string[] {
  return readdirSync(join(work().folder, folder, 'blobs/sha256')).toSorted();
}

function blob(folder: string, digest: string): string {
  return join(work().folder, folder, 'blobs/sha256', digest.slice('sha256:'.length));
}

const imageOf = ({ images }: Pulled, name: string): MirroredImage =>
  images.find((one) => one.name === `${source.host}/team/${name}`)!;

describe('mirror pull', () => {
  test('takes the versions in the range, and the latest version of each dependency that meets the need', async () => {
    const { bundles } = await pulled('first');
    expect(bundles).toEqual(['base.v0.1.0', 'gadget.v1.0.0', 'gadget.v1.1.0', 'widget.v2.0.0']);
  });

  test('takes every image that a container or a variable names, by digest and by tag, and no other', async () => {
    const { images } = await pulled('first');
    const found = [...new Set(images.map(({ name }) => name.slice(source.host.length + 1)))].toSorted();
    expect(found).toEqual(
      ['base', 'catalog', 'gadget', 'helper', 'plugin', 'program', 'related', 'widget'].map((name) => `team/${name}`),
    );
    const helper = images.find(({ name }) => name.endsWith('/helper'));
    expect(helper?.tags).toEqual({ v7: helper?.digest });
  });

  test('takes signatures of both forms along', async () => {
    const result = await pulled('first');
    const { referrers, tags } = imageOf(result, 'program');
    expect(referrers).toHaveLength(1);
    expect(Object.keys(tags)).toEqual([expect.stringMatching(/^sha256-[0-9a-f]{64}\.sig$/)]);
    expect(result.signatures).toBe(6);
  });

  test('reports each image that is done, with the number of all', async () => {
    let shown = '';
    await work().runWith(
      { progress: (text) => void (shown += text) },
      'mirror',
      'pull',
      'shown',
      '--catalog',
      catalog,
      '--package',
      'gadget',
    );
    const lines = shown.trim().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const [at, line] of lines.entries())
      expect(line).toMatch(new RegExp(`^${at + 1} of ${lines.length}: ${source.host}/team/`));
  });

  test('gives the same bytes in another folder', async () => {
    await pulled('first');
    await pulled('second');
    for (const file of ['index.json', 'oci-layout', 'mirror.json'])
      expect(readFileSync(join(work().folder, 'second', file))).toEqual(
        readFileSync(join(work().folder, 'first', file)),
      );
    expect(blobsIn('second')).toEqual(blobsIn('first'));
  });

  test('continues a run that was interrupted: content that is there is not pulled again', async () => {
    const result = await pulled('continued');
    rmSync(join(work().folder, 'continued/index.json'));
    const { layers } = JSON.parse(readFileSync(blob('continued', imageOf(result, 'helper').digest), 'utf8')) as Layers;
    const lost = layers[0]!.digest;
    rmSync(blob('continued', lost));
    const asked = source.requests.length;
    await pulled('continued');
    const blobs = source.requests
      .slice(asked)
      .filter(({ path }) => path.includes('/blobs/') && !/catalog|gadget|widget|base/.test(path));
    expect(blobs.map(({ path }) => path)).toEqual([expect.stringContaining(lost)]);
  });

  test('with --since takes only content that is new, and its manifests', async () => {
    await pulled('first');
    await publishCatalog(['1.0.0', '1.1.0', '1.2.0']);
    const { bundles } = await pulled('delta', '--since', 'first');
    expect(bundles).toContain('gadget.v1.2.0');
    const known = new Set(blobsIn('first'));
    expect(blobsIn('delta').filter((name) => known.has(name))).toEqual([]);
    await pulled('whole');
    const added = blobsIn('whole').filter((name) => !known.has(name));
    expect(blobsIn('delta')).toEqual(added);
    expect((await verify('delta', '--since', 'first')).code).toBe(0);
    expect((await verify('delta')).code).toBe(2);
    await publishCatalog(['1.0.0', '1.1.0']);
  });

  test('a run with --since transfers at most a tenth more than the changed content', async () => {
    await pulled('before');
    const known = new Set(blobsIn('before'));
    await publishCatalog(['1.0.0', '1.1.0', '1.2.0'], randomBytes(300_000));
    const sent = source.sent;
    await pulled('changes', '--since', 'before', '--whole-catalogs');
    const changed = blobsIn('changes').filter((name) => !known.has(name));
    const sizes = changed.map((name) => statSync(join(work().folder, 'changes/blobs/sha256', name)).size);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect((source.sent - sent) / bytes, 'bytes that the registry sent, of those that changed').toBeLessThan(1.1);
    await publishCatalog(['1.0.0', '1.1.0']);
  });

  test.each<{ because: string; args: readonly string[]; says: string }>([
    { because: 'a package is in no catalog', args: ['--package', 'none'], says: '"none"' },
    { because: 'no version is in the range', args: ['--package', 'gadget@>9'], says: '>9' },
    { because: 'the range cannot be parsed', args: ['--package', 'gadget@latest!'], says: 'latest!' },
    { because: 'a dependency is in no catalog', args: ['--package', 'lonely'], says: 'nowhere' },
  ])('refuses before it writes an index: $because', async ({ args, says }) => {
    const { code, stderr } = await work().run('mirror', 'pull', 'refused', '--catalog', catalog, ...args);
    expect(code).toBe(1);
    expect(stderr).toContain('InputInvalid');
    expect(stderr).toContain(says);
    expect(() => readFileSync(join(work().folder, 'refused/index.json'))).toThrow();
  });

  test('a tag that moves meanwhile does not change what is copied: the catalog is the one that was read', async () => {
    const { digest } = await client.resolve(source.reference('team/catalog:v1'));
    let asked = 0;
    source.intercept = ({ method, path }) => {
      if (method !== 'GET' || !path.endsWith('/catalog/manifests/v1')) return undefined;
      asked += 1;
      return asked === 1 ? undefined : { status: 404 };
    };
    const result = await pulled('moved', '--whole-catalogs').finally(() => (source.intercept = () => undefined));
    expect(imageOf(result, 'catalog')).toMatchObject({ digest, tags: { v1: digest } });
    expect(asked).toBe(1);
  });

  test('without a range takes the latest version of the default channel', async () => {
    const { stdout } = await work().run(
      'mirror',
      'pull',
      'latest',
      '--catalog',
      catalog,
      '--package',
      'gadget',
      '-o',
      'json',
    );
    expect((JSON.parse(stdout) as Pulled).bundles).toEqual(['base.v0.1.0', 'gadget.v1.1.0', 'widget.v2.0.0']);
  });
});

describe('mirror verify', () => {
  test('finds nothing missing in a complete folder', async () => {
    await pulled('complete');
    const { code, stdout } = await verify('complete');
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 missing of')]);
  });

  test('of a whole catalog, which names more than was asked for, needs only the bundles that were taken', async () => {
    const result = await pulled('uncut', '--whole-catalogs');
    const { digest } = await client.resolve(source.reference('team/catalog:v1'));
    expect(imageOf(result, 'catalog').digest, 'the catalog of the publisher').toBe(digest);
    expect((await verify('uncut')).stdout).toContain('0 missing of');
    rmSync(blob('uncut', imageOf(result, 'widget').digest));
    expect((await verify('uncut')).code).toBe(2);
  });

  test.each<{ because: string; digestOf: (result: Pulled) => string }>([
    { because: 'an index', digestOf: (result) => imageOf(result, 'program').digest },
    { because: 'the manifest of one platform', digestOf: (result) => manifestIn(imageOf(result, 'program').digest) },
    { because: 'a signature', digestOf: (result) => imageOf(result, 'program').referrers[0]! },
    {
      because: 'a signature of the older form',
      digestOf: (result) => Object.values(imageOf(result, 'program').tags)[0]!,
    },
    { because: 'a layer of a bundle', digestOf: (result) => layerIn(imageOf(result, 'gadget').digest) },
    { because: 'the catalog', digestOf: (result) => layerIn(imageOf(result, 'catalog').digest) },
  ])('finds a blob that was deleted, and names its image: $because', async ({ digestOf }) => {
    const result = await pulled('broken');
    const digest = digestOf(result);
    rmSync(blob('broken', digest));
    const { code, stdout } = await verify('broken');
    expect(code).toBe(2);
    expect(stdout).toContain(digest);
    await pulled('broken');
    expect((await verify('broken')).code, 'after another run').toBe(0);
  });

  test('finds a blob of the right size with other content', async () => {
    const result = await pulled('changed');
    const path = blob('changed', layerIn(imageOf(result, 'gadget').digest));
    const bytes = readFileSync(path);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path, bytes);
    expect((await verify('changed')).code).toBe(2);
  });

  test.each(['program', 'helper', 'related', 'plugin', 'widget'])(
    'finds the image %s that content names and the list does not',
    async (name) => {
      await pulled('listed');
      const path = join(work().folder, 'listed/mirror.json');
      const { images, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { images: MirroredImage[] };
      writeFileSync(path, JSON.stringify({ ...rest, images: images.filter((one) => !one.name.endsWith(`/${name}`)) }));
      const { code, stdout } = await verify('listed');
      expect(code).toBe(2);
      expect(stdout).toContain(`team/${name}`);
    },
  );

  function manifestIn(digest: string): string {
    const { manifests } = JSON.parse(readFileSync(blob('complete', digest), 'utf8')) as {
      manifests: { digest: string }[];
    };
    return manifests[0]!.digest;
  }

  function layerIn(digest: string): string {
    const { layers } = JSON.parse(readFileSync(blob('complete', digest), 'utf8')) as Layers;
    return layers[0]!.digest;
  }
});

describe('mirror push', () => {
  let target: FakeRegistry;
  let prefix: string;

  beforeAll(async () => {
    target = await startFakeRegistry();
    prefix = `${target.host}/operators`;
    await pulled('airgap');
    const { code, stderr } = await work().run('mirror', 'push', 'airgap', prefix);
    expect([code, stderr]).toEqual([0, '']);
  }, 60_000);
  afterAll(() => target?.close());

  test('puts everything into the registry, as verify proves without the folder or the source', async () => {
    source.intercept = () => ({ status: 503 });
    const { code, stdout } = await verify('airgap', prefix);
    source.intercept = () => undefined;
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 missing of')]);
  });

  test('puts images before the bundles that name them, catalogs last, and own tags after signatures', async () => {
    const fresh = await startFakeRegistry();
    const { code } = await work().run('mirror', 'push', 'airgap', `${fresh.host}/operators`);
    const put = fresh.requests.flatMap(({ method, path }) => {
      const found = /^\/v2\/.*\/team\/(\w+)\/manifests\/(.+)$/.exec(path);
      return method === 'PUT' && found !== null ? [{ name: found[1]!, tag: found[2]! }] : [];
    });
    await fresh.close();
    expect(code).toBe(0);
    const rankOf = ({ name }: { readonly name: string }): number =>
      name === 'catalog' ? 2 : ['base', 'gadget', 'widget'].includes(name) ? 1 : 0;
    const ranks = put.map(rankOf);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(new Set(ranks).size).toBe(3);
    expect(put.at(-1)).toEqual({ name: 'catalog', tag: 'v1' });
  });

  test('puts the own tag of an image after its signatures, however they are named', async () => {
    const list = join(work().folder, 'airgap/mirror.json');
    const before = readFileSync(list, 'utf8');
    const { images, ...rest } = JSON.parse(before) as { images: MirroredImage[] };
    const program = images.find(({ name }) => name.endsWith('/program'))!;
    const changed = { ...program, tags: { latest: program.digest, ...program.tags } };
    writeFileSync(list, JSON.stringify({ ...rest, images: [changed] }));
    const fresh = await startFakeRegistry();
    await work().run('mirror', 'push', 'airgap', `${fresh.host}/operators`);
    const put = fresh.requests
      .filter(({ method }) => method === 'PUT')
      .filter(({ path }) => path.includes('/manifests/'));
    await fresh.close();
    writeFileSync(list, before);
    expect(put.length).toBeGreaterThan(3);
    expect(put.at(-1)?.path).toMatch(/\/manifests\/latest$/);
  });

  test('sends nothing twice', async () => {
    const asked = target.requests.length;
    await work().run('mirror', 'push', 'airgap', prefix);
    const uploads = target.requests
      .slice(asked)
      .filter(({ method, path }) => method === 'POST' && path.includes('/uploads'));
    expect(uploads).toEqual([]);
  });

  test('writes policies by which images are found and their signatures hold, with the source switched off', async () => {
    const policies = readFileSync(join(work().folder, 'airgap/policies.yaml'), 'utf8');
    const keys = [{ name: 'release', pem: publicPem(privateKey), transparencyLog: 'Ignore' }];
    const spec = { prefix: `${source.host}/team`, verify: { keys } };
    const demand = { apiVersion: 'slipway.dev/v1alpha1', kind: 'RegistryPolicy', metadata: { name: 'team' }, spec };
    work().write(new Map([['all.yaml', `${policies}---\n${JSON.stringify(demand)}\n`]]));
    source.intercept = () => ({ status: 503 });
    const verdicts = await Promise.all(
      [names['program']!, `${source.host}/team/gadget:v1.0.0`].map((image) =>
        work().run('verify', image.replace(':v1.0.0', `@${digestOf('gadget')}`), '--policy', 'all.yaml'),
      ),
    );
    source.intercept = () => undefined;
    expect(verdicts.map(({ code, stdout, stderr }) => [code, stdout + stderr])).toEqual(
      verdicts.map(() => [0, expect.stringContaining('Signed by key release')]),
    );
  });

  test('finds a manifest and a signature that were deleted from the registry', async () => {
    const [, repository] = [...target.store.repositories].find(([name]) => name.endsWith('/team/program'))!;
    const digest = names['program']!.split('@')[1]!;
    const kept = repository.manifests.get(digest)!;
    repository.manifests.delete(digest);
    const { code, stdout } = await verify('airgap', prefix);
    repository.manifests.set(digest, kept);
    expect(code).toBe(2);
    expect(stdout).toContain(digest);
  });

  function digestOf(name: string): string {
    const list = JSON.parse(readFileSync(join(work().folder, 'airgap/mirror.json'), 'utf8')) as {
      images: MirroredImage[];
    };
    return list.images.find((one) => one.name.endsWith(`/team/${name}`))!.digest;
  }
});
