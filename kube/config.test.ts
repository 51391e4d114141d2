import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileSource, inClusterConfig, readPodNamespace } from './config.ts';
import { loadKubeconfig, parseKubeconfig } from './kubeconfig.ts';
import { createManualClock } from './manual-clock.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('files that rotate', () => {
  test('a file is read again after a minute, and at once when asked for', async () => {
    const clock = createManualClock();
    write('token', 'one\n');
    const source = fileSource(join(folder, 'token'), { clock });
    expect(await source()).toBe('one');
    write('token', 'two\n');
    clock.advance(59);
    expect(await source()).toBe('one');
    clock.advance(1);
    expect(await source()).toBe('two');
    write('token', 'three');
    expect(await source({ fresh: true })).toBe('three');
  });

  test('a file that is away for a moment leaves the last text in use', async () => {
    write('token', 'one');
    const source = fileSource(join(folder, 'token'));
    await source();
    rmSync(join(folder, 'token'));
    expect(await source({ fresh: true })).toBe('one');
  });

  test('a file that was never there is ApiUnavailable', async () => {
    await expect(fileSource(join(folder, 'none'))()).rejects.toMatchObject({
      reason: 'ApiUnavailable',
      retry: 'backoff',
    });
  });
});

test('a Pod finds server, token, authority and namespace in its mount', async () => {
  write('token', 'secret');
  write('ca.crt', 'PEM');
  write('namespace', 'ops\n');
  const { server, token, ca } = inClusterConfig({ host: 'fd00::1', port: '443', folder });
  expect(server).toBe('https://[fd00::1]:443');
  expect([await token?.(), typeof ca === 'function' && (await ca())]).toEqual(['secret', 'PEM']);
  expect(await readPodNamespace(folder)).toBe('ops');
});

function text(user: object, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'one',
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u' } },
      { name: 'two', context: { cluster: 'c', user: 'u', namespace: 'ops' } },
      { name: 'broken', context: { cluster: 'none', user: 'u' } },
    ],
    clusters: [
      { name: 'c', cluster: { server: 'https://localhost:1', 'certificate-authority-data': btoa('CA'), ...cluster } },
    ],
    users: [{ name: 'u', user }],
  });
}

describe('kubeconfig', () => {
  test('a user with a client certificate', () => {
    const user = { 'client-certificate-data': btoa('CERT'), 'client-key-data': btoa('KEY') };
    const { config, namespace } = parseKubeconfig(text(user), { folder });
    expect(config).toEqual({ server: 'https://localhost:1', ca: 'CA', clientCert: 'CERT', clientKey: 'KEY' });
    expect(namespace).toBe('default');
  });

  test('a user with a token, in another context than the current one', async () => {
    const { config, namespace } = parseKubeconfig(text({ token: 'secret' }), { folder, context: 'two' });
    expect([await config.token?.(), namespace]).toEqual(['secret', 'ops']);
  });

  test('files are relative to the kubeconfig, and a token file wins over a token', async () => {
    write(
      'kubeconfig',
      text({ token: 'old', tokenFile: 'token' }, { 'certificate-authority-data': '', 'certificate-authority': 'ca' }),
    );
    write('token', 'new');
    write('ca', 'CA file');
    const { config } = await loadKubeconfig(join(folder, 'kubeconfig'));
    expect(await config.token?.()).toBe('new');
    expect(typeof config.ca === 'function' && (await config.ca())).toBe('CA file');
  });

  test.each([
    { source: '{', because: 'it is no YAML' },
    { source: 'a: 1', because: 'it has no contexts' },
    { source: text({ exec: { command: 'helper' } }), because: 'it would run a program' },
    { source: text({ username: 'u', password: 'p' }), because: 'basic auth is gone' },
    { source: text({ as: 'admin' }), because: 'it would act as somebody else' },
    {
      source: text({ token: 't' }, { 'insecure-skip-tls-verify': true }),
      because: 'it would send the token to anybody',
    },
  ])('is refused where $because', ({ source }) => {
    expect(() => parseKubeconfig(source, { folder })).toThrow(
      expect.objectContaining({ reason: 'KubeconfigInvalid', retry: 'never' }) as Error,
    );
  });

  test.each(['broken', 'none'])('a context that leads nowhere is refused: %s', (context) => {
    expect(() => parseKubeconfig(text({ token: 't' }), { folder, context })).toThrow(
      expect.objectContaining({ reason: 'KubeconfigInvalid' }) as Error,
    );
  });

  test('a file that is not there is refused', async () => {
    await expect(loadKubeconfig(join(folder, 'none'))).rejects.toMatchObject({ reason: 'KubeconfigInvalid' });
  });
});
