import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildImage, buildIndex, pushImage } from './build.ts';
import { pushIndex } from './testing/push-built.ts';
import { collectBytes } from './bytes.ts';
import { digestOf } from './digest.ts';
import { type FakeRegistry, startFakeRegistry } from './testing/fake-registry.ts';
import { repositoryOf } from './testing/fake-store.ts';
import { type ImageOptions, pullFiles, pullTree } from './image.ts';
import { type Descriptor, MEDIA_TYPE } from './manifest.ts';
import { type Reference, withDigest } from './reference.ts';
import { createRegistry, type Registry } from './registry.ts';
import type { ImageSource } from './source.ts';
import { forgeTar, type ForgedMember } from './testing/tar-forge.ts';

let fake: FakeRegistry;
let registry: Registry;
let reference: Reference;

beforeAll(async () => {
  fake = await startFakeRegistry();
  registry = createRegistry();
});
afterAll(async () => {
  registry.close();
  await fake.close();
});
beforeEach(() => {
  fake.intercept = () => undefined;
  reference = fake.reference(`r${randomBytes(6).toString('hex')}/app:v1`);
});

const LAYER = MEDIA_TYPE.ociLayerGzip;

/** Puts unchecked bytes into the registry. Returns their descriptor. */
function putBlob(bytes: Buffer, mediaType: string) {
  const digest = digestOf(bytes);
  repositoryOf(fake.store, reference.repository).blobs.set(digest, bytes);
  return { mediaType, digest, size: bytes.length };
}

function putManifest(manifest: unknown, contentType: string = MEDIA_TYPE.ociManifest): string {
  const bytes = Buffer.from(typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  const repository = repositoryOf(fake.store, reference.repository);
  const digest = digestOf(bytes);
  repository.manifests.set(digest, { bytes, mediaType: contentType });
  repository.tags.set('v1', digest);
  return digest;
}

const putConfig = (config: unknown = {}) => putBlob(Buffer.from(JSON.stringify(config)), MEDIA_TYPE.ociConfig);
const putLayer = (members: readonly ForgedMember[]) => putBlob(gzipSync(forgeTar(members)), LAYER);
const file = (name: string, body = name): ForgedMember => ({ name, body });

function putImage(layers: readonly (readonly ForgedMember[])[], more: object = {}): string {
  return putManifest({
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    config: putConfig(),
    layers: layers.map((members) => putLayer(members)),
    ...more,
  });
}

const platform = (os: string, architecture: string) => ({ platform: { os, architecture } });

const built = (name: string) => buildImage({ files: new Map([['manifests/a', Buffer.from(name)]]) });

const sizeOf = (digest: string) =>
  repositoryOf(fake.store, reference.repository).manifests.get(digest)?.bytes.length ?? 0;

const tamper = (pattern: RegExp, change: (bytes: Buffer) => Buffer) => {
  fake.intercept = ({ path, method }) => {
    const digest = pattern.exec(path)?.[1];
    const { blobs, manifests } = repositoryOf(fake.store, reference.repository);
    const found = digest === undefined ? undefined : (blobs.get(digest) ?? manifests.get(digest)?.bytes);
    if (found === undefined || method !== 'GET') return undefined;
    const type = manifests.get(digest ?? '')?.mediaType ?? 'application/octet-stream';
    return {
      status: 200,
      headers: { 'content-type': type, 'docker-content-digest': digest ?? '' },
      body: change(found),
    };
  };
};

const flip = (bytes: Buffer): Buffer => {
  const changed = Buffer.from(bytes);
  changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
  return changed;
};

const image = (more: object = {}) => ({
  schemaVersion: 2,
  mediaType: MEDIA_TYPE.ociManifest,
  config: putConfig(),
  layers: [],
  ...more,
});

const layer = (more: object = {}) => ({ ...putLayer([file('manifests/a')]), ...more });

async function putIndex(entries: readonly { name: string; more?: object }[]) {
  const manifests = [];
  for (const { name, more } of entries) {
    const one = built(name);
    await pushImage(registry, { registry: reference.registry, repository: reference.repository }, one);
    const { mediaType, digest, size } = one.manifest.descriptor;
    manifests.push({ mediaType, digest, size, ...more });
  }
  return putManifest({ schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, manifests }, MEDIA_TYPE.ociIndex);
}

const FOLDERS: ImageOptions = { folders: ['manifests/', 'metadata/'] };

async function contentOf(options: ImageOptions = FOLDERS): Promise<Record<string, string>> {
  const { files } = await pullFiles(registry, reference, options);
  return Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]));
}

describe('the files of an image with several layers', () => {
  test.each([
    {
      layers: [[file('manifests/a', '1')], [file('manifests/a', '2'), file('metadata/b', '3')]],
      want: { 'manifests/a': '2', 'metadata/b': '3' },
      because: 'the upper file counts',
    },
    {
      layers: [[file('manifests/a'), file('manifests/b')], [file('manifests/.wh.a', '')]],
      want: { 'manifests/b': 'manifests/b' },
      because: 'a whiteout hides a file',
    },
    {
      layers: [[file('manifests/d/a'), file('manifests/da')], [file('manifests/.wh.d', '')]],
      want: { 'manifests/da': 'manifests/da' },
      because: 'a whiteout hides a folder, and nothing with a similar name',
    },
    {
      layers: [
        [file('manifests/a'), file('metadata/m')],
        [file('.wh.manifests', ''), file('manifests/b')],
      ],
      want: { 'manifests/b': 'manifests/b', 'metadata/m': 'metadata/m' },
      because: 'the whole folder can be hidden, and filled again in the same layer',
    },
    {
      layers: [
        [file('manifests/a'), file('manifests/d/x')],
        [file('manifests/b'), file('manifests/.wh..wh..opq', '')],
      ],
      want: { 'manifests/b': 'manifests/b' },
      because: 'an opaque marker hides what is below, wherever it stands in its layer',
    },
    {
      layers: [[file('manifests/a', '1')], [file('manifests/.wh.a', '')], [file('manifests/a', '3')]],
      want: { 'manifests/a': '3' },
      because: 'a name can come back',
    },
    {
      layers: [[file('manifests/.wh.a', ''), file('manifests/a')]],
      want: { 'manifests/a': 'manifests/a' },
      because: 'a whiteout acts on lower layers only',
    },
    {
      layers: [[file('manifests/x')], [file('manifests/x/y')]],
      want: { 'manifests/x/y': 'manifests/x/y' },
      because: 'a folder takes the place of a file',
    },
    {
      layers: [[file('manifests/x')], [{ name: 'manifests/x', type: '5' }]],
      want: {},
      because: 'an empty folder too',
    },
    {
      layers: [[file('manifests/x/y')], [file('manifests/x')]],
      want: { 'manifests/x': 'manifests/x' },
      because: 'a file takes the place of a folder',
    },
    {
      layers: [
        [file('usr/bin/sh'), { name: 'bin', type: '2', link: 'usr/bin' }, { name: 'dev/null', type: '3' }],
        [file('manifests/a')],
      ],
      want: { 'manifests/a': 'manifests/a' },
      because: 'a whole operating system below does not matter',
    },
    { layers: [], want: {}, because: 'an image without layers has no files' },
    { layers: [[], []], want: {}, because: 'nor has one with empty layers' },
  ])('$because', async ({ layers, want }) => {
    putImage(layers);
    expect(await contentOf()).toEqual(want);
  });

  test('files come in the same order whatever layer they are in', async () => {
    putImage([[file('manifests/b'), file('manifests/c')], [file('manifests/a')]]);
    expect(Object.keys(await contentOf())).toEqual(['manifests/a', 'manifests/b', 'manifests/c']);
  });
});

describe('the configuration of an image, and its layers', () => {
  /** The same registry, whose blobs pass a gate first. */
  const gated = (gate: (isConfig: boolean, signal?: AbortSignal) => Promise<void>): ImageSource => ({
    pullManifest: (...given) => registry.pullManifest(...given),
    async *pullBlob(from, descriptor, signal) {
      await gate((descriptor as Descriptor).mediaType === MEDIA_TYPE.ociConfig, signal);
      yield* registry.pullBlob(from, descriptor, signal);
    },
  });

  test('the configuration and the layers are pulled at the same time if the folders are known', async () => {
    putImage([[file('manifests/a')]]);
    const order: string[] = [];
    const source = gated(async (isConfig) => {
      order.push(isConfig ? 'configuration' : 'layer');
      await setImmediate();
      order.push(isConfig ? 'configuration comes' : 'layer comes');
    });
    expect([...(await pullFiles(source, reference, FOLDERS)).files.keys()]).toEqual(['manifests/a']);
    expect(order.slice(0, 2).toSorted()).toEqual(['configuration', 'layer']);
  });

  test.for<{ because: string; layers: (signal?: AbortSignal) => Promise<void> }>([
    { because: 'a layer has failed before', layers: () => Promise.reject(new Error('cut off')) },
    {
      because: 'a layer would take for ever',
      layers: async (signal) => {
        if (signal !== undefined) await once(signal, 'abort');
        throw new Error('broken off');
      },
    },
  ])('a configuration that cannot be read is the error, although $because', async ({ layers }) => {
    putImage([[file('manifests/a')]], { config: putConfig({ config: { Labels: [] } }) });
    const source = gated((isConfig, signal) => (isConfig ? Promise.resolve() : layers(signal)));
    await expect(pullFiles(source, reference, FOLDERS)).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });
});

test('nothing of an image is read any more once its pull has failed', async () => {
  putImage([[file('manifests/a')]], { config: putConfig({ config: { Labels: [] } }) });
  let isReading = false;
  const source: ImageSource = {
    pullManifest: (...given) => registry.pullManifest(...given),
    async *pullBlob(from, descriptor, signal) {
      if ((descriptor as Descriptor).mediaType === MEDIA_TYPE.ociConfig)
        return yield* registry.pullBlob(from, descriptor);
      isReading = true;
      // A body that is cut off ends a moment later.
      if (signal?.aborted === false) await once(signal, 'abort');
      await setImmediate();
      isReading = false;
    },
  };
  await expect(pullFiles(source, reference, FOLDERS)).rejects.toMatchObject({ reason: 'ImageInvalid' });
  expect(isReading).toBe(false);
});

describe('labels and annotations of an image', () => {
  test('the folders to read can depend on labels', async () => {
    const image = buildImage({
      files: new Map([
        ['opt/catalog/a.json', Buffer.from('{}')],
        ['configs/b.json', Buffer.from('{}')],
      ]),
      labels: { folder: '/opt/catalog' },
    });
    await pushImage(registry, reference, image);
    const tree = await pullTree(registry, reference, { folders: (labels) => [labels['folder'] ?? '/configs'] });
    const paths: string[] = [];
    for await (const entry of tree.files) paths.push(entry.path);
    expect(paths).toEqual(['opt/catalog/a.json']);
  });

  test.each(['../etc', 'a/../..', 'a\\b', 'a\u0000'])('a label that names the folder %j is refused', async (folder) => {
    putImage([[file('a')]]);
    await expect(pullTree(registry, reference, { folders: () => [folder] })).rejects.toMatchObject({
      reason: 'ImageInvalid',
    });
  });

  test('labels and annotations have no prototype', async () => {
    const config = putConfig({ config: { Labels: { constructor: 'x', a: '1' } } });
    putManifest({
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociManifest,
      config,
      layers: [],
      annotations: { toString: 'y' },
    });
    const { labels, annotations } = await pullFiles(registry, reference, FOLDERS);
    expect(Object.getPrototypeOf(labels)).toBeNull();
    expect(Object.getPrototypeOf(annotations)).toBeNull();
    expect({ ...labels }).toEqual({ constructor: 'x', a: '1' });
    expect({ ...annotations }).toEqual({ toString: 'y' });
  });

  test.each([
    { created: '2026-01-02T03:04:05.123456789Z', want: '2026-01-02T03:04:05.123456789Z' },
    { created: '2026-01-02T03:04:05+01:00', want: '2026-01-02T03:04:05+01:00' },
    { created: 'yesterday', want: undefined },
    { created: 5, want: undefined },
    { created: null, want: undefined },
  ])('created $created is $want', async ({ created, want }) => {
    putManifest({ schemaVersion: 2, config: putConfig({ created }), layers: [] });
    expect((await pullFiles(registry, reference, FOLDERS)).created).toBe(want);
  });

  test.each([{}, { config: null }, { config: { Labels: null } }, { config: {} }])(
    'the configuration %j has no labels',
    async (config) => {
      putManifest({ schemaVersion: 2, config: putConfig(config), layers: [] });
      expect(Object.keys((await pullFiles(registry, reference, FOLDERS)).labels)).toEqual([]);
    },
  );

  test.each([[], 'x', { config: { Labels: { a: 1 } } }, { config: { Labels: [] } }])(
    'the configuration %j is refused',
    async (config) => {
      putManifest({ schemaVersion: 2, config: putConfig(config), layers: [] });
      await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageInvalid' });
    },
  );
});

describe('manifests', () => {
  test.each([
    { manifest: () => 'no json', because: 'it is no JSON' },
    { manifest: () => '[]', because: 'it is a list' },
    { manifest: () => '['.repeat(100_000), because: 'it is nested without end' },
    { manifest: () => '', because: 'it is empty' },
    { manifest: () => Buffer.from([0xff, 0xfe, 0x7b]).toString('latin1'), because: 'it is no text' },
    { manifest: () => image({ manifests: [] }), because: 'it is an image and an index at once' },
    { manifest: () => image({ mediaType: MEDIA_TYPE.ociIndex }), because: 'it says another type inside than outside' },
    { manifest: () => image({ mediaType: 5 }), because: 'its type is no text' },
    { manifest: () => image(), type: 'application/json', because: 'the outer type is none of an image' },
    {
      manifest: () => ({ schemaVersion: 1, fsLayers: [] }),
      type: 'application/vnd.docker.distribution.manifest.v1+prettyjws',
      because: 'schema 1 is obsolete',
    },
    { manifest: () => image({ schemaVersion: 1 }), because: 'the version is another' },
    { manifest: () => image({ layers: undefined }), because: 'layers are missing' },
    { manifest: () => image({ config: undefined }), because: 'the configuration is missing' },
    {
      manifest: () => image({ config: { ...putConfig(), mediaType: 'application/vnd.cncf.helm.config.v1+json' } }),
      because: 'it is a chart',
    },
    {
      manifest: () => image({ artifactType: 'x/y', config: putBlob(Buffer.from('{}'), MEDIA_TYPE.ociEmpty) }),
      because: 'it is an artifact',
    },
    { manifest: () => image({ layers: [layer({ mediaType: 'text/plain' })] }), because: 'a layer is no archive' },
    { manifest: () => image({ layers: [layer({ size: -1 })] }), because: 'a size is negative' },
    { manifest: () => image({ layers: [layer({ size: 1.5 })] }), because: 'a size is a fraction' },
    { manifest: () => image({ layers: [layer({ size: 1e308 })] }), because: 'a size is beyond all' },
    { manifest: () => image({ layers: [layer({ size: null })] }), because: 'a size is none' },
    { manifest: () => image({ layers: [layer({ size: '5' })] }), because: 'a size is a text' },
    { manifest: () => image({ layers: [layer({ digest: `md5:${'a'.repeat(32)}` })] }), because: 'md5 proves nothing' },
    {
      manifest: () => image({ layers: [layer({ digest: `sha256:${'A'.repeat(64)}` })] }),
      because: 'a digest is in upper case',
    },
    { manifest: () => image({ layers: [layer({ digest: 'sha256:abc' })] }), because: 'a digest is too short' },
    { manifest: () => image({ layers: [layer({ digest: '../../x' })] }), because: 'a digest is a path' },
    { manifest: () => image({ annotations: { a: 1 } }), because: 'an annotation is a number' },
    { manifest: () => image({ annotations: [] }), because: 'annotations are a list' },
    {
      manifest: () => image({ annotations: Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`k${i}`, ''])) }),
      because: 'there are thousands of annotations',
    },
    {
      manifest: () => image({ layers: Array.from({ length: 10_000 }, () => layer()) }),
      because: 'there are thousands of layers',
    },
  ])('an image is ImageInvalid when $because', async ({ manifest, type }) => {
    putManifest(manifest(), type);
    const error = await contentOf().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'ImageInvalid', retry: { afterSeconds: 300 } });
  });

  test.each([
    { manifest: () => image({ mediaType: undefined }), because: 'the OCI type inside may be missing' },
    {
      manifest: () => image({ artifactType: 'application/vnd.unknown' }),
      because: 'an unknown artifact type is no harm',
    },
    { manifest: () => image({ future: { field: 1 } }), because: 'unknown fields are left alone' },
    {
      manifest: () => image({ layers: [layer({ urls: ['http://169.254.169.254/'] })] }),
      because: 'addresses of foreign layers are ignored',
    },
  ])('an image is read although $because', async ({ manifest }) => {
    putManifest(manifest());
    await expect(contentOf()).resolves.toBeDefined();
    expect(fake.requests.every(({ headers }) => headers.host === fake.host)).toBe(true);
  });

  test('by digest the same fault is never retried', async () => {
    reference = withDigest(reference, putManifest('no json'));
    await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageInvalid', retry: 'never' });
  });

  test.each([
    { limits: { layers: 1 }, because: 'too many layers' },
    { limits: { compressedBytes: 10 }, because: 'too many bytes to fetch' },
    { limits: { configBytes: 1 }, because: 'the configuration is too large' },
    { limits: { files: 1 }, because: 'too many files over all layers' },
    { limits: { entries: 1 }, because: 'too many members over all layers' },
    { limits: { nameBytes: 200 }, because: 'too many bytes of names over all layers' },
    { limits: { totalBytes: 20 }, because: 'too many bytes over all layers' },
    { limits: { inflatedBytes: 3000 }, because: 'the layers together inflate too far' },
  ])('an image is ImageTooLarge when $because', async ({ limits }) => {
    putImage([[file('manifests/a')], [file('manifests/b')]]);
    await expect(contentOf({ ...FOLDERS, limits })).rejects.toMatchObject({ reason: 'ImageTooLarge' });
  });

  test('a configuration with a label of 10 MB is refused before it is read whole', async () => {
    const config = putConfig({ config: { Labels: { a: 'x'.repeat(10 << 20) } } });
    putManifest({
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociManifest,
      config,
      layers: [putLayer([file('manifests/a')])],
    });
    await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageTooLarge' });
  });

  test('a manifest larger than 4 MiB is refused before it is read whole', async () => {
    putManifest(image({ annotations: { a: 'x'.repeat(5 << 20) } }));
    await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageTooLarge' });
  });
});

describe('indexes', () => {
  test('the image of the platform is taken', async () => {
    await putIndex([
      { name: 'windows', more: platform('windows', 'amd64') },
      { name: 'arm', more: platform('linux', 'arm64') },
      { name: 'amd', more: platform('linux', 'amd64') },
    ]);
    expect(await contentOf()).toEqual({ 'manifests/a': 'amd' });
    expect(await contentOf({ ...FOLDERS, platform: { os: 'linux', architecture: 'arm64' } })).toEqual({
      'manifests/a': 'arm',
    });
  });

  test('of two for the same platform the first is taken', async () => {
    await putIndex([
      { name: 'first', more: platform('linux', 'amd64') },
      { name: 'second', more: platform('linux', 'amd64') },
    ]);
    expect(await contentOf()).toEqual({ 'manifests/a': 'first' });
  });

  test('attestations beside the images are not images for a platform', async () => {
    await putIndex([
      { name: 'attestation', more: platform('unknown', 'unknown') },
      { name: 'amd', more: platform('linux', 'amd64') },
    ]);
    expect(await contentOf()).toEqual({ 'manifests/a': 'amd' });
  });

  test.each([{}, { architecture: 'amd64' }, { os: 'linux', architecture: null, variant: null }])(
    'an image whose platform is incomplete is passed over: %j',
    async (incomplete) => {
      await putIndex([
        { name: 'incomplete', more: { platform: incomplete } },
        { name: 'amd', more: platform('linux', 'amd64') },
      ]);
      expect(await contentOf()).toEqual({ 'manifests/a': 'amd' });
    },
  );

  test('an image that names no architecture is passed over also if no other is for amd64', async () => {
    await putIndex([
      { name: 'incomplete', more: { platform: { os: 'linux' } } },
      { name: 'arm', more: platform('linux', 'arm64') },
    ]);
    expect(await contentOf()).toEqual({ 'manifests/a': 'arm' });
  });

  test('a single image that names no platform fits all', async () => {
    await putIndex([{ name: 'any' }]);
    expect(await contentOf()).toEqual({ 'manifests/a': 'any' });
  });

  test.each([
    { because: 'a laptop has built it', first: platform('unknown', 'unknown'), second: platform('linux', 'arm64') },
    {
      because: 'an attestation may state the platform of its image',
      first: { ...platform('linux', 'amd64'), annotations: { 'vnd.docker.reference.type': 'attestation-manifest' } },
      second: platform('linux', 's390x'),
    },
    {
      because: 'Windows has its files in other folders',
      first: platform('windows', 'amd64'),
      second: platform('linux', 'arm'),
    },
    {
      because: 'an attestation that states no platform is no image for all',
      first: { annotations: { 'vnd.docker.reference.type': 'attestation-manifest' } },
      second: platform('linux', 'ppc64le'),
    },
    {
      because: 'an artifact such as a list of parts is no image for all',
      first: { artifactType: 'application/spdx+json' },
      second: platform('linux', 'arm64'),
    },
  ])('without linux/amd64, the first image for Linux is taken, since the files are the same: $because', async (row) => {
    await putIndex([
      { name: 'first', more: row.first },
      { name: 'second', more: row.second },
      { name: 'third', more: platform('linux', 'riscv64') },
    ]);
    expect(await contentOf()).toEqual({ 'manifests/a': 'second' });
  });

  test('an index without an image for the platform is ImageInvalid', async () => {
    await putIndex([{ name: 'arm', more: platform('linux', 'arm64') }]);
    await expect(contentOf({ ...FOLDERS, platform: { os: 'linux', architecture: 's390x' } })).rejects.toMatchObject({
      reason: 'ImageInvalid',
      message: expect.stringContaining('linux/arm64') as string,
    });
    for (const entries of [[], [{ name: 'windows', more: platform('windows', 'amd64') }]]) {
      await putIndex(entries);
      await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageInvalid' });
    }
  });

  test('a nested index is followed, and an endless one refused', async () => {
    const nest = (child: string, size: number) =>
      putManifest(
        {
          schemaVersion: 2,
          mediaType: MEDIA_TYPE.ociIndex,
          manifests: [{ mediaType: MEDIA_TYPE.ociIndex, digest: child, size, ...platform('linux', 'amd64') }],
        },
        MEDIA_TYPE.ociIndex,
      );
    let digest = await putIndex([{ name: 'deep', more: platform('linux', 'amd64') }]);
    digest = nest(digest, sizeOf(digest));
    expect(await contentOf()).toEqual({ 'manifests/a': 'deep' });
    for (let depth = 0; depth < 3; depth += 1) digest = nest(digest, sizeOf(digest));
    await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('an index with a wrong size of an image is refused', async () => {
    await putIndex([{ name: 'amd', more: { size: 5, ...platform('linux', 'amd64') } }]);
    await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('the digest of an index is returned, so that it can be pinned', async () => {
    const index = buildIndex([built('x')]);
    const digest = await pushIndex(registry, reference, index);
    const pulled = await pullFiles(registry, withDigest(reference, digest), FOLDERS);
    expect(pulled).toMatchObject({ digest, manifestDigest: index.images[0]?.manifest.descriptor.digest });
  });
});

describe('content that differs from its digest', () => {
  test.each([
    { pattern: /manifests\/(sha256:.*)/, change: flip, because: 'the manifest was changed' },
    { pattern: /blobs\/(sha256:.*)/, change: flip, because: 'a blob was changed' },
    {
      pattern: /blobs\/(sha256:.*)/,
      change: (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]),
      because: 'a blob is longer',
    },
    { pattern: /blobs\/(sha256:.*)/, change: (bytes: Buffer) => bytes.subarray(1), because: 'a blob is shorter' },
  ])(
    'changed content is DigestMismatch when $because, retried as it may have been changed on its way',
    async ({ pattern, change }) => {
      reference = withDigest(reference, putImage([[file('manifests/a')]]));
      tamper(pattern, change);
      await expect(contentOf()).rejects.toMatchObject({ reason: 'DigestMismatch', retry: 'backoff' });
    },
  );

  test('a changed layer is detected, though its files were read', async () => {
    putImage([[file('manifests/a')]]);
    const layer = [...repositoryOf(fake.store, reference.repository).blobs.keys()].at(-1) ?? '';
    const other = gzipSync(forgeTar([file('manifests/b')]));
    const same = Buffer.concat([
      other,
      Buffer.alloc(repositoryOf(fake.store, reference.repository).blobs.get(layer)?.length ?? 0),
    ]);
    tamper(new RegExp(`blobs/(${layer})`), (bytes) => same.subarray(0, bytes.length));
    await expect(contentOf()).rejects.toMatchObject({ retry: 'backoff', reason: 'DigestMismatch' });
  });

  test('a registry that answers a digest with another, valid manifest is detected', async () => {
    const good = putImage([[file('manifests/good')]]);
    const evil = putImage([[file('manifests/evil')]]);
    reference = withDigest(reference, good);
    const { bytes } = repositoryOf(fake.store, reference.repository).manifests.get(evil) ?? { bytes: Buffer.alloc(0) };
    for (const claimed of [good, evil]) {
      fake.intercept = ({ path }) =>
        path.includes('/manifests/')
          ? {
              status: 200,
              headers: { 'content-type': MEDIA_TYPE.ociManifest, 'docker-content-digest': claimed },
              body: bytes,
            }
          : undefined;
      await expect(contentOf()).rejects.toMatchObject({ reason: 'DigestMismatch', retry: 'backoff' });
    }
  });

  test('a tag whose claimed digest cannot be checked is refused', async () => {
    putImage([[file('manifests/a')]]);
    fake.intercept = () => ({
      status: 200,
      headers: { 'content-type': MEDIA_TYPE.ociManifest, 'docker-content-digest': 'md5:abc' },
      body: '{}',
    });
    await expect(contentOf()).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('content by sha512 is verified too', async () => {
    const bytes = Buffer.from('content');
    const digest = `sha512:${createHash('sha512').update(bytes).digest('hex')}`;
    repositoryOf(fake.store, reference.repository).blobs.set(digest, bytes);
    expect((await collectBytes(registry.pullBlob(reference, { digest, size: 7 }))).toString()).toBe('content');
    repositoryOf(fake.store, reference.repository).blobs.set(digest, Buffer.from('CONTENT'));
    await expect(collectBytes(registry.pullBlob(reference, { digest, size: 7 }))).rejects.toMatchObject({
      reason: 'DigestMismatch',
    });
  });

  test('an endless blob is cut one byte beyond its size', async () => {
    const endless = { digest: digestOf(Buffer.from('x')), size: 100_000 };
    let sent = 0;
    fake.intercept = () => (response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await expect(collectBytes(registry.pullBlob(reference, endless))).rejects.toMatchObject({
      reason: 'DigestMismatch',
    });
    expect(sent).toBeLessThan(16 << 20);
  });
});

describe('a large tree', () => {
  test('a large tree is passed on file by file, each in pieces', async () => {
    const body = 'x'.repeat(3 << 20);
    putImage([[file('configs/a.json', body), file('configs/b.json', 'small')]]);
    const tree = await pullTree(registry, reference, { folders: ['/configs'] });
    const sizes: [string, number, number][] = [];
    for await (const { path, size, chunks } of tree.files) {
      let largest = 0;
      let sum = 0;
      for await (const chunk of chunks) {
        largest = Math.max(largest, chunk.length);
        sum += chunk.length;
      }
      expect(largest).toBeLessThanOrEqual(64 << 10);
      sizes.push([path, size, sum]);
    }
    expect(sizes).toEqual([
      ['configs/a.json', 3 << 20, 3 << 20],
      ['configs/b.json', 5, 5],
    ]);
  });
});
