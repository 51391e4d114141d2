import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cachedSource, openBlobCache } from './blob-cache.ts';
import { buildImage, pushImage } from './build.ts';
import { digestOf, hexOf } from './digest.ts';
import { startFakeRegistry } from './testing/fake-registry.ts';
import { pullFiles } from './image.ts';
import { withDigest } from './reference.ts';
import { createRegistry } from './registry.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytes = (letter: string, size = 100) => Buffer.alloc(size, letter);
const digest = (letter: string, size = 100) => digestOf(bytes(letter, size));
const pathOf = (name: string) => join(folder, `sha256-${hexOf(name)}`);

describe('the cache', () => {
  test('the cache returns stored content, also to the next process', async () => {
    const cache = await openBlobCache({ folder, maxBytes: 10_000 });
    await cache.write(digest('a'), bytes('a'));
    expect((await cache.read(digest('a')))?.equals(bytes('a'))).toBe(true);
    expect(await cache.read(digest('b'))).toBeUndefined();
    const next = await openBlobCache({ folder, maxBytes: 10_000 });
    expect((await next.read(digest('a')))?.equals(bytes('a'))).toBe(true);
    expect(next.size()).toBe(100);
  });

  test('the cache stays within its size and evicts the least recently used content', async () => {
    const cache = await openBlobCache({ folder, maxBytes: 300, maxBlobBytes: 300 });
    for (const letter of ['a', 'b', 'c']) await cache.write(digest(letter), bytes(letter));
    await cache.read(digest('a'));
    await cache.write(digest('d'), bytes('d'));
    expect(cache.size()).toBe(300);
    expect(await cache.read(digest('b'))).toBeUndefined();
    expect(await cache.read(digest('a'))).toBeDefined();
    expect((await readdir(folder)).length).toBe(3);
  });

  test('the cache remembers the order of use over a restart', async () => {
    const cache = await openBlobCache({ folder, maxBytes: 300, maxBlobBytes: 300 });
    for (const letter of ['a', 'b', 'c']) await cache.write(digest(letter), bytes(letter));
    await utimes(pathOf(digest('a')), new Date(), new Date(Date.now() + 60_000));
    await utimes(pathOf(digest('b')), new Date(), new Date(Date.now() - 60_000));
    const next = await openBlobCache({ folder, maxBytes: 300, maxBlobBytes: 300 });
    await next.write(digest('d'), bytes('d'));
    expect(await next.read(digest('b'))).toBeUndefined();
    expect(await next.read(digest('a'))).toBeDefined();
  });

  test('a reader waits for content that is being written, and a second writer writes it no second time', async () => {
    const cache = await openBlobCache({ folder, maxBytes: 10_000 });
    const writes = [cache.write(digest('a'), bytes('a')), cache.write(digest('a'), bytes('a'))];
    expect(cache.writing()).toBe(100);
    expect((await cache.read(digest('a')))?.equals(bytes('a'))).toBe(true);
    await Promise.all(writes);
    expect([cache.writing(), cache.size()]).toEqual([0, 100]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  test('the cache does not keep content that is too large', async () => {
    const cache = await openBlobCache({ folder, maxBytes: 800 });
    await cache.write(digest('a', 101), bytes('a', 101));
    expect(await readdir(folder)).toEqual([]);
  });

  test('the cache never returns damaged content, and removes it', async () => {
    const cache = await openBlobCache({ folder, maxBytes: 10_000 });
    await cache.write(digest('a'), bytes('a'));
    await writeFile(pathOf(digest('a')), 'other');
    expect(await cache.read(digest('a'))).toBeUndefined();
    expect(cache.size()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  test('the cache removes half-written files of a crash', async () => {
    await writeFile(`${pathOf(digest('a'))}.5f0a`, 'half');
    await openBlobCache({ folder, maxBytes: 1000 });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a full disk is no error for the cache', async () => {
    const cache = await openBlobCache({ folder, maxBytes: 10_000 });
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    await cache.write(digest('a'), bytes('a'));
    expect(await cache.read(digest('a'))).toBeUndefined();
    await rm(folder);
  });
});

describe('a registry behind the cache', () => {
  test('a registry behind the cache is asked once for the same digest, and for a tag each time', async () => {
    const fake = await startFakeRegistry();
    const registry = createRegistry();
    const reference = fake.reference('org/app:v1');
    const image = buildImage({ files: new Map([['manifests/a', Buffer.from('a')]]) });
    const pinned = withDigest(reference, await pushImage(registry, reference, image));
    const source = cachedSource(registry, await openBlobCache({ folder, maxBytes: 1 << 20 }));
    const pull = (from = pinned) => pullFiles(source, from, { folders: ['manifests'] });
    const first = await pull();
    const asked = fake.requests.length;
    expect(await pull()).toEqual(first);
    expect(fake.requests.length).toBe(asked);
    await pull(reference);
    expect(fake.requests.slice(asked).map(({ path }) => path)).toEqual(['/v2/org/app/manifests/v1']);
    registry.close();
    await fake.close();
  });

  test('a pull does not wait for the disk, unless more is being written than the memory should hold', async () => {
    const fake = await startFakeRegistry();
    const registry = createRegistry();
    const reference = fake.reference('org/app:v1');
    const image = buildImage({ files: new Map([['manifests/a', Buffer.from('a')]]) });
    await pushImage(registry, reference, image);
    const disk = Promise.withResolvers<void>();
    let writing = 0;
    const cache = { ...(await openBlobCache({ folder, maxBytes: 1 << 20 })), write: () => disk.promise, writing: () => writing }; // prettier-ignore
    const pull = () => pullFiles(cachedSource(registry, cache), reference, { folders: ['manifests'] });
    expect((await pull()).files.size).toBe(1);
    writing = 17 * 1024 * 1024;
    const held = pull();
    expect(await Promise.race([held, delay(50)])).toBeUndefined();
    disk.resolve();
    expect((await held).files.size).toBe(1);
    registry.close();
    await fake.close();
  });

  test('content that turns out wrong is not cached', async () => {
    const fake = await startFakeRegistry();
    const registry = createRegistry();
    const reference = fake.reference('org/app:v1');
    const image = buildImage({ files: new Map([['manifests/a', Buffer.from('a')]]) });
    await pushImage(registry, reference, image);
    const layer = image.layers[0]?.descriptor ?? { digest: '', size: 0 };
    fake.intercept = ({ path }) =>
      path.endsWith(layer.digest) ? { status: 200, body: Buffer.alloc(layer.size) } : undefined;
    const cache = await openBlobCache({ folder, maxBytes: 1 << 20 });
    const source = cachedSource(registry, cache);
    await expect(pullFiles(source, reference, { folders: ['manifests'] })).rejects.toMatchObject({
      reason: 'DigestMismatch',
    });
    expect(await cache.read(layer.digest)).toBeUndefined();
    registry.close();
    await fake.close();
  });
});
