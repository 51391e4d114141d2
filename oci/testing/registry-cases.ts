/**
 * Behaviour of a registry and the client together, as one list of cases: it runs against the fake registry and against
 * a real one, so that the fake cannot drift from real registries. Test code only.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobOf } from '../blob.ts';
import { buildArtifact, buildImage, buildIndex, pushImage } from '../build.ts';
import { pushArtifact, pushIndex } from './push-built.ts';
import { collectBytes } from '../bytes.ts';
import { copyImage } from '../copy.ts';
import { digestOf } from '../digest.ts';
import { pullFiles } from '../image.ts';
import { MEDIA_TYPE } from '../manifest.ts';
import { parseReference, type Reference, withDigest, withTag } from '../reference.ts';
import { createRegistry, type Registry, type RegistryOptions } from '../registry.ts';
import { registrySink } from '../registry-sink.ts';

export interface CaseRegistry {
  /** `localhost:5000`. */
  readonly host: string;
  readonly options?: RegistryOptions;
  stop?(): Promise<void>;
}

/** Declares the cases for one registry. */
export function registryCases(name: string, start: () => Promise<CaseRegistry>): void {
  describe(name, () => {
    let started: CaseRegistry;
    let registry: Registry;
    beforeAll(async () => {
      started = await start();
      registry = createRegistry(started.options);
    });
    afterAll(async () => {
      registry.close();
      await started.stop?.();
    });
    /** A repository for each case, so that runs do not interfere. */
    const fresh = (path = 'app:v1'): Reference =>
      parseReference(`${started.host}/cases/${randomBytes(6).toString('hex')}/${path}`);

    test('a pushed image is pulled with the same files, labels and annotations', async () => {
      const reference = fresh();
      const image = buildImage({
        files: new Map([
          ['manifests/a.yaml', Buffer.from('a: 1\n')],
          ['metadata/annotations.yaml', Buffer.from('annotations: {}\n')],
          ['tests/scorecard.yaml', Buffer.from('x')],
        ]),
        labels: { one: '1' },
        annotations: { two: '2' },
      });
      const digest = await pushImage(registry, reference, image);
      const pulled = await pullFiles(registry, reference, { folders: ['manifests/', 'metadata/'] });
      expect(digest).toBe(image.manifest.descriptor.digest);
      expect(pulled).toMatchObject({ digest, manifestDigest: digest, labels: { one: '1' }, annotations: { two: '2' } });
      expect([...pulled.files.keys()]).toEqual(['manifests/a.yaml', 'metadata/annotations.yaml']);
      expect(Buffer.from(pulled.files.get('manifests/a.yaml') ?? []).toString()).toBe('a: 1\n');
    });

    test('a tag resolves to the digest, type and size of its manifest', async () => {
      const reference = fresh();
      const image = buildImage({ files: new Map([['a', Buffer.from('a')]]) });
      await pushImage(registry, reference, image);
      const { digest, size, mediaType } = image.manifest.descriptor;
      expect(await registry.resolve(reference)).toEqual({ digest, size, mediaType });
      expect(await registry.resolve(withDigest(reference, digest))).toEqual({ digest, size, mediaType });
    });

    test('an index is pushed with its images, and each platform gets its own', async () => {
      const reference = fresh();
      const images = ['amd64', 'arm64'].map((architecture) =>
        buildImage({
          files: new Map([['manifests/arch', Buffer.from(architecture)]]),
          platform: { os: 'linux', architecture },
        }),
      );
      const built = buildIndex(images);
      const digest = await pushIndex(registry, reference, built);
      const pulled = await pullFiles(registry, reference, {
        folders: ['manifests'],
        platform: { os: 'linux', architecture: 'arm64' },
      });
      expect(pulled.digest).toBe(digest);
      expect(pulled.manifestDigest).toBe(images[1]?.manifest.descriptor.digest);
      expect(Buffer.from(pulled.files.get('manifests/arch') ?? []).toString()).toBe('arm64');
    });

    test('a blob is uploaded once, then found', async () => {
      const reference = fresh();
      const blob = blobOf(randomBytes(1000));
      expect(await registry.hasBlob(reference, blob.digest)).toBe(false);
      expect(await registry.pushBlob(reference, blob)).toBe('uploaded');
      expect(await registry.pushBlob(reference, blob)).toBe('present');
      expect(await registry.hasBlob(reference, blob.digest)).toBe(true);
    });

    test('an empty blob and a large one come back unchanged', async () => {
      const reference = fresh();
      for (const bytes of [Buffer.alloc(0), randomBytes(3 << 20)]) {
        const blob = blobOf(bytes);
        await registry.pushBlob(reference, blob);
        expect(digestOf(await collectBytes(registry.pullBlob(reference, blob)))).toBe(blob.digest);
      }
    });

    test('a blob can be sent in chunks', async () => {
      const reference = fresh();
      const bytes = randomBytes(250_001);
      expect(await registry.pushBlob(reference, blobOf(bytes), { chunkBytes: 100_000 })).toBe('uploaded');
      expect((await collectBytes(registry.pullBlob(reference, blobOf(bytes)))).equals(bytes)).toBe(true);
    });

    test('a blob of another repository is mounted instead of sent', async () => {
      const [from, to] = [fresh(), fresh()];
      const blob = blobOf(randomBytes(1000));
      await registry.pushBlob(from, blob);
      expect(await registry.pushBlob(to, blob, { mountFrom: from.repository })).toBe('mounted');
      expect(await registry.hasBlob(to, blob.digest)).toBe(true);
    });

    test('a mount of a missing blob is no error', async () => {
      const [from, to] = [fresh(), fresh()];
      const blob = blobOf(randomBytes(10));
      expect(await registry.mountBlob(to, blob.digest, { from: from.repository })).toBe(false);
      expect(await registry.pushBlob(to, blob, { mountFrom: from.repository })).toBe('uploaded');
    });

    test('a further tag stands for the same digest', async () => {
      const reference = fresh();
      const digest = await pushImage(registry, reference, buildImage({ files: new Map([['a', Buffer.from('a')]]) }));
      expect(await registry.tag(reference, 'stable')).toBe(digest);
      expect((await registry.resolve(withTag(reference, 'stable'))).digest).toBe(digest);
    });

    test('all tags are listed, over as many pages as the registry makes of them', async () => {
      const reference = fresh();
      await pushImage(registry, reference, buildImage({ files: new Map([['a', Buffer.from('a')]]) }));
      const tags = Array.from({ length: 25 }, (_, index) => `v1.0.${index}`);
      for (const tag of tags) await registry.tag(reference, tag);
      expect([...(await registry.listTags(reference))].sort()).toEqual(['v1', ...tags].sort());
    });

    test('a missing manifest or blob is ImageNotFound', async () => {
      const reference = fresh();
      await expect(registry.resolve(reference)).rejects.toMatchObject({ reason: 'ImageNotFound', retry: 'backoff' });
      await expect(registry.pullManifest(reference)).rejects.toMatchObject({ reason: 'ImageNotFound' });
      await expect(registry.listTags(reference)).rejects.toMatchObject({ reason: 'ImageNotFound' });
      const missing = { digest: digestOf(Buffer.from('missing')), size: 7 };
      await expect(collectBytes(registry.pullBlob(reference, missing))).rejects.toMatchObject({
        reason: 'ImageNotFound',
      });
    });

    test('a deleted manifest is gone', async () => {
      const reference = fresh();
      const digest = await pushImage(registry, reference, buildImage({ files: new Map([['a', Buffer.from('a')]]) }));
      await registry.deleteManifest(withDigest(reference, digest));
      await expect(registry.resolve(withDigest(reference, digest))).rejects.toMatchObject({ reason: 'ImageNotFound' });
    });

    test('the referrers of an image are listed, by type if requested', async () => {
      const reference = fresh();
      const image = buildImage({ files: new Map([['a', Buffer.from('a')]]) });
      const subject = withDigest(reference, await pushImage(registry, reference, image));
      expect(await registry.referrers(subject)).toEqual([]);
      const artifact = (artifactType: string) =>
        buildArtifact({
          artifactType,
          subject: image.manifest.descriptor,
          blobs: [{ bytes: Buffer.from(artifactType), mediaType: 'text/plain' }],
        });
      const sbom = await pushArtifact(registry, subject, artifact('application/spdx+json'));
      const note = await pushArtifact(registry, subject, artifact('application/vnd.example.note'));
      const listed = await registry.referrers(subject);
      expect(listed.map(({ digest }) => digest).sort()).toEqual([sbom, note].sort());
      const some = await registry.referrers(subject, { artifactType: 'application/spdx+json' });
      expect(some.map(({ digest }) => digest)).toEqual([sbom]);
      const pulled = await registry.pullManifest(withDigest(reference, sbom));
      expect(pulled.manifest).toMatchObject({ kind: 'image', subject: { digest: subject.digest } });
    });

    test('an index is copied to another repository with everything that belongs to it', async () => {
      const [from, to] = [fresh(), fresh('copy:v1')];
      const images = ['amd64', 'arm64'].map((architecture) =>
        buildImage({ files: new Map([['arch', Buffer.from(architecture)]]), platform: { os: 'linux', architecture } }),
      );
      const digest = await pushIndex(registry, from, buildIndex(images));
      expect(await copyImage(registry, from, registrySink(registry, to))).toBe(digest);
      expect((await registry.resolve(to)).digest).toBe(digest);
      const pulled = await pullFiles(registry, to, { folders: ['/'] });
      expect([...pulled.files.keys()]).toEqual(['arch']);
    });

    test('an index of the older Docker type is read too', async () => {
      const reference = fresh();
      const image = buildImage({ files: new Map([['configs/a.json', Buffer.from('{}')]]) });
      const digest = await pushImage(registry, reference, image);
      const { size, mediaType } = image.manifest.descriptor;
      const list = {
        schemaVersion: 2,
        mediaType: MEDIA_TYPE.dockerIndex,
        manifests: [{ mediaType, digest, size, platform: { os: 'linux', architecture: 'amd64' } }],
      };
      await registry.pushManifest(withTag(reference, 'list'), {
        bytes: Buffer.from(JSON.stringify(list)),
        mediaType: MEDIA_TYPE.dockerIndex,
      });
      const pulled = await pullFiles(registry, withTag(reference, 'list'), { folders: ['/configs'] });
      expect([...pulled.files.keys()]).toEqual(['configs/a.json']);
    });
  });
}
