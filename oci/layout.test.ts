import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildImage, buildIndex } from './build.ts';
import { collectBytes } from './bytes.ts';
import { copyImage } from './copy.ts';
import { hexOf } from './digest.ts';
import { eventually } from '../kube/testing/eventually.ts';
import { startFakeRegistry } from './testing/fake-registry.ts';
import { pullFiles } from './image.ts';
import { layoutSource, writeLayout } from './layout.ts';
import type { ImageIndex } from './manifest.ts';
import { parseReference, withDigest } from './reference.ts';
import { createRegistry } from './registry.ts';
import { registrySink } from './registry-sink.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-layout-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const FOLDERS = { folders: ['manifests'] };
const ANY = parseReference('any.example/any:v1');
const image = (text = 'a', architecture = 'amd64') =>
  buildImage({ files: new Map([['manifests/a', Buffer.from(text)]]), platform: { os: 'linux', architecture } });
/** The names in the index of a layout, in its order. */
async function namesIn(layout: string): Promise<readonly (string | undefined)[]> {
  const index = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')) as Pick<ImageIndex, 'manifests'>;
  return index.manifests.map(({ annotations }) => annotations?.['org.opencontainers.image.ref.name']);
}
/** A file is there before its content is. */
const isWritten = (path: string) => existsSync(path) && readFileSync(path).length > 0;
const blobPath = (digest: string) => join(folder, 'blobs', 'sha256', hexOf(digest));

describe('a layout', () => {
  test('a layout returns the written image, by name and by digest', async () => {
    const digest = await writeLayout(folder, image(), 'v1');
    await writeLayout(folder, image('b'), 'v2');
    expect(await namesIn(folder)).toEqual(['v1', 'v2']);
    for (const reference of [ANY, withDigest(ANY, digest)]) {
      const { files } = await pullFiles(layoutSource(folder), reference, FOLDERS);
      expect(Buffer.from(files.get('manifests/a') ?? []).toString()).toBe('a');
    }
  });

  test('a layout keeps one image per name, and its own marker', async () => {
    await writeLayout(folder, image('a'), 'v1');
    await writeLayout(folder, image('b'), 'v1');
    await writeLayout(folder, image('b'));
    const { files } = await pullFiles(layoutSource(folder), ANY, FOLDERS);
    expect(Buffer.from(files.get('manifests/a') ?? []).toString()).toBe('b');
    expect(JSON.parse(await readFile(join(folder, 'oci-layout'), 'utf8'))).toEqual({ imageLayoutVersion: '1.0.0' });
  });

  test('images that are written into a layout at the same time are all there', async () => {
    const names = Array.from({ length: 8 }, (_, number) => `v${number}`);
    await Promise.all(names.map((name) => writeLayout(folder, image(name), name)));
    expect(new Set(await namesIn(folder))).toEqual(new Set(names));
    expect((await readdir(folder)).toSorted()).toEqual(['blobs', 'index.json', 'oci-layout']);
  });

  test('a lock that a killed process left is broken, and all images that waited for it are there', async () => {
    const lock = join(folder, 'index.json.lock');
    await writeFile(lock, '');
    await utimes(lock, 0, 0);
    const names = Array.from({ length: 4 }, (_, number) => `v${number}`);
    await Promise.all(names.map((name) => writeLayout(folder, image(name), name)));
    expect(new Set(await namesIn(folder))).toEqual(new Set(names));
    expect((await readdir(folder)).toSorted()).toEqual(['blobs', 'index.json', 'oci-layout']);
  });

  test('a process that has lost the lock meanwhile changes nothing, leaves the lock to the other one, and begins again', async () => {
    await writeLayout(folder, image('a'), 'v1');
    const [index, lock] = [join(folder, 'index.json'), join(folder, 'index.json.lock')];
    const before = await readFile(index, 'utf8');
    // A process that reads the index waits until it is written into the pipe.
    await rm(index);
    execFileSync('mkfifo', [index]);
    const written = writeLayout(folder, image('b'), 'v2');
    await eventually(() => isWritten(lock));
    await writeFile(lock, 'of another process');
    await writeFile(index, before);
    await rm(index);
    await writeFile(index, before.replace('"v1"', '"v3"'));
    expect(await readFile(lock, 'utf8')).toBe('of another process');
    await rm(lock);
    await written;
    expect(await namesIn(folder)).toEqual(['v3', 'v2']);
  });

  test('a lock is not broken because the clock of this machine is ahead of that of the disk', async () => {
    const lock = join(folder, 'index.json.lock');
    await writeFile(lock, 'of another process');
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    const written = writeLayout(folder, image(), 'v1');
    await eventually(() => clock.mock.calls.length > 3);
    expect(await readFile(lock, 'utf8')).toBe('of another process');
    clock.mockRestore();
    await rm(lock);
    await written;
    expect(await namesIn(folder)).toEqual(['v1']);
  });

  test('a layout holds indexes with their images, which are copied to a registry', async () => {
    const fake = await startFakeRegistry();
    const registry = createRegistry();
    const digest = await writeLayout(folder, buildIndex([image('a', 'amd64'), image('b', 'arm64')]), 'v1');
    const reference = fake.reference('org/app:v1');
    expect(await copyImage(layoutSource(folder), ANY, registrySink(registry, reference))).toBe(digest);
    const { files } = await pullFiles(registry, reference, {
      ...FOLDERS,
      platform: { os: 'linux', architecture: 'arm64' },
    });
    expect(Buffer.from(files.get('manifests/a') ?? []).toString()).toBe('b');
    expect((await readdir(join(folder, 'blobs', 'sha256'))).every((name) => /^[a-f0-9]{64}$/.test(name))).toBe(true);
    registry.close();
    await fake.close();
  });

  test('a folder that is no layout, an unknown name, and a missing blob are ImageInvalid', async () => {
    await expect(layoutSource(folder).pullManifest(ANY)).rejects.toMatchObject({ reason: 'ImageInvalid' });
    const built = image();
    await writeLayout(folder, built, 'v1');
    await writeLayout(folder, image('b'), 'v2');
    const source = layoutSource(folder);
    await expect(source.pullManifest(parseReference('a/b:other'))).rejects.toMatchObject({ reason: 'ImageInvalid' });
    await rm(blobPath(built.layers[0]?.descriptor.digest ?? ''));
    await expect(pullFiles(source, ANY, FOLDERS)).rejects.toMatchObject({ reason: 'ImageInvalid' });
    await rm(blobPath(built.manifest.descriptor.digest));
    await expect(pullFiles(source, ANY, FOLDERS)).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });

  test('altered content of a layout is a mismatch', async () => {
    const built = image();
    const layer = built.layers[0]?.descriptor ?? { digest: '', size: 0 };
    await writeLayout(folder, built, 'v1');
    await writeFile(blobPath(layer.digest), Buffer.alloc(layer.size));
    await expect(collectBytes(layoutSource(folder).pullBlob(ANY, layer))).rejects.toMatchObject({
      reason: 'DigestMismatch',
    });
    await writeFile(blobPath(layer.digest), Buffer.alloc(layer.size + 1));
    await expect(collectBytes(layoutSource(folder).pullBlob(ANY, layer))).rejects.toMatchObject({
      reason: 'DigestMismatch',
    });
    await writeFile(blobPath(built.manifest.descriptor.digest), '{}');
    await expect(layoutSource(folder).pullManifest(ANY)).rejects.toMatchObject({ reason: 'DigestMismatch' });
  });
});
