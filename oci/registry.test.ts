import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReasonedError } from '../api/errors.ts';
import { unhandledDuring } from '../kube/testing/unhandled-rejections.ts';
import { buildImage, pushImage } from './build.ts';
import { collectBytes } from './bytes.ts';
import { digestOf } from './digest.ts';
import type { Credential } from './docker-config.ts';
import { fakeToken } from './testing/fake-auth.ts';
import type { FakeAnswer } from './testing/fake-call.ts';
import { type FakeOptions, type FakeRegistry, startFakeRegistry } from './testing/fake-registry.ts';
import { repositoryOf } from './testing/fake-store.ts';
import { MEDIA_TYPE } from './manifest.ts';
import { blobOf } from './blob.ts';
import { parseReference, type Reference, withDigest } from './reference.ts';
import { createRegistry, type Registry, type RegistryOptions } from './registry.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function startFake(options: FakeOptions = {}): Promise<FakeRegistry> {
  const fake = await startFakeRegistry(options);
  stops.push(() => fake.close());
  return fake;
}

function client(options: RegistryOptions = {}): Registry {
  const registry = createRegistry(options);
  stops.push(() => registry.close());
  return registry;
}

interface OtherServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

/** A server beside the registry: another blob store or token service. */
async function startOther(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<OtherServer> {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, requests };
}

let fake: FakeRegistry;
let registry: Registry;
let reference: Reference;
let digest: string;
const content = randomBytes(100_000);
const blob = { digest: digestOf(content), size: content.length };

beforeEach(async () => {
  fake = await startFake();
  registry = client();
  reference = fake.reference('org/app:v1');
  digest = await pushImage(registry, reference, buildImage({ files: new Map([['a', Buffer.from('a')]]) }));
  repositoryOf(fake.store, 'org/app').blobs.set(blob.digest, content);
});

const pullContent = (from: Registry = registry): Promise<Buffer> => collectBytes(from.pullBlob(reference, blob));

const basic = (): Credential => ({ kind: 'basic', username: 'u', password: 'p' });

const json = (code: string): string => JSON.stringify({ errors: [{ code, message: `at ${Math.random()}` }] });

const hasty = () => client({ timeouts: { headersMs: 80, stallMs: 80, minBytesPerSecond: 100_000 } });

const cutAt =
  (bytes: number): FakeAnswer =>
  (response) => {
    response.writeHead(200, { 'content-length': String(content.length) });
    response.write(content.subarray(0, bytes), () => response.destroy());
  };

const serveContent = (_request: IncomingMessage, response: ServerResponse): void => void response.end(content);

const redirect = (location: string, status = 307): FakeAnswer => ({ status, headers: { location } });

const tokenRequests = () => fake.requests.filter(({ path }) => path.startsWith('/token'));

const challengeWith = (realm: string): void => {
  fake.intercept = ({ path }) =>
    path.startsWith('/v2/')
      ? { status: 401, headers: { 'www-authenticate': `Bearer realm="${realm}",service="s"` } }
      : undefined;
};

const page = (tags: readonly unknown[], link?: string): FakeAnswer => ({
  status: 200,
  headers: link === undefined ? {} : { link },
  body: JSON.stringify({ name: 'x', tags }),
});

const subject = () => withDigest(reference, digest);

const index = (manifests: readonly unknown[], headers: Record<string, string> = {}): FakeAnswer => ({
  status: 200,
  headers: { 'content-type': MEDIA_TYPE.ociIndex, ...headers },
  body: JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, manifests }),
});

const entry = (text: string, artifactType = 'a/b') => ({
  mediaType: MEDIA_TYPE.ociManifest,
  digest: digestOf(Buffer.from(text)),
  size: 1,
  artifactType,
});

const message = () => registry.pullManifest(reference).catch((error: unknown) => (error as Error).message);

async function withPassword() {
  fake = await startFake({ auth: { kind: 'basic', username: 'u', password: 'p' } });
  reference = fake.reference('org/app:v1');
  registry = client({ credentials: basic });
  repositoryOf(fake.store, 'org/app').blobs.set(blob.digest, content);
  return fake;
}

async function withTokens(options: Partial<FakeOptions['auth'] & { kind: 'bearer' }> = {}, more: RegistryOptions = {}) {
  fake = await startFake({ auth: { kind: 'bearer', ...options } });
  reference = fake.reference('org/app:v1');
  registry = client({ credentials: basic, ...more });
  digest = await pushImage(registry, reference, buildImage({ files: new Map([['a', Buffer.from('a')]]) }));
  repositoryOf(fake.store, 'org/app').blobs.set(blob.digest, content);
}

describe('answers of a registry', () => {
  const CASES: readonly { answer: FakeAnswer; reason: string; retry?: unknown; because: string }[] = [
    {
      answer: { status: 404, body: json('MANIFEST_UNKNOWN') },
      reason: 'ImageNotFound',
      because: 'there is no such image',
    },
    { answer: { status: 404 }, reason: 'ImageNotFound', because: 'the body may be missing' },
    { answer: { status: 403, body: json('DENIED') }, reason: 'RegistryDenied', because: 'it is forbidden' },
    { answer: { status: 401 }, reason: 'RegistryDenied', because: 'it asks for credentials of an unnamed kind' },
    {
      answer: { status: 401, headers: { 'www-authenticate': 'Negotiate' } },
      reason: 'RegistryDenied',
      because: 'it asks for credentials of an unknown kind',
    },
    {
      answer: { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } },
      reason: 'RegistryDenied',
      because: 'it asks for a password and there is none',
    },
    {
      answer: { status: 429, headers: { 'retry-after': '12' } },
      reason: 'RegistryThrottled',
      retry: { afterSeconds: 12 },
      because: 'it says how long to wait',
    },
    {
      answer: { status: 429, headers: { 'retry-after': '1000000000' } },
      reason: 'RegistryThrottled',
      retry: { afterSeconds: 3600 },
      because: 'an endless wait is cut',
    },
    {
      answer: { status: 429, headers: { 'retry-after': '-5' } },
      reason: 'RegistryThrottled',
      retry: 'backoff',
      because: 'a negative time is ignored',
    },
    { answer: { status: 429 }, reason: 'RegistryThrottled', retry: 'backoff', because: 'it does not say how long' },
    {
      answer: { status: 403, body: json('TOOMANYREQUESTS') },
      reason: 'RegistryThrottled',
      retry: 'backoff',
      because: 'it limits with the status of a refusal',
    },
    {
      answer: { status: 503, body: json('toomanyrequests') },
      reason: 'RegistryThrottled',
      retry: 'backoff',
      because: 'it limits with the status of a failure, and writes codes in small letters',
    },
    { answer: { status: 500 }, reason: 'RegistryUnavailable', because: 'it is broken' },
    { answer: { status: 502, body: '<html>' }, reason: 'RegistryUnavailable', because: 'a proxy before it is broken' },
    {
      answer: { status: 503, headers: { 'retry-after': '3' } },
      reason: 'RegistryUnavailable',
      retry: { afterSeconds: 3 },
      because: 'it says when it will be back',
    },
    { answer: { status: 301 }, reason: 'RegistryUnavailable', because: 'it redirects without a target' },
    {
      answer: { status: 302, headers: { location: 'http://[' } },
      reason: 'RegistryUnavailable',
      because: 'it redirects to an invalid address',
    },
    {
      answer: { status: 302, headers: { location: 'ftp://localhost/x' } },
      reason: 'RegistryUnavailable',
      because: 'it redirects to another protocol',
    },
    {
      answer: { status: 302, headers: { location: 'file:///etc/passwd' } },
      reason: 'RegistryUnavailable',
      because: 'it redirects to a file',
    },
    {
      answer: { status: 500, body: 'x'.repeat(1 << 20) },
      reason: 'RegistryUnavailable',
      because: 'the body of an error does not matter',
    },
    { answer: (response) => response.destroy(), reason: 'RegistryUnavailable', because: 'it hangs up' },
    {
      answer: (response) => response.socket?.end('nonsense\r\n\r\n'),
      reason: 'RegistryUnavailable',
      because: 'it does not speak HTTP',
    },
    {
      answer: { status: 200, headers: { 'x-large': 'x'.repeat(20_000) } },
      reason: 'RegistryUnavailable',
      because: 'its headers are too large',
    },
  ];
  test.each(CASES)('the error is $reason when $because', async ({ answer, reason, retry = 'backoff' }) => {
    fake.intercept = () => answer;
    for (const ask of [() => registry.pullManifest(reference), () => registry.listTags(reference), pullContent]) {
      await expect(ask()).rejects.toMatchObject({ reason, retry });
    }
  });

  test('error messages are the same on every try', async () => {
    fake.intercept = () => ({ status: 404, body: json('MANIFEST_UNKNOWN') });
    expect(await message()).toBe(await message());
  });

  test('a registry that cannot be reached is RegistryUnavailable', async () => {
    await fake.close();
    stops.shift();
    await expect(registry.resolve(reference)).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
      retry: 'backoff',
    });
    const nowhere = parseReference('registry.invalid/a:v1');
    await expect(registry.resolve(nowhere)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    stops.unshift(() => {});
  });

  test('the next request after a failure succeeds', async () => {
    const answers: FakeAnswer[] = [{ status: 500 }, { status: 404 }, { status: 429 }];
    fake.intercept = () => answers.shift();
    for (let index = 0; index < 3; index += 1)
      await expect(registry.pullManifest(reference)).rejects.toBeInstanceOf(Error);
    expect((await registry.pullManifest(reference)).digest).toBe(digest);
  });

  test('a tag that moves is resolved again by each request', async () => {
    const before = await registry.resolve(reference);
    const moved = await pushImage(registry, reference, buildImage({ files: new Map([['b', Buffer.from('b')]]) }));
    expect((await registry.pullManifest(withDigest(reference, before.digest))).digest).toBe(digest);
    expect((await registry.resolve(reference)).digest).toBe(moved);
  });
});

describe('resolving a tag', () => {
  test.each([
    { answer: { status: 405 }, because: 'HEAD is not allowed' },
    { answer: { status: 403 }, because: 'HEAD is refused to those who may read' },
    { answer: { status: 404 }, because: 'the registry has no HEAD, and answers as if nothing were there' },
    { answer: { status: 200 }, because: 'the answer has no digest' },
    {
      answer: { status: 200, headers: { 'docker-content-digest': 'md5:x', 'content-type': 'a/b' } },
      because: 'the digest cannot be checked',
    },
    {
      answer: { status: 200, headers: { 'docker-content-digest': `sha256:${'a'.repeat(64)}`, 'content-type': '' } },
      because: 'the type is missing',
    },
  ])('resolving a tag falls back to reading the manifest when $because', async ({ answer }) => {
    fake.intercept = ({ method }) => (method === 'HEAD' ? answer : undefined);
    expect(await registry.resolve(reference)).toMatchObject({ digest, mediaType: MEDIA_TYPE.ociManifest });
  });

  test.each([
    { because: 'no client may read', auth: undefined, methods: ['HEAD', 'GET'] },
    { because: 'a fresh token does not help', auth: { kind: 'bearer' } as const, methods: ['HEAD', 'HEAD', 'GET'] },
  ])('a registry that refuses both ways is asked by GET once, whose error is reported: $because', async (given) => {
    const guarded = await startFake(given.auth === undefined ? {} : { auth: given.auth });
    guarded.intercept = ({ headers, method }) =>
      given.auth === undefined || headers.authorization !== undefined
        ? { status: 403, body: method === 'GET' ? json('DENIED') : '' }
        : undefined;
    await expect(client().resolve(guarded.reference('org/app:v1'))).rejects.toMatchObject({
      reason: 'RegistryDenied',
      message: expect.stringContaining('403 DENIED'),
    });
    const asked = guarded.requests.filter(({ path }) => path.includes('/manifests/'));
    expect(asked.map(({ method }) => method)).toEqual(given.methods);
  });

  test('by digest, another digest is a mismatch', async () => {
    const headers = {
      'docker-content-digest': `sha256:${'a'.repeat(64)}`,
      'content-type': MEDIA_TYPE.ociManifest,
      'content-length': '5',
    };
    fake.intercept = () => ({ status: 200, headers });
    await expect(registry.resolve(withDigest(reference, digest))).rejects.toMatchObject({
      reason: 'DigestMismatch',
      retry: 'backoff',
    });
  });
});

describe('slow registries', () => {
  const drip =
    (bytes: Buffer, everyMs: number): FakeAnswer =>
    (response) => {
      response.writeHead(200, { 'content-length': String(content.length), 'content-type': 'application/octet-stream' });
      let at = 0;
      const timer = setInterval(() => response.write(bytes.subarray(at, (at += 1))), everyMs);
      response.on('close', () => clearInterval(timer));
    };

  test.each([
    { answer: (() => {}) satisfies FakeAnswer, because: 'no headers come' },
    { answer: drip(Buffer.alloc(0), 20), because: 'no body comes' },
    { answer: drip(content, 5), because: 'a byte comes every few seconds' },
  ])('a slow registry is RegistryUnavailable when $because', async ({ answer }) => {
    fake.intercept = () => answer;
    await expect(pullContent(hasty())).rejects.toMatchObject({ reason: 'RegistryUnavailable', retry: 'backoff' });
  });

  test('time that the reader takes does not count', async () => {
    // on a busy machine the registry may take a while, too
    const patient = client({ timeouts: { headersMs: 10_000, stallMs: 500, minBytesPerSecond: 1 } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of patient.pullBlob(reference, blob)) {
      if (chunks.length === 0) await new Promise((resolve) => setTimeout(resolve, 1000));
      chunks.push(chunk);
    }
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
  });

  test('an abort ends a wait for good, with its own reason', async () => {
    fake.intercept = () => () => {};
    const abort = new AbortController();
    const pending = registry.pullManifest(reference, abort.signal);
    await expect.poll(() => fake.requests.length).toBeGreaterThan(0);
    abort.abort(new RangeError('enough'));
    await expect(pending).rejects.toThrow(RangeError);
  });

  test('an abort in the middle of a blob, or of everything, has its own reason too', async () => {
    fake.intercept = () => drip(content, 5);
    for (const everything of [false, true]) {
      const abort = new AbortController();
      const other = client(everything ? { signal: abort.signal } : {});
      const pull = async () => {
        for await (const chunk of other.pullBlob(reference, blob, everything ? undefined : abort.signal)) {
          expect(chunk.length).toBeGreaterThan(0);
          abort.abort(new RangeError('enough'));
        }
      };
      await expect(pull()).rejects.toThrow(RangeError);
    }
  });
});

describe('a blob whose connection breaks', () => {
  test('a blob whose connection breaks is resumed at its last byte', async () => {
    const answers: FakeAnswer[] = [cutAt(40_000)];
    fake.intercept = ({ path }) => (path.includes('/blobs/') ? answers.shift() : undefined);
    expect((await pullContent()).equals(content)).toBe(true);
    expect(fake.requests.at(-1)?.headers.range).toMatch(/^bytes=[1-9]\d*-$/);
  });

  test('a blob whose connection breaks is read from the start if the registry knows no ranges', async () => {
    const answers: FakeAnswer[] = [cutAt(40_000), { status: 200, body: content }];
    fake.intercept = ({ path }) => (path.includes('/blobs/') ? answers.shift() : undefined);
    expect((await pullContent()).equals(content)).toBe(true);
  });

  test('a blob whose connection breaks is given up if it makes no progress', async () => {
    fake.intercept = ({ headers }) => (headers.range === undefined ? cutAt(40_000) : { status: 500 });
    await expect(pullContent()).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    expect(fake.requests.filter(({ headers }) => headers.range !== undefined).length).toBeLessThanOrEqual(3);
  });

  test('a resumed blob is a mismatch if the rest belongs to other content', async () => {
    const other = randomBytes(content.length);
    const answers: FakeAnswer[] = [cutAt(40_000), { status: 200, body: other }];
    fake.intercept = ({ path }) => (path.includes('/blobs/') ? answers.shift() : undefined);
    await expect(pullContent()).rejects.toMatchObject({ reason: 'DigestMismatch' });
  });

  test('a resumed blob is refused if another range comes back', async () => {
    const wrong = { 'content-range': `bytes 5-${content.length - 1}/${content.length}` };
    fake.intercept = ({ headers }) =>
      headers.range === undefined ? cutAt(40_000) : { status: 206, headers: wrong, body: content.subarray(5) };
    await expect(pullContent()).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  });

  test('a blob whose length is not its size is refused at once', async () => {
    fake.intercept = () => ({ status: 200, body: content.subarray(1) });
    await expect(pullContent()).rejects.toMatchObject({ reason: 'DigestMismatch' });
  });

  test('a blob beyond the limit is not requested', async () => {
    const small = client({ limits: { blobBytes: 1000 } });
    const asked = fake.requests.length;
    await expect(pullContent(small)).rejects.toMatchObject({ reason: 'ImageTooLarge' });
    expect(fake.requests.length).toBe(asked);
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'a redirect with %d to a blob store is followed, without the credentials',
    async (status) => {
      const store = await startOther(serveContent);
      const { requests } = await withPassword();
      fake.intercept = ({ headers }) =>
        headers.authorization === undefined ? undefined : redirect(`${store.url}/signed?x=1`, status);
      expect((await pullContent()).equals(content)).toBe(true);
      expect(requests.some(({ headers }) => headers.authorization !== undefined)).toBe(true);
      expect(store.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
      expect(store.requests[0]?.headers.cookie).toBeUndefined();
    },
  );

  test('a redirect on the same origin keeps the credentials', async () => {
    await withPassword();
    fake.intercept = ({ path, headers }) =>
      path.startsWith('/v2/') && headers.authorization !== undefined
        ? redirect('/elsewhere')
        : path === '/elsewhere' && headers.authorization !== undefined
          ? { status: 200, body: content }
          : undefined;
    expect((await pullContent()).equals(content)).toBe(true);
  });

  test('a redirect back to the registry does not get the credentials again', async () => {
    const store = await startOther((_request, response) => {
      response.writeHead(307, { location: `${fake.url}/back` }).end();
    });
    await withPassword();
    fake.intercept = ({ path, headers }) =>
      path === '/back'
        ? { status: 200, body: content }
        : headers.authorization === undefined
          ? undefined
          : redirect(store.url);
    expect((await pullContent()).equals(content)).toBe(true);
    expect(fake.requests.find(({ path }) => path === '/back')?.headers.authorization).toBeUndefined();
  });

  test('a refusal by the blob store does not send the credentials to its token service', async () => {
    const store = await startOther((request, response) => {
      const challenge = `Bearer realm="http://${request.headers.host}/token"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    });
    await withPassword();
    await pullContent();
    fake.intercept = () => redirect(store.url);
    await expect(pullContent()).rejects.toMatchObject({ reason: 'RegistryDenied' });
    expect(store.requests.map(({ headers, url }) => [url, headers.authorization])).toEqual([['/', undefined]]);
  });

  test('redirects in a circle are given up', async () => {
    fake.intercept = ({ path }) => redirect(path);
    const before = fake.requests.length;
    await expect(pullContent()).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    expect(fake.requests.length - before).toBe(6);
  });

  test('redirects of a write are not followed', async () => {
    const store = await startOther(serveContent);
    fake.intercept = ({ method }) => (method === 'POST' || method === 'PUT' ? redirect(store.url) : undefined);
    await expect(registry.pushBlob(reference, blobOf(randomBytes(5)))).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
    });
    await expect(registry.tag(reference, 'x')).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    expect(store.requests).toEqual([]);
  });

  test.each([
    { location: 'http://169.254.169.254/latest/meta-data', because: 'metadata of a cloud' },
    { location: 'http://[::ffff:169.254.169.254]/', because: 'the same, mapped' },
    { location: 'http://[fe80::1]/', because: 'link-local' },
    { location: 'http://2852039166/', because: 'the same as a number' },
  ])('redirects to $location are refused even from a private registry: $because', async ({ location }) => {
    fake.intercept = () => redirect(location);
    await expect(pullContent()).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
      message: expect.stringContaining('private address') as string,
    });
  });

  test('redirects with a password in the address are refused', async () => {
    const store = await startOther(serveContent);
    fake.intercept = () => redirect(store.url.replace('//', '//u:p@'));
    await expect(pullContent()).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    expect(store.requests).toEqual([]);
  });
});

describe('tokens', () => {
  test('one token is fetched for a repository and used for all later requests', async () => {
    await withTokens({ expiresIn: 300 });
    const before = tokenRequests().length;
    const other = client();
    for (let index = 0; index < 5; index += 1) await other.pullManifest(reference);
    await pullContent(other);
    expect(tokenRequests().length - before).toBe(1);
  });

  test('concurrent requests share one token', async () => {
    await withTokens();
    const before = tokenRequests().length;
    const other = client();
    await Promise.all(Array.from({ length: 8 }, () => other.pullManifest(reference)));
    expect(tokenRequests().length - before).toBe(1);
  });

  test('a request that is aborted does not take the token from others', async () => {
    await withTokens();
    const other = client();
    const abort = new AbortController();
    const held = Promise.withResolvers<ServerResponse>();
    fake.intercept = ({ path }) => (path.startsWith('/token') ? (response) => held.resolve(response) : undefined);
    const impatient = other.pullManifest(reference, abort.signal);
    await held.promise;
    const patient = other.pullManifest(reference);
    abort.abort(new RangeError('enough'));
    await expect(impatient).rejects.toThrow(RangeError);
    (await held.promise).end(JSON.stringify({ token: fakeToken(['repository:org/app:pull']) }));
    expect((await patient).digest).toBe(digest);
  });

  test('a request that is aborted before it asks for a token asks for none, whose failure it would not handle', async () => {
    challengeWith('none');
    const abort = new AbortController();
    let looks = 0;
    // The second look is for the token, after the refusal.
    const credentials = (): undefined => void ((looks += 1) === 2 && abort.abort(new RangeError('enough')));
    const impatient = client({ credentials });
    const unhandled = await unhandledDuring(() =>
      expect(impatient.pullManifest(reference, abort.signal)).rejects.toThrow(RangeError),
    );
    expect(unhandled).toEqual([]);
  });

  test('the token of one repository is not sent for another', async () => {
    await withTokens();
    await registry.pullManifest(reference);
    await expect(registry.pullManifest(fake.reference('org/other:v1'))).rejects.toMatchObject({
      reason: 'ImageNotFound',
    });
    const sent = fake.requests
      .filter(({ path }) => path.includes('org/other'))
      .map(({ headers }) => headers.authorization);
    expect(sent).toEqual([undefined, `Bearer ${fakeToken(['repository:org/other:pull'])}`]);
  });

  test('tokens are requested for the needed rights only, whatever the challenge says', async () => {
    await withTokens();
    fake.intercept = ({ path, headers }) =>
      path.startsWith('/v2/') && headers.authorization === undefined
        ? {
            status: 401,
            headers: {
              'www-authenticate': `Bearer realm="${fake.url}/token",service="fake",scope="registry:catalog:* repository:secret:pull,push,delete"`,
            },
          }
        : undefined;
    await registry.resolve(fake.reference('org/new:v1')).catch(() => {});
    const scopes = new URL(tokenRequests().at(-1)?.path ?? '', fake.url).searchParams.getAll('scope');
    expect(scopes).toEqual(['repository:org/new:pull']);
  });

  test('the credentials go to the token service, and only the token to the registry', async () => {
    await withTokens({ username: 'u', password: 'p' });
    await registry.pullManifest(reference);
    expect(tokenRequests().every(({ headers }) => headers.authorization?.startsWith('Basic '))).toBe(true);
    const others = fake.requests.filter(({ path }) => !path.startsWith('/token'));
    expect(others.every(({ headers }) => headers.authorization?.startsWith('Basic ') !== true)).toBe(true);
  });

  test('a token that expires is renewed before it is refused', async () => {
    let now = 0;
    await withTokens({ expiresIn: 100 }, { now: () => now });
    await registry.pullManifest(reference);
    const before = fake.requests.length;
    now += 95_000;
    await registry.pullManifest(reference);
    const made = fake.requests.slice(before).map(({ path }) => path.split('?')[0]);
    expect(made).toEqual(['/v2/org/app/manifests/v1', '/token', '/v2/org/app/manifests/v1']);
  });

  test.each([401, 403])('a token that is refused with %d before its time is renewed once', async (status) => {
    await withTokens({ expiresIn: 300 });
    await registry.pullManifest(reference);
    const answers: FakeAnswer[] = [{ status }];
    fake.intercept = ({ path }) => (path.startsWith('/v2/') ? answers.shift() : undefined);
    expect((await registry.pullManifest(reference)).digest).toBe(digest);
  });

  test('a registry that refuses every token is RegistryDenied after one renewal', async () => {
    await withTokens();
    await registry.pullManifest(reference);
    const challenge = { 'www-authenticate': `Bearer realm="${fake.url}/token",service="fake"` };
    fake.intercept = ({ path }) => (path.startsWith('/v2/') ? { status: 401, headers: challenge } : undefined);
    const before = fake.requests.length;
    await expect(registry.pullManifest(reference)).rejects.toMatchObject({
      reason: 'RegistryDenied',
      retry: 'backoff',
    });
    expect(fake.requests.length - before).toBe(3);
  });

  test('wrong credentials are RegistryDenied', async () => {
    await withTokens();
    const wrong = await startFake({ auth: { kind: 'bearer', username: 'u', password: 'other' } });
    await expect(registry.pullManifest(wrong.reference('a:v1'))).rejects.toMatchObject({ reason: 'RegistryDenied' });
  });

  test('without credentials an anonymous token is fetched', async () => {
    await withTokens();
    const anonymous = client();
    expect((await anonymous.pullManifest(reference)).digest).toBe(digest);
    expect(tokenRequests().at(-1)?.headers.authorization).toBeUndefined();
  });

  test('an identity token is exchanged by POST, and never sent to the registry', async () => {
    fake = await startFake({ auth: { kind: 'bearer', identityToken: 'refresh-me' } });
    const identity = client({ credentials: () => ({ kind: 'identityToken', token: 'refresh-me' }) });
    const image = buildImage({ files: new Map([['a', Buffer.from('a')]]) });
    await pushImage(identity, fake.reference('a:v1'), image);
    expect(tokenRequests().every(({ method }) => method === 'POST')).toBe(true);
    expect(JSON.stringify(fake.requests)).not.toContain('refresh-me');
  });

  test('a registry token is sent as it is', async () => {
    fake = await startFake({ auth: { kind: 'bearer' } });
    const token = fakeToken(['repository:library:pull,push']);
    repositoryOf(fake.store, 'library').blobs.set(blob.digest, content);
    const direct = client({ credentials: () => ({ kind: 'registryToken', token }) });
    expect((await collectBytes(direct.pullBlob(fake.reference('library:v1'), blob))).length).toBe(content.length);
    expect(tokenRequests()).toEqual([]);
  });

  test('changed credentials act at once', async () => {
    let password = 'wrong';
    fake = await startFake({ auth: { kind: 'bearer', username: 'u', password: 'right' } });
    repositoryOf(fake.store, 'org/app').blobs.set(blob.digest, content);
    const changing = client({ credentials: () => ({ kind: 'basic', username: 'u', password }) });
    const pull = () => collectBytes(changing.pullBlob(fake.reference('org/app:v1'), blob));
    await expect(pull()).rejects.toMatchObject({ reason: 'RegistryDenied' });
    password = 'right';
    expect((await pull()).length).toBe(content.length);
    password = 'wrong';
    await expect(pull()).rejects.toMatchObject({ reason: 'RegistryDenied' });
  });

  test('a mount requests rights on both repositories', async () => {
    await withTokens();
    await registry.mountBlob(fake.reference('org/to:v1'), blob.digest, { from: 'org/app' });
    const scopes = new URL(tokenRequests().at(-1)?.path ?? '', fake.url).searchParams.getAll('scope');
    expect(scopes).toEqual(['repository:org/app:pull', 'repository:org/to:pull,push']);
  });
});

describe('token services', () => {
  test.each([
    { realm: 'file:///etc/passwd', because: 'a file is no service' },
    { realm: 'ftp://localhost/', because: 'another protocol' },
    { realm: '/token', because: 'a path alone is no address' },
    { realm: '', because: 'an empty text is no address' },
    { realm: 'http://169.254.169.254/latest/api/token', because: 'metadata of a cloud' },
    { realm: 'http://[fd00:ec2::254]/', because: 'the same, version 6' },
  ])('token services at $realm are refused: $because', async ({ realm }) => {
    challengeWith(realm);
    await expect(client({ credentials: basic }).pullManifest(reference)).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
      retry: 'backoff',
    });
  });

  test.each([
    { status: 200, body: '{}', reason: 'RegistryUnavailable', because: 'its answer has no token' },
    { status: 200, body: 'no json', reason: 'RegistryUnavailable', because: 'its answer is no JSON' },
    { status: 200, body: 'null', reason: 'RegistryUnavailable', because: 'its answer is empty' },
    { status: 200, body: '{"token":5}', reason: 'RegistryUnavailable', because: 'its token is a number' },
    {
      status: 200,
      body: '{"token":"a b\\r\\nx: y"}',
      reason: 'RegistryUnavailable',
      because: 'its token would break a header',
    },
    {
      status: 200,
      body: JSON.stringify({ token: 'x'.repeat(100_000) }),
      reason: 'RegistryUnavailable',
      because: 'its token is huge',
    },
    { status: 200, body: 'x'.repeat(200_000), reason: 'RegistryUnavailable', because: 'its answer is huge' },
    { status: 307, body: '', reason: 'RegistryUnavailable', because: 'it redirects' },
    { status: 500, body: '', reason: 'RegistryUnavailable', because: 'it is broken' },
    { status: 429, body: '', reason: 'RegistryThrottled', because: 'it asks to slow down' },
    { status: 401, body: '', reason: 'RegistryDenied', because: 'it refuses' },
    { status: 403, body: '', reason: 'RegistryDenied', because: 'it forbids' },
    { status: 404, body: '', reason: 'RegistryDenied', because: 'it has no such service' },
  ])('a token service is $reason when $because', async ({ status, body, reason }) => {
    const other = await startOther((_request, response) => {
      response.writeHead(status, { location: fake.url }).end(body);
    });
    challengeWith(other.url);
    const asked = client({ credentials: basic }).pullManifest(reference);
    await expect(asked).rejects.toMatchObject({ reason, message: expect.stringContaining('token') as string });
  });

  test.each([
    { because: 'the other field is empty', fields: (token: string) => ({ token: '', access_token: token }) },
    { because: 'the other field is null', fields: (token: string) => ({ token: null, access_token: token }) },
    { because: 'both fields hold it', fields: (token: string) => ({ token, access_token: token }) },
    { because: 'it has no end', fields: (token: string) => ({ token, expires_in: null }) },
  ])('a token is taken as $because', async ({ fields }) => {
    fake = await startFake({ auth: { kind: 'bearer' } });
    repositoryOf(fake.store, 'org/app').blobs.set(blob.digest, content);
    const body = JSON.stringify(fields(fakeToken(['repository:org/app:pull'])));
    fake.intercept = ({ path }) => (path.startsWith('/token') ? { status: 200, body } : undefined);
    const pulled = await collectBytes(client().pullBlob(fake.reference('org/app:v1'), blob));
    expect(pulled.length).toBe(content.length);
  });

  test('token services with a password in their address are not asked', async () => {
    const other = await startOther((_request, response) => void response.end('{"token":"t"}'));
    challengeWith(other.url.replace('//', '//u:p@'));
    await expect(client().pullManifest(reference)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    expect(other.requests).toEqual([]);
  });

  test('token services on another host get the credentials once', async () => {
    const other = await startOther((_request, response) => void response.end('{"access_token":"t"}'));
    challengeWith(other.url);
    await expect(client({ credentials: basic }).pullManifest(reference)).rejects.toMatchObject({
      reason: 'RegistryDenied',
    });
    expect(other.requests.length).toBe(1);
  });
});

describe('lists of tags', () => {
  test('a page of tags that leads to itself is detected', async () => {
    fake.intercept = ({ path }) => page(['a'], `<${path}>; rel="next"`);
    await expect(registry.listTags(reference)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  });

  test('endless pages of tags are cut', async () => {
    let count = 0;
    fake.intercept = () => page([`t${count}`], `</v2/x/tags/list?last=${(count += 1)}>; rel="next"`);
    const bounded = client({ limits: { pages: 20 } });
    await expect(bounded.listTags(reference)).rejects.toMatchObject({ reason: 'ImageTooLarge' });
    expect(count).toBe(21);
  });

  test('more tags than the limit are refused', async () => {
    fake.intercept = () => page(Array.from({ length: 101 }, (_, index) => `t${index}`));
    await expect(client({ limits: { tags: 100 } }).listTags(reference)).rejects.toMatchObject({
      reason: 'ImageTooLarge',
    });
  });

  test('a page of tags on another host is requested of the registry itself', async () => {
    const other = await startOther((_request, response) => void response.end('{"tags":["evil"]}'));
    fake.intercept = ({ path }) =>
      path.endsWith('?last=a') ? page(['b']) : page(['a'], `<${other.url}/v2/x/tags/list?last=a>; rel="next"`);
    expect(await registry.listTags(reference)).toEqual(['a', 'b']);
    expect(other.requests).toEqual([]);
  });

  test('a list of tags is no shorter if its next page is nowhere', async () => {
    fake.intercept = () => page(['a'], '<https://other.example/tags>; rel="next"');
    await expect(registry.listTags(reference)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  });

  test('each tag is listed once, and invalid tags are left out', async () => {
    fake.intercept = () =>
      page(['v1.0.0', '1.0.0', 'v1.0.0', '1.0.0_build', 'a b', '\u001b[31m', 5, null, '', 'x'.repeat(129)]);
    expect(await registry.listTags(reference)).toEqual(['v1.0.0', '1.0.0', '1.0.0_build']);
  });

  test.each([
    { body: '{"tags":null}', want: [] },
    { body: '{"tags":[]}', want: [] },
  ])('$body is an empty list', async ({ body, want }) => {
    fake.intercept = () => ({ status: 200, body });
    expect(await registry.listTags(reference)).toEqual(want);
  });

  test.each(['{}', '[]', 'null', '{"tags":"x"}', '<html>'])('a list of tags is refused: %s', async (body) => {
    fake.intercept = () => ({ status: 200, body });
    await expect(registry.listTags(reference)).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });
});

describe('referrers', () => {
  test('several pages of referrers are one list', async () => {
    fake.intercept = ({ path }) =>
      path.endsWith('?p=2') ? index([entry('2')]) : index([entry('1')], { link: `<${path}?p=2>; rel="next"` });
    expect((await registry.referrers(subject())).map(({ digest }) => digest)).toEqual([
      entry('1').digest,
      entry('2').digest,
    ]);
  });

  test.each([
    { because: 'the registry keeps an empty list', path: '/referrers/' },
    { because: 'a tag holds an empty list', path: '/manifests/' },
  ])('a list of null has no referrers: $because', async ({ path: place }) => {
    const body = JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPE.ociIndex, manifests: null });
    const headers = { 'content-type': MEDIA_TYPE.ociIndex };
    fake.intercept = ({ path }) => (path.includes(place) ? { status: 200, headers, body } : { status: 404 });
    expect(await registry.referrers(subject())).toEqual([]);
  });

  test.each([
    `${MEDIA_TYPE.ociIndex}; charset=utf-8`,
    `${MEDIA_TYPE.ociIndex} ; charset=utf-8`,
    MEDIA_TYPE.ociIndex.replace('vnd.oci', 'vnd.OCI'),
  ])('a list of referrers may have the type %s', async (type) => {
    fake.intercept = ({ path }) =>
      path.includes('/referrers/') ? index([entry('1')], { 'content-type': type }) : { status: 404 };
    expect(await registry.referrers(subject())).toHaveLength(1);
  });

  test('a list of referrers is no shorter if its next page is missing', async () => {
    for (const status of [403, 404, 406]) {
      fake.intercept = ({ path }) =>
        path.endsWith('?p=2') ? { status } : index([entry('1')], { link: `<${path}?p=2>; rel="next"` });
      await expect(registry.referrers(subject())).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    }
  });

  test('pages of referrers in a circle, and thousands of entries, are refused', async () => {
    fake.intercept = ({ path }) => index([entry('1')], { link: `<${path}>; rel="next"` });
    await expect(registry.referrers(subject())).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    fake.intercept = () => index(Array.from({ length: 51 }, (_, i) => entry(`${i}`)));
    await expect(client({ limits: { referrers: 50 } }).referrers(subject())).rejects.toMatchObject({
      reason: 'ImageTooLarge',
    });
  });

  test('pages of referrers that are too long together are refused', async () => {
    const note = { annotations: { note: 'x'.repeat(1000) } };
    fake.intercept = ({ path }) => {
      const at = Number(/p=(\d+)$/.exec(path)?.[1] ?? 0);
      const link = `<${path.split('?')[0]}?p=${at + 1}>; rel="next"`;
      return index([{ ...entry(`${at}`), ...note }], at < 4 ? { link } : {});
    };
    await expect(client({ limits: { referrerBytes: 4000 } }).referrers(subject())).rejects.toMatchObject({
      reason: 'ImageTooLarge',
    });
    expect(await client({ limits: { referrerBytes: 8000 } }).referrers(subject())).toHaveLength(5);
  });

  test.each([
    { because: 'the registry keeps the list', path: '/referrers/' },
    { because: 'a tag holds the list', path: '/manifests/' },
  ])('of an annotation of a referrer only the type of its statement is kept: $because', async ({ path: place }) => {
    const type = 'dev.sigstore.bundle.predicateType';
    const [told, long] = ['https://slsa.dev/provenance/v1', 'x'.repeat(2000)];
    fake.intercept = ({ path }) =>
      path.includes(place)
        ? index([
            { ...entry('1'), annotations: { [type]: told, note: long } },
            { ...entry('2'), annotations: { [type]: long } },
          ])
        : { status: 404 };
    const { mediaType: _, ...kept } = entry('1');
    expect(await registry.referrers(subject())).toEqual([
      { ...kept, predicateType: told },
      { ...kept, digest: entry('2').digest },
    ]);
  });

  test('a registry that ignores the type filter is filtered here', async () => {
    fake.intercept = () => index([entry('1', 'a/b'), entry('2', 'c/d')]);
    const listed = await registry.referrers(subject(), { artifactType: 'c/d' });
    expect(listed.map(({ digest }) => digest)).toEqual([entry('2').digest]);
  });

  test.each([
    { answer: { status: 404 }, because: 'the registry has no such API' },
    { answer: { status: 405 }, because: 'the registry answers with another error' },
    { answer: { status: 406 }, because: 'the registry takes it for a kind of content that it does not have' },
    {
      answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      because: 'a page for people comes back',
    },
  ])('the tag replaces the referrers API when $because', async ({ answer }) => {
    fake.intercept = ({ path }) =>
      path.includes('/referrers/')
        ? answer
        : path.includes(`/manifests/${digest.replace(':', '-')}`)
          ? index([entry('tag')])
          : undefined;
    expect((await registry.referrers(subject())).map(({ digest }) => digest)).toEqual([entry('tag').digest]);
  });

  test('the tag replaces the referrers API when the registry sends to a page elsewhere, which refuses', async () => {
    for (const status of [403, 404, 429]) {
      const elsewhere = await startOther((_request, response) => void response.writeHead(status).end());
      fake.intercept = ({ path }) =>
        path.includes('/referrers/')
          ? redirect(elsewhere.url, 303)
          : path.includes(`/manifests/${digest.replace(':', '-')}`)
            ? index([entry('tag')])
            : undefined;
      expect((await registry.referrers(subject())).map(({ digest }) => digest)).toEqual([entry('tag').digest]);
    }
  });

  test.each([
    { readable: true, want: [], because: 'the image can be read, so there is no such tag' },
    { readable: false, want: 'RegistryDenied', because: 'the image cannot be read either' },
  ])('a referrers tag that is refused means $want, as $because', async ({ readable, want }) => {
    const tag = digest.replace(':', '-');
    fake.intercept = ({ path }) => {
      if (path.includes('/referrers/')) return { status: 404 };
      if (path.endsWith(tag) || (!readable && path.includes('/manifests/'))) return { status: 403 };
      return undefined;
    };
    const listed = await registry.referrers(subject()).catch((error: unknown) => (error as ReasonedError).reason);
    expect(listed).toEqual(want);
  });

  test.each([
    { tagged: [entry('tag')], want: [entry('tag').digest], because: 'the tag lists some' },
    { tagged: [], want: 'RegistryDenied', because: 'the tag lists none' },
    { tagged: undefined, want: 'RegistryDenied', because: 'there is no tag' },
  ])('a referrers API that is refused means $want, as $because', async ({ tagged, want }) => {
    fake.intercept = ({ path }) => {
      if (path.includes('/referrers/')) return { status: 403 };
      if (!path.endsWith(digest.replace(':', '-'))) return undefined;
      return tagged === undefined ? { status: 403 } : index(tagged);
    };
    const listed = await registry.referrers(subject()).then(
      (found) => found.map((one) => one.digest),
      (error: unknown) => (error as ReasonedError).reason,
    );
    expect(listed).toEqual(want);
  });

  test('a list under the tag that cannot be read now is no refusal, though the referrers API is refused', async () => {
    fake.intercept = ({ path }) => {
      if (path.includes('/referrers/')) return { status: 403 };
      return path.endsWith(digest.replace(':', '-')) ? { status: 500 } : undefined;
    };
    await expect(registry.referrers(subject())).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  });

  test('an abort while the tag is read has its own reason, though the referrers API is refused', async () => {
    const abort = new AbortController();
    fake.intercept = ({ path }) => {
      if (path.includes('/referrers/')) return { status: 403 };
      abort.abort(new RangeError('enough'));
      return undefined;
    };
    await expect(registry.referrers(subject(), { signal: abort.signal })).rejects.toThrow('enough');
  });

  test('a failing referrers API is an error, not an empty list', async () => {
    fake.intercept = ({ path }) => (path.includes('/referrers/') ? { status: 500 } : undefined);
    await expect(registry.referrers(subject())).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  });

  test('a referrers tag that is no list is an error, not an empty list', async () => {
    fake.intercept = ({ path }) => (path.includes('/referrers/') ? { status: 404 } : undefined);
    const image = buildImage({ files: new Map([['x', Buffer.from('x')]]) });
    await pushImage(registry, { ...reference, tag: digest.replace(':', '-') }, image);
    await expect(registry.referrers(subject())).rejects.toMatchObject({ reason: 'ImageInvalid' });
  });
});

describe('uploads', () => {
  test.each([
    { location: undefined, because: 'the registry names no location' },
    { location: 'http://[', because: 'it names an invalid location' },
    { location: 'ftp://localhost/', because: 'it names another protocol' },
    { location: 'http://169.254.169.254/', because: 'it names a metadata service' },
  ])('uploads are refused when $because', async ({ location }) => {
    fake.intercept = ({ method }) =>
      method === 'POST' ? { status: 202, headers: location === undefined ? {} : { location } } : undefined;
    await expect(registry.pushBlob(reference, blobOf(randomBytes(5)))).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
    });
  });

  test('uploads to another host go without the credentials', async () => {
    const other = await startOther((request, response) => {
      request.resume();
      response.writeHead(201).end();
    });
    fake = await startFake({ auth: { kind: 'basic', username: 'u', password: 'p' } });
    const pusher = client({ credentials: () => ({ kind: 'basic', username: 'u', password: 'p' }) });
    fake.intercept = ({ method, headers }) =>
      method === 'POST' && headers.authorization !== undefined
        ? { status: 202, headers: { location: `${other.url}/up?s=1` } }
        : undefined;
    const pushed = blobOf(randomBytes(5));
    expect(await pusher.pushBlob(fake.reference('a:v1'), pushed)).toBe('uploaded');
    expect(other.requests.map(({ headers, url }) => [headers.authorization, url])).toEqual([
      [undefined, `/up?s=1&digest=${encodeURIComponent(pushed.digest)}`],
    ]);
  });

  test('uploads in chunks continue if the registry lost count', async () => {
    const bytes = randomBytes(10_000);
    let lost = false;
    fake.intercept = ({ method, path }) => {
      if (method !== 'PATCH' || lost || fake.store.uploads.size === 0) return undefined;
      lost = true;
      // The first half of the chunk arrived before the connection of an earlier try broke.
      const id = /uploads\/([^?]+)/.exec(path)?.[1] ?? '';
      fake.store.uploads.set(id, bytes.subarray(0, 2000));
      return undefined;
    };
    expect(await registry.pushBlob(reference, blobOf(bytes), { chunkBytes: 4000 })).toBe('uploaded');
    expect(repositoryOf(fake.store, 'org/app').blobs.get(digestOf(bytes))?.equals(bytes)).toBe(true);
  });

  test('uploads use the smallest chunk that the registry accepts', async () => {
    fake.intercept = ({ method, path }) => {
      if (method !== 'POST') return undefined;
      fake.store.uploads.set('id', Buffer.alloc(0));
      return { status: 202, headers: { location: path.split('?')[0] + 'id', 'oci-chunk-min-length': '6000' } };
    };
    await registry.pushBlob(reference, blobOf(randomBytes(10_000)), { chunkBytes: 1000 });
    const sizes = fake.requests
      .filter(({ method }) => method === 'PATCH')
      .map(({ headers }) => headers['content-length']);
    expect(sizes).toEqual(['6000', '4000']);
  });

  test('uploads of content that is shorter than announced fail', async () => {
    const short = { digest: digestOf(Buffer.from('ab')), size: 5, open: () => blobOf(Buffer.from('ab')).open() };
    await expect(registry.pushBlob(reference, short)).rejects.toBeInstanceOf(Error);
    expect(await registry.hasBlob(reference, short.digest)).toBe(false);
  });

  test('uploads fail if the registry names another digest', async () => {
    fake.intercept = ({ method, path }) =>
      method === 'PUT' && path.includes('/manifests/')
        ? { status: 201, headers: { 'docker-content-digest': `sha256:${'a'.repeat(64)}` } }
        : undefined;
    await expect(registry.tag(reference, 'x')).rejects.toMatchObject({ reason: 'DigestMismatch' });
  });
});

describe('connections', () => {
  test('connections are kept and reused', async () => {
    for (let index = 0; index < 10; index += 1) await registry.pullManifest(reference);
    await pullContent();
    expect(new Set(fake.requests.map(({ port }) => port)).size).toBe(1);
  });

  test('connections that the other side closed are replaced at once', async () => {
    await registry.pullManifest(reference);
    let cut = false;
    fake.intercept = () => {
      if (cut) return undefined;
      cut = true;
      return (response) => response.destroy();
    };
    expect((await registry.pullManifest(reference)).digest).toBe(digest);
  });
});
