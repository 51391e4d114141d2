import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { createServer, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../kube/testing/eventually.ts';
import { reachOf } from './address.ts';
import { buildImage, pushImage } from './build.ts';
import { startFakeRegistry } from './testing/fake-registry.ts';
import { startProxy } from './testing/proxy.ts';
import { DEFAULT_TIMEOUTS } from './http-body.ts';
import { createTransport } from './transport.ts';
import { isLoopbackName } from './host.ts';
import { createRegistry, type RegistryOptions } from './registry.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const DAY_MS = 24 * 3600_000;

interface CertificateFacts {
  readonly name?: string;
  readonly until?: number;
}

/** A self-signed certificate, by default for `localhost` until tomorrow. */
async function selfSigned({ name = 'localhost', until = Date.now() + DAY_MS }: CertificateFacts = {}) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    notBefore: new Date(until - 2 * DAY_MS),
    notAfter: new Date(until),
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}

async function ask(tls: { cert: string; key: string }, options: RegistryOptions) {
  const fake = await startFakeRegistry({ tls });
  const registry = createRegistry({ plainHttp: () => false, ...options });
  stops.push(
    () => fake.close(),
    () => registry.close(),
  );
  const digest = await pushImage(
    registry,
    fake.reference('org/app:v1'),
    buildImage({ files: new Map([['a', Buffer.from('a')]]) }),
  );
  return { digest, fake, registry };
}

describe('a host that a public registry points to', () => {
  test.each(['localhost', '127.0.0.1'])(
    'a host that a public registry points to is not contacted when it is %s',
    async (host) => {
      const fake = await startFakeRegistry();
      const transport = createTransport({ timeouts: DEFAULT_TIMEOUTS, userAgent: 'test' });
      stops.push(
        () => fake.close(),
        () => transport.close(),
      );
      const url = new URL(fake.url.replace('localhost', host));
      const refused = transport.send({ method: 'GET', url, pointedToFrom: 'public' });
      await expect(refused).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
      expect(fake.requests).toEqual([]);
      await expect(transport.send({ method: 'GET', url, pointedToFrom: 'loopback' })).resolves.toBeDefined();
    },
  );
});

describe('TLS', () => {
  test('a configured authority is trusted, beside others', async () => {
    const [tls, other] = [await selfSigned(), await selfSigned({ name: 'other.example' })];
    await expect(ask(tls, { ca: tls.cert })).resolves.toBeDefined();
    await expect(ask(tls, { ca: [other.cert, tls.cert] })).resolves.toBeDefined();
  });

  test('an authority is trusted for the repositories that it is for, and for no other', async () => {
    const tls = await selfSigned();
    const { fake, registry } = await ask(tls, {
      connection: ({ repository }) => ({ plainHttp: false, ...(repository.startsWith('org/') && { ca: tls.cert }) }),
    });
    await expect(registry.resolve(fake.reference('org/app:v1'))).resolves.toBeDefined();
    const other = registry.resolve(fake.reference('other/app:v1'));
    await expect(other).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  });

  test('a connection that is refused sends no request', async () => {
    const tls = await selfSigned();
    const { fake } = await ask(tls, { ca: tls.cert });
    const refusal = new Error('a policy refuses it');
    const registry = createRegistry({ connection: () => Promise.reject(refusal) });
    stops.push(() => registry.close());
    const asked = fake.requests.length;
    await expect(registry.resolve(fake.reference('org/app:v1'))).rejects.toBe(refusal);
    expect(fake.requests.length).toBe(asked);
  });

  test.each([
    { facts: {}, trusted: false, because: 'no known authority signed the certificate' },
    { facts: { until: Date.now() - DAY_MS }, trusted: true, because: 'the certificate has expired' },
    { facts: { until: Date.now() + 30 * DAY_MS }, trusted: true, because: 'the certificate is not valid yet' },
    { facts: { name: 'other.example' }, trusted: true, because: 'the certificate is for another name' },
  ])('a registry is RegistryUnavailable when $because', async ({ facts, trusted }) => {
    const tls = await selfSigned(facts);
    await expect(ask(tls, trusted ? { ca: tls.cert } : {})).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
      retry: 'backoff',
    });
  });

  test('a certificate for another name is refused with both names', async () => {
    const tls = await selfSigned({ name: 'other.example' });
    await expect(ask(tls, { ca: tls.cert })).rejects.toMatchObject({
      message: expect.stringContaining('the certificate is for other.example, not for localhost'),
      hint: expect.stringContaining('issue the certificate for this name'),
    });
  });

  test('a connection that is refused is reported with the address that was tried', async () => {
    const registry = createRegistry({ plainHttp: () => true });
    stops.push(() => registry.close());
    const reference = { registry: '127.0.0.1:1', repository: 'org/app', tag: 'v1' };
    await expect(registry.resolve(reference)).rejects.toMatchObject({
      message: expect.stringContaining('the connection to 127.0.0.1:1 is refused'),
    });
  });

  test('a redirect from https to http is refused', async () => {
    const tls = await selfSigned();
    const plain = await startFakeRegistry();
    stops.push(() => plain.close());
    const { fake, registry } = await ask(tls, { ca: tls.cert });
    fake.intercept = () => ({ status: 307, headers: { location: `${plain.url}/x` } });
    await expect(registry.pullManifest(fake.reference('org/app:v1'))).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
    });
    expect(plain.requests).toEqual([]);
  });

  test('a token service without https is refused by a registry with it', async () => {
    const tls = await selfSigned();
    const plain = await startFakeRegistry({ auth: { kind: 'bearer' } });
    stops.push(() => plain.close());
    const { fake, registry } = await ask(tls, { ca: tls.cert });
    fake.intercept = () => ({ status: 401, headers: { 'www-authenticate': `Bearer realm="${plain.url}/token"` } });
    await expect(registry.pullManifest(fake.reference('org/app:v1'))).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
    });
    expect(plain.requests).toEqual([]);
  });

  test('plain HTTP is used only if allowed', async () => {
    const plain = await startFakeRegistry();
    const registry = createRegistry({ plainHttp: () => false });
    stops.push(
      () => plain.close(),
      () => registry.close(),
    );
    await expect(registry.resolve(plain.reference('a:v1'))).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    expect(plain.requests).toEqual([]);
  });

  test.each([
    ['localhost', true],
    ['localhost:5000', true],
    ['registry.localhost:5000', true],
    ['127.0.0.1:5000', true],
    ['[::1]:5000', true],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['quay.io', false],
    ['10.0.0.1:5000', false],
  ])('%s is this machine: %s', (name, local) => {
    expect(isLoopbackName(name)).toBe(local);
  });
});

/** Every name leads to this machine. */
const THIS_MACHINE = {
  lookup: ((_name, options, callback) => {
    const found = { address: '127.0.0.1', family: 4 };
    return options.all === true ? callback(null, [found]) : callback(null, found.address, found.family);
  }) as LookupFunction,
  reachOf,
};

describe('a proxy', () => {
  test('a proxy is used as its variables say, with its password, also for names that only it resolves', async () => {
    const { seen, url, close } = await startProxy();
    stops.push(close);
    const tls = await selfSigned({ name: 'registry.example' });
    const fake = await startFakeRegistry({ tls });
    const registry = createRegistry({ plainHttp: () => false, ca: tls.cert, proxyEnv: { HTTPS_PROXY: url } });
    stops.push(
      () => fake.close(),
      () => registry.close(),
    );
    const host = fake.host.replace('localhost', 'registry.example');
    const reference = { ...fake.reference(`r${randomBytes(3).toString('hex')}/app:v1`), registry: host };
    await pushImage(registry, reference, buildImage({ files: new Map([['a', Buffer.from('a')]]) }));
    expect(seen[0]).toEqual({ target: host, authorization: `Basic ${Buffer.from('u:p').toString('base64')}` });
    expect(JSON.stringify(fake.requests)).not.toContain('proxy-authorization');
  });

  test.each(['registry.example', '*', 'other.example, .example', 'example', 'registry.example:PORT'])(
    'a proxy is not used for hosts in NO_PROXY=%s',
    async (noProxy) => {
      const { seen, url, close } = await startProxy();
      stops.push(close);
      const fake = await startFakeRegistry();
      const host = fake.host.replace('localhost', 'registry.example');
      const proxyEnv = { HTTP_PROXY: url, NO_PROXY: noProxy.replace('PORT', host.split(':')[1] ?? '') };
      const registry = createRegistry({ plainHttp: () => true, network: THIS_MACHINE, proxyEnv });
      stops.push(
        () => fake.close(),
        () => registry.close(),
      );
      await pushImage(registry, { registry: host, repository: 'a', tag: 'v1' }, buildImage({ files: new Map() }));
      expect(seen).toEqual([]);
      expect(fake.requests).not.toEqual([]);
    },
  );

  test.each(['localhost', 'kind.localhost', '127.0.0.1'])(
    'this machine is never asked for through one: %s',
    async (name) => {
      const { seen, url, close } = await startProxy();
      const fake = await startFakeRegistry();
      const registry = createRegistry({ network: THIS_MACHINE, proxyEnv: { HTTP_PROXY: url, HTTPS_PROXY: url } });
      stops.push(
        close,
        () => fake.close(),
        () => registry.close(),
      );
      const host = fake.host.replace('localhost', name);
      await pushImage(registry, { registry: host, repository: 'a', tag: 'v1' }, buildImage({ files: new Map() }));
      expect(seen).toEqual([]);
      expect(fake.requests).not.toEqual([]);
    },
  );

  test.each(['without its scheme', 'in capitals'])(
    'the address of a proxy has other spellings: %s',
    async (spelling) => {
      const { seen, url, close } = await startProxy();
      const fake = await startFakeRegistry();
      const HTTP_PROXY = url.replace('http://', spelling === 'in capitals' ? 'HTTP://' : '');
      const registry = createRegistry({ plainHttp: () => true, proxyEnv: { HTTP_PROXY } });
      stops.push(
        close,
        () => fake.close(),
        () => registry.close(),
      );
      const host = fake.host.replace('localhost', 'registry.example');
      await pushImage(registry, { registry: host, repository: 'a', tag: 'v1' }, buildImage({ files: new Map() }));
      expect(seen.map(({ target }) => target)).toContain(host);
    },
  );

  test('a host in NO_PROXY is resolved here, and judged by its address: link-local ones are refused', async () => {
    const { seen, url, close } = await startProxy();
    stops.push(close);
    const network = {
      lookup: ((_name, options, callback) => {
        const found = { address: '169.254.169.254', family: 4 };
        return options.all === true ? callback(null, [found]) : callback(null, found.address, found.family);
      }) as LookupFunction,
      reachOf,
    };
    const proxyEnv = { HTTP_PROXY: url, NO_PROXY: 'metadata.example' };
    const registry = createRegistry({ plainHttp: () => true, network, proxyEnv });
    stops.push(() => registry.close());
    const refused = { reason: 'RegistryUnavailable', message: expect.stringContaining('link-local') };
    await expect(registry.resolve({ registry: 'metadata.example', repository: 'a', tag: 'v1' })).rejects.toMatchObject(
      refused,
    );
    expect(seen).toEqual([]);
  });

  test('a registry in NO_PROXY may lead to its own network, as without a proxy', async () => {
    const { seen, url, close } = await startProxy();
    stops.push(close);
    const storage = await startFakeRegistry();
    const fake = await startFakeRegistry();
    stops.push(
      () => storage.close(),
      () => fake.close(),
    );
    const registry = createRegistry({ proxyEnv: { HTTP_PROXY: url, NO_PROXY: 'localhost,127.0.0.1' } });
    stops.push(() => registry.close());
    const image = buildImage({ files: new Map([['a', Buffer.from('a')]]) });
    for (const one of [fake, storage]) await pushImage(registry, one.reference('org/app:v1'), image);
    const storagePort = storage.host.split(':')[1];
    fake.intercept = ({ path }) =>
      path.includes('/manifests/')
        ? { status: 307, headers: { location: `http://127.0.0.1:${storagePort}${path}` } }
        : undefined;
    for (const _ of ['a new connection', 'a kept one'])
      expect((await registry.pullManifest(fake.reference('org/app:v1'))).digest).toBe(image.manifest.descriptor.digest);
    expect(seen).toEqual([]);
  });

  test('a registry without TLS is reached through the proxy too', async () => {
    const { seen, url, close } = await startProxy();
    const fake = await startFakeRegistry();
    const registry = createRegistry({ plainHttp: () => true, proxyEnv: { HTTP_PROXY: url } });
    stops.push(
      close,
      () => fake.close(),
      () => registry.close(),
    );
    const host = fake.host.replace('localhost', 'registry.example');
    await pushImage(registry, { registry: host, repository: 'a', tag: 'v1' }, buildImage({ files: new Map() }));
    expect(seen.map(({ target }) => target)).toContain(host);
  });

  test('a proxy that accepts the connection and does not answer is RegistryUnavailable', async () => {
    const open = new Set<Socket>();
    const silent = createServer((socket) => void open.add(socket.on('close', () => open.delete(socket)).resume()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const proxyEnv = { HTTPS_PROXY: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const registry = createRegistry({ timeouts: { headersMs: 100 }, proxyEnv });
    stops.push(
      () => silent.close(),
      () => registry.close(),
    );
    const reference = { registry: 'registry.example', repository: 'a', tag: 'v1' };
    await expect(registry.resolve(reference)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    const abort = new AbortController();
    const asked = registry.resolve(reference, abort.signal);
    await eventually(() => open.size > 0);
    abort.abort(new RangeError('enough'));
    await expect(asked).rejects.toThrow('enough');
    await eventually(() => open.size === 0);
  });

  test('a proxy that is down is RegistryUnavailable', async () => {
    const registry = createRegistry({ proxyEnv: { HTTPS_PROXY: 'http://127.0.0.1:1' } });
    stops.push(() => registry.close());
    const reference = { registry: 'registry.example', repository: 'a', tag: 'v1' };
    await expect(registry.resolve(reference)).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('a request ends in its time', () => {
  /** A registry that sends this, and nothing more. */
  async function startSending(answer: string, options: RegistryOptions) {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket.on('close', () => open.delete(socket)).on('error', () => undefined));
      socket.once('data', () => socket.write(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const registry = createRegistry(options);
    stops.push(
      () => server.close(),
      () => open.forEach((socket) => socket.destroy()),
      () => registry.close(),
    );
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { registry, open, reference: { registry: host, repository: 'org/app', tag: 'v1' } };
  }

  test('although the registry answers by another protocol', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n';
    const { registry, open, reference } = await startSending(answer, { timeouts: { headersMs: 60_000 } });
    await expect(registry.pullManifest(reference)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    await eventually(() => open.size === 0);
  });

  test('although all connections to the registry are in use: by its limit, and by its signal', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n';
    const { registry, open, reference } = await startSending(head, { timeouts: { headersMs: 300, stallMs: 60_000 } });
    const busy = new AbortController();
    const others = Array.from({ length: 16 }, () => registry.pullManifest(reference, busy.signal));
    const ended = Promise.allSettled(others);
    await eventually(() => open.size === 16);
    const stop = new AbortController();
    const stopped = registry.pullManifest(reference, stop.signal);
    stop.abort(new RangeError('enough'));
    await expect(stopped).rejects.toThrow('enough');
    await expect(registry.pullManifest(reference)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    busy.abort(new Error('over'));
    await ended;
  });
});
