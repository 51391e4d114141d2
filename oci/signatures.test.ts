import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { buildImage, pushImage } from './build.ts';
import { type Reference, withDigest } from './reference.ts';
import { fallbackTag } from './referrers.ts';
import { createRegistry, type Registry } from './registry.ts';
import type { FoundSignature } from './found-signature.ts';
import { collectSignatures } from './signatures.ts';
import { type FakeRegistry, startFakeRegistry } from './testing/fake-registry.ts';
import { publishSignature, untellList } from './testing/publish-signature.ts';

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

  const collect = (attestations?: readonly string[]): Promise<readonly FoundSignature[]> =>
    collectSignatures(client, image, { signal: new AbortController().signal, attestations });
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

  test('a manifest that is larger than that of any bundle is named, and not read to its end', async () => {
    const noted = { 'dev.sigstore.bundle.predicateType': 'https://sigstore.dev/cosign/sign/v1' };
    await publishSignature(client, image, bundle('"small"'), noted);
    await publishSignature(client, image, bundle('"large"'), { ...noted, note: 'x'.repeat(300_000) });
    const found = (await collect()).toSorted((a, b) => a.form.localeCompare(b.form));
    expect(found).toMatchObject([
      { form: 'Broken', message: expect.stringMatching(/^the manifest of .* is larger than 262144 bytes$/) },
      { form: 'Bundle' },
    ]);
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

  test('attestations are neither fetched nor counted: some images get one each day', async () => {
    const predicate = (type: string) => ({ 'dev.sigstore.bundle.predicateType': type });
    const scan = predicate('https://cosign.sigstore.dev/attestation/vuln/v1');
    for (let at = 0; at < 33; at += 1) await publishSignature(client, image, bundle(`{"scan":${at}}`), scan);
    await publishSignature(client, image, bundle('"noted"'), predicate('https://sigstore.dev/cosign/sign/v1'));
    await publishSignature(client, image, bundle('"not noted"'));
    const asked = registry.requests.length;
    const found = await collect();
    expect(found.map((one) => (one.form === 'Bundle' ? String(one.json) : one.form)).toSorted()).toEqual([
      '"not noted"',
      '"noted"',
    ]);
    expect(registry.requests.length - asked, 'requests').toBeLessThan(12);
  });

  describe('with attestations', () => {
    const PROVENANCE = 'https://slsa.dev/provenance';
    const noted = (type: string) => ({ 'dev.sigstore.bundle.predicateType': type });
    const envelope = (text: string, predicateType: string): FoundSignature & { form: 'Envelope' } => ({
      form: 'Envelope',
      place: '',
      envelope: Buffer.from(text),
      annotations: { predicateType },
    });
    const shown = (found: readonly FoundSignature[]): readonly string[] =>
      found
        .map((one) =>
          one.form === 'Bundle' ? String(one.json) : one.form === 'Envelope' ? String(one.envelope) : one.form,
        )
        .toSorted();

    test('those of the wanted types are collected in both forms, of every version, and no others', async () => {
      await publishSignature(client, image, bundle('"signature"'));
      await publishSignature(client, image, bundle('"built"'), noted(`${PROVENANCE}/v1`));
      await publishSignature(client, image, bundle('"scanned"'), noted('https://scan.example/v1'));
      await publishSignature(client, image, bundle('"begins alike"'), noted(`${PROVENANCE}s`));
      await publishSignature(client, image, envelope('"built before"', `${PROVENANCE}/v0.2`));
      await publishSignature(client, image, envelope('"scanned before"', 'https://scan.example/v1'));
      expect(shown(await collect([PROVENANCE]))).toEqual(['"built before"', '"built"', '"signature"']);
      expect(shown(await collect())).toEqual(['"signature"']);
    });

    test('a list of packages is larger than a signature may be', async () => {
      await publishSignature(client, image, bundle(`"${'x'.repeat(1 << 20)}"`), noted(PROVENANCE));
      expect((await collect([PROVENANCE])).map(({ form }) => form)).toEqual(['Bundle']);
    });

    test('those of one image stay within a bound together', async () => {
      for (const name of ['a', 'b', 'c'])
        await publishSignature(client, image, bundle(`"${name.repeat(7 << 20)}"`), noted(PROVENANCE));
      expect((await collect([PROVENANCE])).map(({ form }) => form)).toEqual(['Bundle', 'Bundle', 'Broken']);
    });

    test('more of a wanted type than any publisher makes are refused by a reason', async () => {
      for (let at = 0; at < 33; at += 1)
        await publishSignature(client, image, bundle(`{"at":${at}}`), noted(PROVENANCE));
      await expect(collect([PROVENANCE])).rejects.toMatchObject({ reason: 'TooManySignatures', retry: 'never' });
    });
  });

  test.each([
    { because: 'the tag of the older form names no manifest', path: '.sig', body: '{}' },
    { because: 'the tag of the older form is no JSON', path: '.sig', body: '<html>' },
    { because: 'the tag of the older form is too large', path: '.sig', body: ' '.repeat(5 << 20) },
    { because: 'the list of referrers is no JSON', path: 'referrers', body: '<html>' },
    { because: 'the list of referrers is too large', path: 'referrers', body: ' '.repeat(5 << 20) },
  ])('rubbish hides no signature beside it: $because', async ({ path, body }) => {
    await publishSignature(client, image, path === '.sig' ? bundle('"good"') : simple('good'));
    const type = 'application/vnd.oci.image.index.v1+json';
    const place = path === 'referrers' && !referrers ? `/${fallbackTag(image)}` : path;
    registry.intercept = ({ path: asked }) =>
      (place.startsWith('/') ? asked.endsWith(place) : asked.includes(place))
        ? { status: 200, body, headers: { 'content-type': type } }
        : undefined;
    const found = await collect();
    expect(found.map(({ form }) => form).toSorted()).toEqual(
      ['Broken', path === '.sig' ? 'Bundle' : 'SimpleSigning'].toSorted(),
    );
  });

  test.each([
    { status: 503, reason: 'RegistryUnavailable' },
    { status: 429, reason: 'RegistryThrottled' },
    { status: 401, reason: 'RegistryDenied' },
  ])('a registry that answers $status is no lack of signatures: its error is found', async ({ status, reason }) => {
    registry.intercept = ({ path }) => (path.includes('/token') ? undefined : { status });
    for (const one of await collect()) expect(one).toMatchObject({ form: 'Broken', failure: { reason } });
    expect(await collect()).toHaveLength(2);
  });

  test.each([
    { because: 'the list of referrers', path: 'referrers' },
    { because: 'the tag of the older form', path: '.sig' },
  ])('a look-up that fails hides no signature beside it: $because', async ({ path }) => {
    await publishSignature(client, image, path === '.sig' ? bundle('"good"') : simple('good'));
    const place = path === 'referrers' && !referrers ? `/${fallbackTag(image)}` : path;
    registry.intercept = ({ path: asked }) =>
      (place.startsWith('/') ? asked.endsWith(place) : asked.includes(place)) ? { status: 503 } : undefined;
    const found = await collect();
    expect(found.map(({ form }) => form).toSorted()).toEqual(
      ['Broken', path === '.sig' ? 'Bundle' : 'SimpleSigning'].toSorted(),
    );
    expect(found.find(({ form }) => form === 'Broken')).toMatchObject({ failure: { reason: 'RegistryUnavailable' } });
  });

  test('a tag that is refused in a repository that can be read is no tag', async () => {
    await publishSignature(client, image, bundle('"good"'));
    registry.intercept = ({ path }) => (/\.(?:sig|att)$/.test(path) ? { status: 403 } : undefined);
    expect((await collect(['https://slsa.dev/provenance'])).map(({ form }) => form)).toEqual(['Bundle']);
  });
});

describe('a list of referrers without the types of its entries', () => {
  const PROVENANCE = 'https://slsa.dev/provenance';
  let registry: FakeRegistry;
  let client: Registry;
  let image: Reference & { readonly digest: string };

  beforeEach(async () => {
    registry = await startFakeRegistry({ referrers: false });
    client = createRegistry();
    const reference = registry.reference('team/gadget:v1');
    const digest = await pushImage(client, reference, buildImage({ files: new Map([['a', Buffer.from('a')]]) }));
    image = { ...withDigest(reference, digest), digest };
  });
  afterEach(async () => {
    client.close();
    await registry.close();
  });

  const publish = (text: string, predicateType: string) =>
    publishSignature(
      client,
      image,
      { form: 'Bundle', place: '', subject: undefined, json: Buffer.from(text) },
      { 'dev.sigstore.bundle.predicateType': predicateType },
    );
  const collect = (attestations?: readonly string[]) =>
    collectSignatures(client, image, { signal: new AbortController().signal, attestations });
  const shown = (found: readonly FoundSignature[]): readonly string[] =>
    found.map((one) => (one.form === 'Bundle' ? String(one.json) : one.form)).toSorted();

  describe.each([
    { because: 'it has the type of the configuration', type: 'application/vnd.oci.empty.v1+json' },
    { because: 'it has no type', type: undefined },
    { because: 'it has the type of a bundle alone', type: 'application/vnd.dev.sigstore.bundle.v0.3+json' },
  ])('because $because', ({ type }) => {
    test('signatures and wanted attestations are distinguished by their manifests', async () => {
      await publish('"signature"', 'https://sigstore.dev/cosign/sign/v1');
      await publish('"built"', `${PROVENANCE}/v1`);
      await publish('"scanned"', 'https://scan.example/v1');
      await untellList(client, image, type);
      expect(shown(await collect())).toEqual(['"signature"']);
      expect(shown(await collect([PROVENANCE]))).toEqual(['"built"', '"signature"']);
    });

    test('attestations are not counted as signatures', async () => {
      await publish('"signature"', 'https://sigstore.dev/cosign/sign/v1');
      for (let at = 0; at < 33; at += 1) await publish(`{"scan":${at}}`, 'https://scan.example/v1');
      await untellList(client, image, type);
      expect(shown(await collect())).toEqual(['"signature"']);
    });
  });

  test('the number of requests has a bound, which the result names', async () => {
    await publish('"signature"', 'https://sigstore.dev/cosign/sign/v1');
    for (let at = 0; at < 99; at += 1) await publish(`{"scan":${at}}`, 'https://scan.example/v1');
    await untellList(client, image);
    const asked = registry.requests.length;
    const found = await collect();
    expect(registry.requests.length - asked).toBeLessThan(70);
    expect(shown(found)).toEqual(['"signature"', 'Broken']);
    expect(found[0]).toMatchObject({ message: 'it has 100 entries without a type, and 64 of them are read' });
  });

  test('an entry whose manifest is larger than that of any bundle is broken: many would fill the memory', async () => {
    await publish('"signature"', 'https://sigstore.dev/cosign/sign/v1');
    await publish('"large"', 'x'.repeat(300_000));
    await untellList(client, image);
    const asked = registry.requests.length;
    const found = await collect();
    expect(shown(found)).toEqual(['"signature"', 'Broken']);
    expect(found[0]).toMatchObject({ message: 'it is larger than 262144 bytes' });
    const [largest] = (await client.referrers(image)).toSorted((a, b) => b.size - a.size);
    const isOfLargest = ({ path }: { readonly path: string }) => path.endsWith(`/manifests/${largest?.digest}`);
    expect(registry.requests.slice(asked).filter(isOfLargest), 'requests for it').toEqual([]);
  });

  test('a list that cannot be read at the moment is not replaced when a signature is added', async () => {
    await publish('"first"', 'https://sigstore.dev/cosign/sign/v1');
    let refusals = 0;
    registry.intercept = ({ method, path }) =>
      method === 'GET' && path.endsWith(fallbackTag(image)) && (refusals += 1) === 1 ? { status: 403 } : undefined;
    await expect(publish('"second"', 'https://sigstore.dev/cosign/sign/v1')).rejects.toMatchObject({
      reason: 'RegistryDenied',
    });
    expect(shown(await collect())).toEqual(['"first"']);
  });

  test('an entry whose manifest is gone is none', async () => {
    await publish('"signature"', 'https://sigstore.dev/cosign/sign/v1');
    await untellList(client, image);
    registry.intercept = ({ path }) =>
      path.includes('/manifests/sha256:') && !path.endsWith(image.digest) ? { status: 404 } : undefined;
    expect(await collect()).toEqual([]);
  });
});
