import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { buildImage, pushImage } from './build.ts';
import { type Reference, withDigest } from './reference.ts';
import { createRegistry, type Registry } from './registry.ts';
import { collectSignatures, type FoundSignature } from './signatures.ts';
import { type FakeRegistry, startFakeRegistry } from './testing/fake-registry.ts';
import { publishSignature } from './testing/publish-signature.ts';

const ways = [
  { because: 'the registry lists the manifests that refer to an image', referrers: true },
  { because: 'the registry has no such list, and a tag holds it', referrers: false },
];

describe.each(ways)('signatures of an image, if $because', ({ referrers }) => {
  let registry: FakeRegistry;
  let client: Registry;
  let image: Reference & { readonly digest: string };

  beforeEach(async () => {
    registry = await startFakeRegistry({ referrers });
    client = createRegistry();
    image = await pushGadget('v1');
  });
  afterEach(async () => {
    client.close();
    await registry.close();
  });

  async function pushGadget(version: string): Promise<Reference & { readonly digest: string }> {
    const reference = registry.reference(`team/gadget:${version}`);
    const built = buildImage({ files: new Map([['manifests/a.yaml', Buffer.from(version)]]) });
    const digest = await pushImage(client, reference, built);
    return { ...withDigest(reference, digest), digest };
  }

  const collect = (): Promise<readonly FoundSignature[]> =>
    collectSignatures(client, image, new AbortController().signal);
  const bundle = (text: string, subject?: string): FoundSignature & { form: 'Bundle' } => ({
    form: 'Bundle',
    place: '',
    subject,
    json: Buffer.from(text),
  });
  const simple = (text: string): FoundSignature & { form: 'SimpleSigning' } => ({
    form: 'SimpleSigning',
    place: '',
    payload: Buffer.from(text),
    annotations: { 'dev.cosignproject.cosign/signature': text },
  });

  test('an image without signatures has none', async () => {
    expect(await collect()).toEqual([]);
  });

  test('bundles and the older form are found side by side, with their places', async () => {
    await publishSignature(client, image, bundle('{"one":1}'));
    await publishSignature(client, image, bundle('{"two":2}'));
    await publishSignature(client, image, simple('three'));
    await publishSignature(client, image, simple('four'));
    const found = await collect();
    expect(found.map((one) => (one.form === 'Bundle' ? String(one.json) : one.form)).toSorted()).toEqual(
      ['{"one":1}', '{"two":2}', 'SimpleSigning', 'SimpleSigning'].toSorted(),
    );
    expect(found.flatMap((one) => (one.form === 'SimpleSigning' ? [String(one.payload)] : []))).toEqual([
      'three',
      'four',
    ]);
    for (const one of found) {
      if (one.form === 'Bundle')
        expect(one).toMatchObject({ subject: image.digest, place: expect.stringMatching(/^signature sha256:/) });
      if (one.form === 'SimpleSigning') {
        expect(one.place).toMatch(/\.sig$/);
        expect(one.annotations['dev.cosignproject.cosign/signature']).toBe(String(one.payload));
      }
    }
  });

  test('signatures of another image are not found', async () => {
    const other = await pushGadget('v2');
    await publishSignature(client, other, bundle('{}'));
    await publishSignature(client, other, simple('x'));
    expect(await collect()).toEqual([]);
  });

  test('a layer that is too large is named and not fetched', async () => {
    await publishSignature(client, image, bundle(`"${'x'.repeat(300_000)}"`));
    await publishSignature(client, image, simple('x'.repeat(300_000)));
    const found = await collect();
    expect(found.map(({ form }) => form)).toEqual(['Broken', 'Broken']);
    for (const one of found) expect(one).toMatchObject({ message: 'it is larger than 262144 bytes' });
  });

  test('a layer that is missing is named, and the others are found', async () => {
    await publishSignature(client, image, simple('lost'));
    await publishSignature(client, image, simple('kept'));
    const layer = Buffer.from('lost').toString();
    const { blobs } = registry.store.repositories.get('team/gadget')!;
    for (const [digest, bytes] of blobs) if (String(bytes) === layer) blobs.delete(digest);
    expect((await collect()).map(({ form }) => form)).toEqual(['Broken', 'SimpleSigning']);
  });

  test.each([
    { because: 'bundles', publish: (text: string) => publishSignature(client, image, bundle(`"${text}"`)) },
    { because: 'the older form', publish: (text: string) => publishSignature(client, image, simple(text)) },
  ])('more signatures than any signer makes are refused by a reason: $because', async ({ publish }) => {
    for (let at = 0; at < 32; at += 1) await publish(`signature ${at}`);
    expect(await collect()).toHaveLength(32);
    await publish('one more');
    const error = await collect().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReasonedError);
    expect(error).toMatchObject({ reason: 'TooManySignatures', retry: 'never' });
  });

  test('a registry that fails is an error to be retried, and no lack of signatures', async () => {
    registry.intercept = ({ path }) =>
      path.includes('sha256-') || path.includes('referrers') ? { status: 503 } : undefined;
    const error = await collect().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'RegistryUnavailable' });
  });
});
