import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectionConfig } from '../transport/config.ts';
import { startFakeApi, type FakeApi, type SeenRequest } from '../testing/fake-api.ts';
import { createFakeCertificate } from '../testing/fake-certificate.ts';
import { clusterEntry, kubeconfigText } from '../testing/kubeconfig-text.ts';
import { createTransport } from '../transport/transport.ts';
import { loadKubeconfig, type Kubeconfig, type KubeconfigOptions } from './kubeconfig.ts';

let folder: string;
let api: FakeApi;

beforeAll(async () => {
  api = await startFakeApi();
});
afterAll(() => api.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-kubeconfig-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const parse = (text: string, options?: KubeconfigOptions): Promise<Kubeconfig> =>
  loadKubeconfig(write('kubeconfig', text), options);

async function request(config: ConnectionConfig, headers: Record<string, string> = {}): Promise<SeenRequest> {
  const transport = createTransport(config);
  await transport.request({ method: 'GET', path: '/api/v1/namespaces', headers });
  transport.close();
  return api.requests.at(-1) as SeenRequest;
}

describe('the connection of a kubeconfig context', () => {
  test('a user with a client certificate connects', async () => {
    const user = { 'client-certificate-data': btoa('CERT'), 'client-key-data': btoa('KEY') };
    const { config, namespace } = await parse(kubeconfigText(user));
    expect(config).toEqual({ server: 'https://localhost:1', ca: 'CA', clientCert: 'CERT', clientKey: 'KEY' });
    expect(namespace).toBe('default');
  });

  test('a user with a token connects in another context than the current one', async () => {
    const { config, namespace } = await parse(kubeconfigText({ token: 'secret' }), { context: 'two' });
    expect([await config.token?.(), namespace]).toEqual(['secret', 'ops']);
  });

  test('a context without a user is anonymous', async () => {
    const { config } = await parse(kubeconfigText({ token: 'secret' }), { context: 'anonymous' });
    expect(config).toEqual({ server: 'https://localhost:1', ca: 'CA' });
  });

  test('file paths are relative to the kubeconfig, and a token file wins over a token', async () => {
    write('token', 'new');
    write('ca', 'CA file');
    const { config } = await parse(
      kubeconfigText(
        { token: 'old', tokenFile: 'token' },
        { 'certificate-authority-data': '', 'certificate-authority': 'ca' },
      ),
    );
    expect(await config.token?.()).toBe('new');
    expect(typeof config.ca === 'function' && (await config.ca())).toBe('CA file');
  });

  test('a mistake in an entry that the context does not name is harmless', async () => {
    const file = JSON.parse(kubeconfigText({ token: 'secret' })) as { users: object[] };
    file.users.push({ name: 'other', user: { exec: { command: 5 } } });
    expect(await (await parse(JSON.stringify(file))).config.token?.()).toBe('secret');
  });

  test('a token in the file wins over a plugin, which does not run', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/nowhere/plugin' };
    const { config } = await parse(kubeconfigText({ token: 'secret', exec }, clusterEntry(api.config)));
    expect((await request(config)).headers.authorization).toBe('Bearer secret');
  });
});

describe('files of KUBECONFIG are merged as kubectl merges them', () => {
  const entry = (name: string, token: string, current?: string): string =>
    JSON.stringify({
      ...(current !== undefined && { 'current-context': current }),
      contexts: [{ name, context: { cluster: name, user: 'shared' } }],
      clusters: [{ name, cluster: { server: `https://${name}:1`, 'certificate-authority': 'ca' } }],
      users: [{ name: 'shared', user: { token } }],
    });

  test.each([
    { because: 'the first current-context wins', files: [['b'], ['a', 'b']], server: 'https://b:1', token: '0' },
    {
      because: 'a file may have no current-context',
      files: [
        ['a', undefined],
        ['b', 'b'],
      ],
      server: 'https://b:1',
      token: '0',
    },
    {
      because: 'the caller chooses a context',
      files: [
        ['a', 'a'],
        ['b', 'b'],
      ],
      context: 'b',
      server: 'https://b:1',
      token: '0',
    },
    { because: 'a file may be missing', files: [['b', 'b']], missing: true, server: 'https://b:1', token: '0' },
  ])('$because', async ({ files, context, missing, server, token }) => {
    const paths = files.map(([name = '', current], index) =>
      write(`${index}/config`, entry(name, String(index), files[0]?.length === 1 && index === 0 ? 'b' : current)),
    );
    const { config } = await loadKubeconfig(missing === true ? [join(folder, 'none'), ...paths] : paths, { context });
    expect([config.server, await config.token?.()]).toEqual([server, token]);
  });

  test('paths are relative to the file that has the entry', async () => {
    write('0/ca', 'first');
    write('1/ca', 'second');
    const paths = [write('0/config', entry('a', 'x', 'b')), write('1/config', entry('b', 'y'))];
    const { config } = await loadKubeconfig(paths);
    expect(typeof config.ca === 'function' && (await config.ca())).toBe('second');
  });

  test('lists that Go writes as null are empty', async () => {
    const empty = write('empty', JSON.stringify({ contexts: null, clusters: null, users: null }));
    const { config } = await loadKubeconfig([empty, write('full', kubeconfigText({ token: 't' }))]);
    expect(await config.token?.()).toBe('t');
  });

  test('an empty file has no entries', async () => {
    const { config } = await loadKubeconfig([write('empty', ''), write('full', kubeconfigText({ token: 't' }))]);
    expect(await config.token?.()).toBe('t');
  });
});

describe('a request takes from the kubeconfig', () => {
  test('requests carry the user to act as from the kubeconfig, with groups, uid and extra fields', async () => {
    const user = {
      token: 'secret',
      as: 'jane',
      'as-uid': '7',
      'as-groups': ['admins', 'staff'],
      'as-user-extra': { 'example.com/scope': ['read', 'write'] },
    };
    const { config } = await parse(kubeconfigText(user, clusterEntry(api.config)));
    expect((await request(config)).headers).toMatchObject({
      authorization: 'Bearer secret',
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': 'admins, staff',
      'impersonate-extra-example.com%2fscope': 'read, write',
    });
  });

  test('a request that names a user to act as ignores the one of the kubeconfig', async () => {
    const user = { token: 'secret', as: 'jane', 'as-groups': ['admins'] };
    const { config } = await parse(kubeconfigText(user, clusterEntry(api.config)));
    const { headers } = await request(config, { 'impersonate-user': 'joe' });
    expect(headers['impersonate-user']).toBe('joe');
    expect(headers).not.toHaveProperty('impersonate-group');
  });

  test('insecure-skip-tls-verify accepts a certificate of any authority', async () => {
    const cluster = { server: api.config.server, 'certificate-authority-data': '' };
    const strict = await parse(kubeconfigText({ token: 't' }, cluster));
    await expect(request(strict.config)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    const lax = await parse(kubeconfigText({ token: 't' }, { ...cluster, 'insecure-skip-tls-verify': true }));
    expect((await request(lax.config)).headers.authorization).toBe('Bearer t');
  });

  test('tls-server-name sets the expected name in the certificate', async () => {
    const cluster = clusterEntry(api.config);
    const wrong = await parse(kubeconfigText({ token: 't' }, { ...cluster, 'tls-server-name': 'example.com' }));
    await expect(request(wrong.config)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
    const right = await parse(kubeconfigText({ token: 't' }, { ...cluster, 'tls-server-name': 'localhost' }));
    expect((await request(right.config)).path).toBe('/api/v1/namespaces');
  });

  test('proxy-url sets the proxy of the cluster', async () => {
    const asked: (string | undefined)[] = [];
    const proxy = createServer().on('connect', (incoming, socket) => {
      asked.push(incoming.url);
      const { hostname, port } = new URL(`http://${incoming.url}`);
      const server = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      server.pipe(socket).pipe(server);
      for (const end of [server, socket]) end.on('error', () => server.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { config } = await parse(kubeconfigText({ token: 't' }, { ...clusterEntry(api.config), 'proxy-url': url }));
    expect((await request(config)).headers.authorization).toBe('Bearer t');
    expect(asked).toEqual([new URL(config.server).host]);
    proxy.close();
  });

  test('the client certificate is sent', async () => {
    const { cert, key } = await createFakeCertificate();
    const user = { 'client-certificate-data': btoa(cert), 'client-key-data': btoa(key) };
    const { config } = await parse(kubeconfigText(user, clusterEntry(api.config)));
    expect((await request(config)).clientSerial).toMatch(/^[0-9A-F]+$/);
  });
});

describe('an invalid kubeconfig is refused with the file, the entry and the next step', () => {
  const token = { token: 't' };
  test.each([
    { source: '{', names: ['kubeconfig'], because: 'it is no YAML' },
    { source: 'just text', names: ['kubeconfig'], because: 'it is no map' },
    { source: 'a: 1', names: ['current-context'], because: 'it has no contexts' },
    { source: kubeconfigText({ exec: {} }), names: ['"u"', 'exec.command'], because: 'the plugin has no command' },
    { source: kubeconfigText({ token: 5 }), names: ['"u"', 'token'], because: 'a field has the wrong type' },
    { source: kubeconfigText({ username: 'u', password: 'p' }), names: ['"u"'], because: 'basic auth was removed' },
    { source: kubeconfigText({ 'as-groups': ['a'] }), names: ['"u"', 'as-groups'], because: 'groups need a user' },
    {
      source: kubeconfigText({ 'auth-provider': { name: 'gcp' } }),
      names: ['"u"', 'gcp'],
      because: 'the setting was removed',
    },
    {
      source: kubeconfigText({
        exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x' },
        'auth-provider': { name: 'oidc' },
      }),
      names: ['"u"', 'auth-provider'],
      because: 'two credential sources contradict each other',
    },
    {
      source: kubeconfigText(token, { 'insecure-skip-tls-verify': true }),
      names: ['"c"', 'insecure-skip-tls-verify'],
      because: 'a certificate authority that is never checked is a mistake',
    },
    {
      source: kubeconfigText(token, { 'proxy-url': 'socks5://localhost:1' }),
      names: ['"c"', 'proxy-url'],
      because: 'the proxy protocol is not supported',
    },
    {
      source: kubeconfigText(token),
      context: 'broken',
      names: ['"broken"', '"none"'],
      because: 'the cluster is missing',
    },
    { source: kubeconfigText(token), context: 'nobody', names: ['"nobody"', '"none"'], because: 'the user is missing' },
    { source: kubeconfigText(token), context: 'none', names: ['"none"'], because: 'the context is missing' },
  ])('$because', async ({ source, context, names }) => {
    const error = (await parse(source, { context }).catch((thrown: unknown) => thrown)) as Error & { hint?: string };
    expect(error).toMatchObject({ reason: 'KubeconfigInvalid', retry: 'never', hint: expect.stringMatching(/\S/) });
    for (const name of [folder, ...names]) expect(error.message).toContain(name);
  });

  test('a missing kubeconfig file is reported', async () => {
    await expect(loadKubeconfig(join(folder, 'none'))).rejects.toMatchObject({ reason: 'KubeconfigInvalid' });
    await expect(loadKubeconfig(['a', 'b'].map((name) => join(folder, name)))).rejects.toMatchObject({
      reason: 'KubeconfigInvalid',
      message: expect.stringContaining(folder),
    });
  });
});
