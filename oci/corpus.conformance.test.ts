/**
 * Real bundles survive a round trip through an image, byte for byte: all of them in `make conformance`, one of ten in
 * `make test`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { byExtent, sampleOf } from '../e2e/lib/sample.ts';
import { devSet, hasShared } from '../e2e/lib/shared.ts';
import { type BuiltImage, buildImage } from './build.ts';
import { pullFiles } from './image.ts';
import { parseManifest } from './manifest.ts';
import { parseReference } from './reference.ts';
import type { ImageSource } from './source.ts';

const FOLDERS = ['manifests/', 'metadata/'];
const ANY = parseReference('any.example/any:v1');

describe.skipIf(!hasShared)('the corpus', () => {
  test('the corpus is unchanged after a round trip through images, and gives the same image again', async () => {
    let bundles = 0;
    let files = 0;
    let bytes = 0;
    let stored = 0;
    for (const folder of sampleOf(bundleFolders(), { every: 10 })) {
      const input = readFiles(folder);
      const image = buildImage({ files: input, labels: { folder } });
      const output = await pullFiles(memorySource(image), ANY, { folders: FOLDERS });
      expect([...output.files.keys()]).toEqual([...input.keys()].filter(isKept).sort());
      for (const [path, content] of output.files) {
        expect(Buffer.compare(content, input.get(path) ?? Buffer.alloc(0))).toBe(0);
        bytes += content.length;
      }
      expect(buildImage({ files: new Map([...input].reverse()), labels: { folder } }).manifest.descriptor).toEqual(
        image.manifest.descriptor,
      );
      bundles += 1;
      files += output.files.size;
      stored += image.layers[0]?.descriptor.size ?? 0;
    }
    process.stderr.write(`  ${bundles} bundles, ${files} files, ${mib(bytes)} MiB, as images ${mib(stored)} MiB\n`);
    expect(bundles).toBe(byExtent({ all: 1011, sample: 102 }));
  });
});

function isKept(path: string): boolean {
  return FOLDERS.some((folder) => path.startsWith(folder));
}

function mib(bytes: number): string {
  return (bytes / (1 << 20)).toFixed(1);
}

function bundleFolders(): readonly string[] {
  const root = join(devSet(), 'operators');
  return readdirSync(root)
    .flatMap((name) => readdirSync(join(root, name)).map((version) => join(root, name, version)))
    .filter((path) => existsSync(join(path, 'manifests')));
}

function readFiles(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    paths.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(folder, path), readFileSync(path)];
    }),
  );
}

/** An image as a source, without a registry between. */
function memorySource({ manifest, config, layers }: BuiltImage): ImageSource {
  const blobs = new Map([config, ...layers].map(({ bytes, descriptor }) => [descriptor.digest, bytes]));
  const { digest, mediaType } = manifest.descriptor;
  return {
    async pullManifest() {
      const parsed = parseManifest(manifest.bytes, mediaType, { what: digest, byDigest: true });
      return { bytes: manifest.bytes, digest, mediaType, manifest: parsed };
    },
    async *pullBlob(_reference, wanted) {
      yield blobs.get(wanted.digest) ?? Buffer.alloc(0);
    },
  };
}
