import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { buildArtifact, buildImage, buildIndex, buildLayer } from './build.ts';
import { digestOf } from './digest.ts';
import { parseManifest } from './manifest.ts';
import { buildTar } from './tar-writer.ts';

const FILES = new Map([
  ['manifests/b.yaml', Buffer.from('b')],
  ['manifests/a.yaml', Buffer.from('a')],
  ['metadata/annotations.yaml', Buffer.from('x: y\n')],
]);

describe('an image', () => {
  test('an image has the same bytes on every day and in every order of files', () => {
    const image = buildImage({ files: FILES, labels: { b: '2', a: '1' }, annotations: { d: '4', c: '3' } });
    const turned = buildImage({
      files: new Map([...FILES].reverse()),
      labels: { a: '1', b: '2' },
      annotations: { c: '3', d: '4' },
    });
    expect(turned.manifest.descriptor).toEqual(image.manifest.descriptor);
    expect((JSON.parse(image.config.bytes.toString('utf8')) as { rootfs: unknown }).rootfs).toEqual({
      type: 'layers',
      diff_ids: ['sha256:5581cf01b9d150eab9d1b37b9810785298b164ff197edf0adef82f5a75cdefac'],
    });
  });

  test('an image names its own parts', () => {
    const { manifest, config, layers } = buildImage({ files: FILES, labels: { a: '1' } });
    const parsed = parseManifest(manifest.bytes, manifest.descriptor.mediaType, { what: 'x', byDigest: true });
    expect(parsed).toMatchObject({
      kind: 'image',
      config: config.descriptor,
      layers: layers.map((layer) => layer.descriptor),
    });
    for (const { bytes, descriptor } of [manifest, config, ...layers]) {
      expect(descriptor).toMatchObject({ digest: digestOf(bytes), size: bytes.length });
    }
    const written = JSON.parse(config.bytes.toString('utf8')) as { rootfs: { diff_ids: string[] } };
    expect(written.rootfs.diff_ids).toEqual(layers.map(({ bytes }) => digestOf(gunzipSync(bytes))));
    expect(written).toMatchObject({ created: '1970-01-01T00:00:00Z', os: 'linux', config: { Labels: { a: '1' } } });
  });

  test('the layer of an image has no trace of time, machine or user', () => {
    const [layer] = buildImage({ files: FILES }).layers;
    expect(layer?.bytes.subarray(0, 10).toString('hex')).toBe('1f8b08000000000000ff');
  });

  test('an image over a layer built before is the same as one built at once', () => {
    const below = new Map([['bin/node', Buffer.from('#!')]]);
    const atOnce = buildImage({ files: [below, FILES] });
    const over = buildImage({ base: [buildLayer(below)], files: FILES });
    expect(over.manifest.descriptor).toEqual(atOnce.manifest.descriptor);
  });

  test('an image can have several layers, modes and runtime settings', () => {
    const image = buildImage({
      files: [new Map([['bin/node', { bytes: Buffer.from('#!'), mode: 0o755 }]]), FILES],
      config: { Entrypoint: ['/bin/node'], User: '65532' },
      platform: { os: 'linux', architecture: 'arm64', variant: 'v8' },
      created: '2026-01-02T03:04:05Z',
    });
    expect(image.layers.length).toBe(2);
    expect(JSON.parse(image.config.bytes.toString('utf8'))).toMatchObject({
      architecture: 'arm64',
      variant: 'v8',
      created: '2026-01-02T03:04:05Z',
      config: { Entrypoint: ['/bin/node'], User: '65532' },
    });
    expect(image.manifest.descriptor.platform).toEqual({ os: 'linux', architecture: 'arm64', variant: 'v8' });
  });

  test('an index lists its images with their platforms', () => {
    const images = ['amd64', 'arm64'].map((architecture) =>
      buildImage({ files: FILES, platform: { os: 'linux', architecture } }),
    );
    const { index } = buildIndex(images, { a: 'b' });
    const parsed = parseManifest(index.bytes, index.descriptor.mediaType, { what: 'x', byDigest: true });
    expect(parsed).toMatchObject({
      kind: 'index',
      manifests: images.map(({ manifest }) => manifest.descriptor),
      annotations: { a: 'b' },
    });
  });

  test('an artifact names its subject and its type', () => {
    const { manifest } = buildImage({ files: FILES });
    const blobs = [{ bytes: Buffer.from('{}'), mediaType: 'application/spdx+json' }];
    const artifact = buildArtifact({ artifactType: 'application/spdx+json', subject: manifest.descriptor, blobs });
    expect(JSON.parse(artifact.manifest.bytes.toString('utf8'))).toMatchObject({
      artifactType: 'application/spdx+json',
      subject: { digest: manifest.descriptor.digest, size: manifest.descriptor.size },
    });
  });
});

describe('an archive', () => {
  test.each(['../a', '/a', 'a/../b', 'a\\b', 'a//b', './a', 'a/', '', 'a\u0000'])(
    'an archive cannot have the path %j',
    (path) => {
      expect(() => buildTar(new Map([[path, Buffer.from('x')]]))).toThrow('no plain relative path');
    },
  );

  test('equal files give equal archives', () => {
    const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-zA-Z0-9ü_-]{1,60}){0,3}$/);
    fc.assert(
      fc.property(fc.dictionary(path, fc.uint8Array({ maxLength: 700 }), { maxKeys: 6 }), (record) => {
        const entries = Object.entries(record);
        const tar = buildTar(new Map(entries));
        expect(buildTar(new Map(entries.reverse())).equals(tar)).toBe(true);
        expect(tar.length % 512).toBe(0);
      }),
      { numRuns: runsOf(200) },
    );
  });
});
