import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { buildArtifact, buildImage, pushImage, type BuiltImage } from './build.ts';
import { pushArtifact } from './testing/push-built.ts';
import { collectBytes } from './bytes.ts';
import type { FakeAnswer } from './testing/fake-call.ts';
import { type FakeRegistry, startFakeRegistry } from './testing/fake-registry.ts';
import { pullFiles } from './image.ts';
import { pullPlaces } from './mirrors.ts';
import { parseReference } from './reference.ts';
import { createRegistry, type Registry } from './registry.ts';
import { collectSignatures } from './signatures.ts';
import { publishSignature } from './testing/publish-signature.ts';

describe('where a reference is looked for', () => {
  const mirrors = [
    { source: 'quay.io', mirrors: ['all.example'] },
    { source: 'quay.io/org', mirrors: ['one.example/copy', 'Two.example.:5000/x/y'] },
    { source: 'docker.io', mirrors: ['hub.example/proxy'] },
    { source: 'quay.io/sealed', mirrors: ['one.example/sealed', 'two.example/sealed'], thenSource: false },
  ];
  test.each([
    {
      text: 'quay.io/org/app:v1',
      want: ['one.example/copy/app', 'two.example:5000/x/y/app', 'quay.io/org/app'],
      because: 'the longest source decides',
    },
    {
      text: 'quay.io/other/app',
      want: ['all.example/other/app', 'quay.io/other/app'],
      because: 'a registry as a whole',
    },
    {
      text: 'quay.io/organ/app',
      want: ['all.example/organ/app', 'quay.io/organ/app'],
      because: 'half a name is no prefix',
    },
    {
      text: 'nginx',
      want: ['hub.example/proxy/library/nginx', 'docker.io/library/nginx'],
      because: 'names are complete first',
    },
    {
      text: 'quay.io/sealed/app',
      want: ['one.example/sealed/app', 'two.example/sealed/app'],
      because: 'the source itself is not asked',
    },
    {
      text: 'quay.io:443/org/app',
      want: ['one.example/copy/app', 'two.example:5000/x/y/app', 'quay.io/org/app'],
      because: 'the usual port names the same registry',
    },
    { text: 'ghcr.io/a/b', want: ['ghcr.io/a/b'], because: 'there is no mirror' },
    {
      text: 'quay.io.evil.example/org/app',
      want: ['quay.io.evil.example/org/app'],
      because: 'another registry is another registry',
    },
  ])('the places of $text: $because', ({ text, want }) => {
    const places = pullPlaces(parseReference(text), mirrors);
    expect(places.map(({ registry, repository }) => `${registry}/${repository}`)).toEqual(want);
  });
});

describe('a mirror', () => {
  let origin: FakeRegistry;
  let mirror: FakeRegistry;
  let registry: Registry;
  const image = buildImage({ files: new Map([['manifests/a', Buffer.from('a')]]) });
  beforeAll(async () => {
    [origin, mirror] = [await startFakeRegistry(), await startFakeRegistry()];
    const plain = createRegistry();
    await pushImage(plain, origin.reference('org/app:v1'), image);
    await pushImage(plain, mirror.reference('copy/app:v1'), image);
    plain.close();
    registry = createRegistry({ mirrors: [{ source: `${origin.host}/org`, mirrors: [`${mirror.host}/copy`] }] });
  });
  afterAll(async () => {
    registry.close();
    await origin.close();
    await mirror.close();
  });
  beforeEach(() => {
    mirror.intercept = () => undefined;
  });
  const pull = () => pullFiles(registry, origin.reference('org/app:v1'), { folders: ['manifests'] });

  test('a mirror serves in place of the registry', async () => {
    const asked = origin.requests.length;
    expect((await pull()).digest).toBe(image.manifest.descriptor.digest);
    expect(origin.requests.length).toBe(asked);
  });

  test.each([
    { answer: { status: 404 }, because: 'it lacks the image' },
    { answer: { status: 500 }, because: 'it is broken' },
    { answer: { status: 401 }, because: 'it refuses' },
    { answer: { status: 200, body: '{}' }, because: 'it serves other content' },
  ])('a mirror is passed over when $because', async ({ answer }) => {
    mirror.intercept = ({ path }) => (path.includes('/manifests/') ? answer : undefined);
    expect((await pull()).digest).toBe(image.manifest.descriptor.digest);
  });

  test('a mirror that refuses a repository costs no download of the manifest: the registry is asked by HEAD', async () => {
    mirror.intercept = () => ({ status: 403 });
    const asked = [mirror, origin].map(({ requests }) => requests.length);
    expect((await registry.resolve(origin.reference('org/app:v1'))).digest).toBe(image.manifest.descriptor.digest);
    const sent = [mirror, origin].map(({ requests }, at) => requests.slice(asked[at]).map(({ method }) => method));
    expect(sent).toEqual([['HEAD'], ['HEAD']]);
  });

  test('a mirror that refuses HEAD alone serves although the registry cannot be reached', async () => {
    mirror.intercept = ({ method }) => (method === 'HEAD' ? { status: 403 } : undefined);
    origin.intercept = () => ({ status: 503 });
    const resolved = registry
      .resolve(origin.reference('org/app:v1'))
      .finally(() => (origin.intercept = () => undefined));
    expect((await resolved).digest).toBe(image.manifest.descriptor.digest);
  });

  test('a mirror that lacks a blob is passed over for it', async () => {
    mirror.intercept = ({ path }) => (path.includes('/blobs/') ? { status: 404 } : undefined);
    expect((await pull()).files.size).toBe(1);
  });

  const layer = image.layers[0]!.descriptor;
  const cut =
    (text: string): FakeAnswer =>
    (response) => {
      response.writeHead(200, { 'content-length': String(layer.size) });
      if (text === '') response.flushHeaders();
      response.write(text, () => response.destroy());
    };

  test.each([
    { answer: { status: 200, body: 'short' }, because: 'it is shorter' },
    { answer: { status: 200, body: '<html>'.repeat(100) }, because: 'it is longer' },
    { answer: cut(''), because: 'its connection is cut before the first byte' },
  ])('a mirror with a damaged blob is passed over for it: $because', async ({ answer }) => {
    mirror.intercept = ({ path }) => (path.includes(`/blobs/${layer.digest}`) ? answer : undefined);
    expect((await pull()).files.size).toBe(1);
  });

  test('a mirror that cuts a blob at the same byte each time is passed over for the rest', async () => {
    const good = mirror.store.repositories.get('copy/app')!.blobs.get(layer.digest)!;
    let asked = 0;
    mirror.intercept = ({ path }) => {
      if (!path.includes(`/blobs/${layer.digest}`)) return undefined;
      asked += 1;
      return (response) => {
        response.writeHead(200, { 'content-length': String(layer.size) });
        response.write(good.subarray(0, 20), () => response.destroy());
      };
    };
    expect((await pull()).files.size).toBe(1);
    expect(asked).toBeLessThan(6);
    expect(origin.requests.at(-1)?.headers.range).toBe('bytes=20-');
  });

  test.each([
    { body: Buffer.alloc(layer.size, 1), because: 'it has other bytes' },
    { body: undefined, because: 'it goes on beyond its end' },
  ])('a mirror with a damaged blob is asked last after the pull that found out: $because', async ({ body }) => {
    const fresh = createRegistry({ mirrors: [{ source: `${origin.host}/org`, mirrors: [`${mirror.host}/copy`] }] });
    const pullBlob = () => collectBytes(fresh.pullBlob(origin.reference('org/app'), layer));
    const endless: FakeAnswer = (response) => void response.write(Buffer.alloc(layer.size + 1), () => response.end());
    const damaged = body === undefined ? endless : { status: 200, body };
    mirror.intercept = ({ path }) => (path.includes(`/blobs/${layer.digest}`) ? damaged : undefined);
    await expect(pullBlob()).rejects.toMatchObject({ reason: 'DigestMismatch' });
    const asked = mirror.requests.length;
    expect(await pullBlob()).toHaveLength(layer.size);
    expect(mirror.requests.length, 'requests to the mirror').toBe(asked);
    expect((await pullFiles(fresh, origin.reference('org/app:v1'), { folders: ['manifests'] })).files.size).toBe(1);
    fresh.close();
  });

  test('after both have served other bytes for a blob, the mirror and the registry are asked first in turn', async () => {
    const fresh = createRegistry({ mirrors: [{ source: `${origin.host}/org`, mirrors: [`${mirror.host}/copy`] }] });
    const pullBlob = () => collectBytes(fresh.pullBlob(origin.reference('org/app'), layer));
    const damaged = ({ path }: { readonly path: string }): FakeAnswer | undefined =>
      path.includes(`/blobs/${layer.digest}`) ? { status: 200, body: Buffer.alloc(layer.size, 1) } : undefined;
    [mirror.intercept, origin.intercept] = [damaged, damaged];
    for (let pulls = 0; pulls < 3; pulls += 1)
      await expect(pullBlob()).rejects.toMatchObject({ reason: 'DigestMismatch' });
    origin.intercept = () => undefined;
    expect(await pullBlob()).toHaveLength(layer.size);
    fresh.close();
  });

  test('a mirror that fails again after a cut is asked no third time, and the registry goes on', async () => {
    const good = mirror.store.repositories.get('copy/app')!.blobs.get(layer.digest)!;
    let asked = 0;
    mirror.intercept = ({ path }) => {
      if (!path.includes(`/blobs/${layer.digest}`)) return undefined;
      asked += 1;
      if (asked > 1) return { status: 503 };
      return (response) => {
        response.writeHead(200, { 'content-length': String(layer.size) });
        response.write(good.subarray(0, 20), () => response.destroy());
      };
    };
    expect((await pull()).files.size).toBe(1);
    expect(asked).toBe(2);
  });

  test('the tags of a mirror are listed in place of those of the registry', async () => {
    const asked = origin.requests.length;
    expect(await registry.listTags(origin.reference('org/app'))).toEqual(['v1']);
    expect(origin.requests.length).toBe(asked);
  });

  describe('is asked for referrers', () => {
    const subject = { ...image.manifest.descriptor };
    const signature = buildArtifact({ artifactType: 'text/x-signature', subject, blobs: [] });
    const ownNote = buildArtifact({ artifactType: 'text/x-note', subject, blobs: [] });
    const listed = async (onFailure?: (failure: ReasonedError) => void) => {
      const { registry: host, repository } = origin.reference('org/app');
      const found = await registry.referrers({ registry: host, repository, digest: subject.digest }, { onFailure });
      return found.map(({ digest }) => digest);
    };
    const addTo = async (place: FakeRegistry, name: string, referrer: BuiltImage) => {
      const plain = createRegistry();
      await pushArtifact(plain, { ...place.reference(name), digest: subject.digest }, referrer);
      plain.close();
    };
    afterEach(() => {
      origin.intercept = () => undefined;
    });

    const failing: FakeRegistry['intercept'] = () => ({ status: 503 });
    const digestOf = ({ manifest }: BuiltImage) => manifest.descriptor.digest;

    test('there are none only if each place says so, since a place that fails may have some', async () => {
      expect(await listed()).toEqual([]);
      for (const place of [origin, mirror]) {
        place.intercept = failing;
        await expect(listed()).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
        place.intercept = () => undefined;
      }
    });

    test.each([401, 403])('a mirror that answers %i has no copy, and the registry decides', async (status) => {
      mirror.intercept = () => ({ status });
      expect(await listed()).toEqual([]);
      origin.intercept = () => ({ status });
      await expect(listed()).rejects.toMatchObject({ reason: 'RegistryDenied' });
    });

    test('the referrers of the registry count if the mirror left them behind', async () => {
      await addTo(origin, 'org/app', signature);
      expect(await listed()).toEqual([digestOf(signature)]);
    });

    test('the lists of the mirror and the registry are joined, as a mirror may have referrers of its own', async () => {
      await addTo(mirror, 'copy/app', ownNote);
      expect(await listed()).toEqual([digestOf(ownNote), digestOf(signature)]);
      await addTo(mirror, 'copy/app', signature);
      expect((await listed()).toSorted()).toEqual([digestOf(ownNote), digestOf(signature)].toSorted());
    });

    test.each([
      { because: 'the registry', place: () => origin },
      { because: 'the mirror', place: () => mirror },
    ])('a place that fails is reported beside the referrers of another: $because', async ({ place }) => {
      place().intercept = failing;
      const failures: unknown[] = [];
      expect(await listed((failure) => failures.push(failure))).toContain(digestOf(signature));
      expect(failures).toMatchObject([{ reason: 'RegistryUnavailable' }]);
    });

    const json = Buffer.from('{}');
    test.each([
      { form: 'Bundle', place: '', subject: undefined, json } as const,
      { form: 'SimpleSigning', place: '', payload: json, annotations: {} } as const,
    ])('a mirror whose settings cannot be used hides no signature of the registry: $form', async (signature) => {
      const unusable = new ReasonedError({ reason: 'RegistryPolicyInvalid', retry: 'backoff', message: 'no ca.crt' });
      const client = createRegistry({
        mirrors: [{ source: `${origin.host}/org`, mirrors: [`${mirror.host}/copy`] }],
        connection: ({ registry: host }) => (host === mirror.host ? Promise.reject(unusable) : { plainHttp: true }),
      });
      const reference = origin.reference('org/app:signed');
      const built = buildImage({ files: new Map([['form', Buffer.from(signature.form)]]) });
      const digest = await pushImage(client, reference, built);
      await publishSignature(client, { ...reference, digest }, signature);
      const found = await collectSignatures(client, { ...reference, digest }, { signal: new AbortController().signal });
      expect(found).toMatchObject([{ failure: unusable }, { form: signature.form }]);
      client.close();
    });

    test('an outage of the registry is no lack of signatures, even if the mirror lists something else', async () => {
      origin.intercept = failing;
      const reference = { ...origin.reference('org/app'), digest: subject.digest };
      const found = await collectSignatures(registry, reference, { signal: new AbortController().signal });
      expect(found).toContainEqual(
        expect.objectContaining({
          place: expect.stringContaining('the list of referrers'),
          failure: expect.objectContaining({ reason: 'RegistryUnavailable' }),
        }),
      );
    });
  });

  test('a mirror is not written to', async () => {
    const asked = mirror.requests.length;
    await registry.hasBlob(origin.reference('org/app:v1'), image.config.descriptor.digest);
    await pushImage(registry, origin.reference('org/new:v1'), image);
    expect(mirror.requests.length).toBe(asked);
  });
});
