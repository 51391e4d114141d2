/** The registries of the manager are reached through a proxy if its variables name one. */
import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { reachOf } from '../../oci/address.ts';
import { buildImage, pushImage } from '../../oci/build.ts';
import { createRegistry, type Registry } from '../../oci/registry.ts';
import { startFakeRegistry } from '../../oci/testing/fake-registry.ts';
import { startProxy } from '../../oci/testing/proxy.ts';
import { createRegistries } from '../../controllers/registries.ts';
import { parseOptions } from './options.ts';
import { registryOptions } from './registry-options.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const toThisMachine: LookupFunction = (_name, options, callback) => {
  const found = { address: '127.0.0.1', family: 4 };
  return options.all === true ? callback(null, [found]) : callback(null, found.address, found.family);
};

/** A registry, and the manager's client for it, to which its name leads with and without the proxy. */
async function startScene(variables: Readonly<Record<string, string>>) {
  const [proxy, fake] = [await startProxy(), await startFakeRegistry()];
  stops.push(
    () => proxy.close(),
    () => fake.close(),
  );
  const author = createRegistry();
  await pushImage(author, fake.reference('team/app:v1'), buildImage({ files: new Map() }));
  author.close();
  const host = fake.host.replace('localhost', 'registry.example');
  const env = { HTTP_PROXY: proxy.url, SLIPWAY_PLAIN_HTTP: host, ...variables };
  const registries = createRegistries({
    namespace: 'slipway-system',
    cluster: { get: async () => undefined },
    registry: { ...registryOptions(parseOptions([], env)), network: { lookup: toThisMachine, reachOf } },
  });
  const client: Registry = registries(undefined);
  stops.push(() => client.close());
  return { proxy, host, client };
}

describe('the registries of the manager', () => {
  test('are reached through the proxy that HTTP_PROXY names', async () => {
    const { proxy, host, client } = await startScene({});
    await client.resolve({ registry: host, repository: 'team/app', tag: 'v1' });
    expect(proxy.seen.map(({ target }) => target)).toEqual([host]);
  });

  test('are reached without it if NO_PROXY names them', async () => {
    const { proxy, host, client } = await startScene({ NO_PROXY: 'other.internal,.example' });
    await client.resolve({ registry: host, repository: 'team/app', tag: 'v1' });
    expect(proxy.seen).toEqual([]);
  });

  test('are reached without TLS and over a proxy only as each variable says', async () => {
    const { proxy, host, client } = await startScene({ HTTP_PROXY: '', HTTPS_PROXY: 'http://127.0.0.1:1' });
    await client.resolve({ registry: host, repository: 'team/app', tag: 'v1' });
    expect(proxy.seen).toEqual([]);
  });

  test.each(['proxy.example:3128', 'HTTP://proxy.example:3128', 'http://proxy.example:3128/'])(
    'are reached through a proxy in the spelling %s, of a flag or a variable',
    (text) => {
      const variable = parseOptions([], { HTTPS_PROXY: text });
      for (const options of [variable, parseOptions(['--https-proxy', text], {})])
        expect([options['https-proxy'], options.warnings]).toEqual(['http://proxy.example:3128/', []]);
    },
  );

  test.each(['socks5://u:secret@proxy.example', 'http://', 'http://u:secret@proxy.example:99999'])(
    'are reached without a proxy if the variable of all Pods names none that can be used, with a warning: %s',
    (text) => {
      const { warnings, ...options } = parseOptions([], { HTTPS_PROXY: text, HTTP_PROXY: 'proxy.example' });
      expect([options['https-proxy'], options['http-proxy']]).toEqual([undefined, 'http://proxy.example/']);
      expect(warnings).toEqual([expect.stringMatching(/^HTTPS_PROXY is ignored.*http:\/\/host:port/)]);
      expect(JSON.stringify(warnings)).not.toContain('secret');
    },
  );

  test.each(['socks5://proxy.example', 'http://'])('a flag that names no proxy is refused at the start: %s', (text) => {
    const refused = expect.objectContaining({ reason: 'InvalidConfiguration' });
    expect(() => parseOptions(['--https-proxy', text], { HTTPS_PROXY: 'proxy.example' })).toThrow(refused);
  });
});
