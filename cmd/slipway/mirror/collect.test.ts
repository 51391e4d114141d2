/** How images are collected: several at a time, and never more than that. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { createRegistry, type Registry } from '../../../oci/registry.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { collectImages } from './collect.ts';

const IMAGES = Array.from({ length: 12 }, (_, at) => `team/program-${at}:v1`);
let source: FakeRegistry;
let client: Registry;

beforeAll(async () => {
  source = await startFakeRegistry();
  client = createRegistry();
  for (const name of IMAGES) {
    const image = buildImage({ files: new Map([['program', Buffer.from(name)]]) });
    await pushImage(client, source.reference(name), image);
  }
});
afterAll(async () => {
  client?.close();
  await source?.close();
});

test('the content of an image whose digest is known is that one, whatever its tag names by now', async () => {
  const reference = source.reference('team/moving:v1');
  const publish = (content: string): Promise<string> =>
    pushImage(client, reference, buildImage({ files: new Map([['program', Buffer.from(content)]]) }));
  const known = await publish('read');
  await publish('moved');
  const sink = { putBlob: async () => undefined, putManifest: async () => undefined };
  const options = { sink, progress: () => undefined, signal: new AbortController().signal };
  const [image] = await collectImages(client, [{ reference, digest: known, role: 'Image' }], options);
  expect(image).toMatchObject({ digest: known, tags: { v1: known } });
});

test('an image that is also named otherwise keeps its role, by which it is verified and pushed in order', async () => {
  const moving = source.reference('team/both:v1');
  const publish = (content: string): Promise<string> =>
    pushImage(client, moving, buildImage({ files: new Map([['program', Buffer.from(content)]]) }));
  const digest = await publish('read');
  await publish('moved');
  const byDigest = source.reference(`team/both@${digest}`);
  const sink = { putBlob: async () => undefined, putManifest: async () => undefined };
  const options = { sink, progress: () => undefined, signal: new AbortController().signal };
  const image = { reference: moving, role: 'Image' } as const;
  const same = { reference: byDigest, role: 'Image' } as const;
  const bundle = { reference: moving, digest, role: 'Bundle' } as const;
  const orders = [
    [image, same, bundle],
    [bundle, same, image],
  ];
  for (const order of orders)
    expect(await collectImages(client, order, options)).toMatchObject([
      { digest, role: 'Bundle', tags: { v1: digest } },
    ]);
});

test('four images are collected at a time: each waits until four are under way', async () => {
  let underWay = 0;
  let most = 0;
  let release = (): void => undefined;
  const four = new Promise<void>((done) => (release = done));
  const slowly: Registry = {
    ...client,
    async pullManifest(reference, signal) {
      const isImage = reference.tag === 'v1';
      if (isImage) underWay += 1;
      most = Math.max(most, underWay);
      if (underWay === 4) release();
      if (isImage) await four;
      return client.pullManifest(reference, signal);
    },
  };
  const progress = (): void => void (underWay -= 1);
  const sink = { putBlob: async () => undefined, putManifest: async () => undefined };
  const collected = await collectImages(
    slowly,
    IMAGES.map((name) => ({ reference: source.reference(name), role: 'Image' })),
    { sink, progress, signal: new AbortController().signal },
  );
  expect(collected).toHaveLength(IMAGES.length);
  expect(most).toBe(4);
});
