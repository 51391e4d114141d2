/** The client against the real registry, and beside crane as a second client on the same images. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../e2e/lib/cluster.ts';
import { noUsage, readLayer } from './archive.ts';
import { buildArtifact, buildImage, buildIndex, pushImage } from './build.ts';
import { pushArtifact, pushIndex } from './testing/push-built.ts';
import { type CredentialLookup, parseDockerConfig } from './docker-config.ts';
import { BUNDLE_LIMITS, pullFiles } from './image.ts';
import { layoutSource, writeLayout } from './layout.ts';
import type { PullCost } from './testing/measure-pull.ts';
import { fallbackTag } from './referrers.ts';
import { formatReference, parseReference, withDigest, withTag } from './reference.ts';
import { createRegistry, type Registry, type RegistryOptions } from './registry.ts';
import { registryCases } from './testing/registry-cases.ts';
import { forgeTar } from './testing/tar-forge.ts';

const bundle = (architecture = 'amd64') =>
  buildImage({
    files: new Map([
      ['manifests/a.yaml', Buffer.from(`for: ${architecture}\n`)],
      [`manifests/${'long-name-'.repeat(15)}ü.yaml`, Buffer.from('x')],
      ['metadata/annotations.yaml', Buffer.from('annotations: {}\n')],
    ]),
    labels: { 'operators.operatorframework.io.bundle.package.v1': 'x' },
    annotations: { 'org.opencontainers.image.title': 'x' },
    platform: { os: 'linux', architecture },
  });

describe('a registry without a password', () => {
  const cluster = useCluster({ only: ['registry'] });
  registryCases('the real registry', async () => ({ host: cluster().registry }));
});

describe('the client beside crane', () => {
  const cluster = useCluster({ only: ['registry'] });
  let registry: Registry;
  let folder: string;
  beforeAll(async () => {
    registry = createRegistry();
    folder = await mkdtemp(join(tmpdir(), 'slipway-crane-'));
  });
  afterAll(async () => {
    registry.close();
    await rm(folder, { recursive: true, force: true });
  });
  const fresh = (tag = 'v1') => parseReference(`${cluster().registry}/crane/${randomBytes(6).toString('hex')}:${tag}`);

  test('an image pushed here is valid for crane, with the same digest, configuration and files', async () => {
    const reference = fresh();
    const digest = await pushImage(registry, reference, bundle());
    const name = formatReference(reference);
    expect(await cluster().crane(['validate', '--remote', name])).toMatch(/PASS/);
    expect((await cluster().crane(['digest', name])).trim()).toBe(digest);
    const { bytes } = await registry.pullManifest(reference);
    expect(await cluster().crane(['manifest', name])).toBe(bytes.toString('utf8'));
    expect(JSON.parse(await cluster().crane(['config', name]))).toMatchObject({
      os: 'linux',
      config: { Labels: { 'operators.operatorframework.io.bundle.package.v1': 'x' } },
    });
    const exported = join(folder, 'exported.tar');
    await cluster().crane(['export', name, exported]);
    const seen: string[] = [];
    const rules = {
      origin: { what: 'export', byDigest: true },
      folders: [''],
      limits: BUNDLE_LIMITS,
      usage: noUsage(),
    };
    for await (const entry of readLayer(chunk(await readFile(exported)), rules))
      if (entry.kind === 'file') seen.push(entry.path);
    expect(seen.sort()).toEqual([
      'manifests/a.yaml',
      `manifests/${'long-name-'.repeat(15)}ü.yaml`,
      'metadata/annotations.yaml',
    ]);
  });

  test('an index pushed here is valid for crane', async () => {
    const reference = fresh();
    const digest = await pushIndex(registry, reference, buildIndex([bundle('amd64'), bundle('arm64')]));
    const name = formatReference(reference);
    expect(await cluster().crane(['validate', '--remote', name])).toMatch(/PASS/);
    expect((await cluster().crane(['digest', name])).trim()).toBe(digest);
    expect((await cluster().crane(['digest', '--platform', 'linux/arm64', name])).trim()).toBe(
      bundle('arm64').manifest.descriptor.digest,
    );
  });

  test('an image that crane pushed is pulled here', async () => {
    const reference = fresh();
    const name = formatReference(reference);
    const layers: string[] = [];
    for (const [index, members] of [
      [
        { name: './manifests/', type: '5' },
        { name: './manifests/a.yaml', body: 'old' },
        { name: './manifests/b.yaml', body: 'b' },
      ],
      [
        { name: 'manifests/a.yaml', body: 'new' },
        { name: 'manifests/.wh.b.yaml' },
        { name: 'etc/passwd', type: '2', link: 'x' },
      ],
    ].entries()) {
      const path = join(folder, `layer-${index}.tar.gz`);
      await writeFile(path, gzipSync(forgeTar(members)));
      layers.push(path);
    }
    await cluster().crane(['append', '--insecure', ...layers.flatMap((path) => ['-f', path]), '-t', name]);
    await cluster().crane(['mutate', '--insecure', name, '--label', 'a=b', '--annotation', 'c=d', '-t', name]);
    const pulled = await pullFiles(registry, reference, { folders: ['manifests/'] });
    expect((await cluster().crane(['digest', name])).trim()).toBe(pulled.digest);
    expect(pulled).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd' } });
    const files = Object.fromEntries([...pulled.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]));
    expect(files).toEqual({ 'manifests/a.yaml': 'new' });
  });

  test('tags, lists and deletions are seen by both', async () => {
    const reference = fresh();
    const name = formatReference(reference);
    const digest = await pushImage(registry, reference, bundle());
    await registry.tag(reference, 'ours');
    await cluster().crane(['tag', name, 'theirs']);
    const listed = (await cluster().crane(['ls', name.slice(0, name.lastIndexOf(':'))])).trim().split('\n').sort();
    expect([...(await registry.listTags(reference))].sort()).toEqual(listed);
    expect(listed).toEqual(['ours', 'theirs', 'v1']);
    await cluster().crane(['delete', `${name.slice(0, name.lastIndexOf(':'))}@${digest}`]);
    await expect(registry.resolve(withTag(reference, 'theirs'))).rejects.toMatchObject({ reason: 'ImageNotFound' });
  });

  test('an image copied by crane to another repository is the same here', async () => {
    const [from, to] = [fresh(), fresh('copy')];
    const digest = await pushIndex(registry, from, buildIndex([bundle('amd64'), bundle('arm64')]));
    await cluster().crane(['copy', formatReference(from), formatReference(to)]);
    expect((await registry.resolve(to)).digest).toBe(digest);
  });

  test('a layout written here is pushed by crane, and one that crane wrote is read here', async () => {
    const reference = fresh();
    const name = formatReference(reference);
    const ours = join(folder, 'ours');
    const digest = await writeLayout(ours, bundle(), 'v1');
    await cluster().crane(['push', ours, name]);
    expect((await registry.resolve(reference)).digest).toBe(digest);
    const theirs = join(folder, 'theirs');
    await cluster().crane(['pull', '--format=oci', name, theirs]);
    const read = await pullFiles(layoutSource(theirs), withDigest(reference, digest), {
      folders: ['manifests', 'metadata'],
    });
    expect(read.files.size).toBe(3);
    expect(await cluster().crane(['validate', '--remote', name])).toMatch(/PASS/);
  });

  test('the list of referrers under a tag is an index that crane reads', async () => {
    const reference = fresh();
    const image = bundle();
    const subject = withDigest(reference, await pushImage(registry, reference, image));
    const blobs = [{ bytes: Buffer.from('{}'), mediaType: 'application/spdx+json' }];
    const artifact = buildArtifact({
      artifactType: 'application/spdx+json',
      subject: image.manifest.descriptor,
      blobs,
    });
    const digest = await pushArtifact(registry, subject, artifact);
    const list = JSON.parse(
      await cluster().crane(['manifest', formatReference(withTag(reference, fallbackTag(subject)))]),
    ) as object;
    expect(list).toMatchObject({ manifests: [{ digest, artifactType: 'application/spdx+json' }] });
  });

  test('a large layer is pulled in bounded memory', async () => {
    const reference = fresh();
    const files = new Map(Array.from({ length: 6 }, (_, index) => [`configs/${index}.json`, json(14 << 20)]));
    const image = buildImage({ files });
    await pushImage(registry, reference, image);
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, 'testing/measure-pull.ts'),
      formatReference(reference),
      'configs',
    ]);
    const cost = JSON.parse(stdout) as PullCost;
    const grown = cost.peakMiB - cost.startMiB;
    const stored = (image.layers[0]?.descriptor.size ?? 0) / (1 << 20);
    process.stderr.write(
      `  layer of ${stored.toFixed(0)} MiB, ${cost.bytes / (1 << 20)} MiB of files: ${cost.seconds.toFixed(2)} s, CPU ${cost.cpuSeconds.toFixed(2)} s, ` +
        `memory +${grown.toFixed(0)} MiB to ${cost.peakMiB.toFixed(0)} MiB, event loop held for ${cost.longestDelayMs.toFixed(0)} ms at most\n`,
    );
    expect(cost.bytes).toBe(84 << 20);
    expect(grown).toBeLessThan(70);
  });

  test('a corpus of small files survives the round trip through the registry', async () => {
    const reference = fresh();
    const files = new Map(
      Array.from({ length: 300 }, (_, index) => [`manifests/${index}.yaml`, randomBytes(index * 7)]),
    );
    await pushImage(registry, reference, buildImage({ files }));
    const pulled = await pullFiles(registry, reference, { folders: ['manifests'] });
    expect(pulled.files.size).toBe(300);
    for (const [path, bytes] of files) expect(Buffer.from(pulled.files.get(path) ?? []).equals(bytes)).toBe(true);
  });
});

describe('a registry with a password, over TLS', () => {
  const cluster = useCluster({ only: ['registry'], registry: { auth: 'basic', tls: true } });
  let password: CredentialLookup;
  beforeAll(async () => {
    // The file that crane logs in with has the format of pull secrets in a cluster.
    await cluster().crane(['version']);
    password = parseDockerConfig(await readFile(join(cluster().folder, 'tmp', 'docker', 'config.json')));
  });
  const secure = (): RegistryOptions => ({ plainHttp: () => false, ca: cluster().ca, credentials: password });

  registryCases('the real registry', async () => ({ host: cluster().registry, options: secure() }));

  test.each([
    { credentials: undefined, because: 'there is none' },
    { credentials: { kind: 'basic', username: 'slipway', password: 'wrong' } as const, because: 'it is wrong' },
    { credentials: { kind: 'identityToken', token: 'x' } as const, because: 'there is only a token' },
  ])('a refused password is RegistryDenied: $because', async ({ credentials }) => {
    const registry = createRegistry({ ...secure(), credentials: () => credentials });
    const reference = parseReference(`${cluster().registry}/a:v1`);
    await expect(registry.resolve(reference)).rejects.toMatchObject({ reason: 'RegistryDenied', retry: 'backoff' });
    registry.close();
  });

  test.each([
    { options: { plainHttp: () => false }, because: 'its authority is unknown' },
    { options: {}, because: 'the client uses plain HTTP' },
  ])('a registry is RegistryUnavailable when $because', async ({ options }) => {
    const registry = createRegistry({ credentials: password, ...options });
    const reference = parseReference(`${cluster().registry}/a:v1`);
    await expect(registry.resolve(reference)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    registry.close();
  });

  test('crane and this client see the same image', async () => {
    const registry = createRegistry(secure());
    const reference = parseReference(`${cluster().registry}/org/app:v1`);
    const digest = await pushImage(registry, reference, bundle());
    expect((await cluster().crane(['digest', formatReference(reference)])).trim()).toBe(digest);
    expect(await cluster().crane(['validate', '--remote', formatReference(reference)])).toMatch(/PASS/);
    registry.close();
  });
});

async function* chunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Compresses about as well as catalogs do. */
function json(size: number): Buffer {
  const noise = randomBytes(size >> 2).toString('base64');
  const line = (at: number): string =>
    `{"schema":"olm.bundle","name":"operator.v1.0.${at}","image":"quay.io/org/app","data":"${noise.slice(at * 60, at * 60 + 60)}"}\n`;
  const lines: string[] = [];
  for (let at = 0, length = 0; length < size; at += 1) {
    const text = line(at % 40_000);
    lines.push(text);
    length += text.length;
  }
  return Buffer.from(lines.join('')).subarray(0, size);
}
