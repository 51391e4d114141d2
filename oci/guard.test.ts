/**
 * The addresses that are connected to, with real sockets: 127.0.0.N stand for addresses elsewhere, and each row gives
 * the addresses of a name, look-up by look-up.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6, type LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import type { Network, Reach } from './address.ts';
import { digestOf } from './digest.ts';
import { DEFAULT_TIMEOUTS } from './http-body.ts';
import { parseReference } from './reference.ts';
import { createRegistry, type Registry, type RegistryOptions } from './registry.ts';
import { createTransport } from './transport.ts';

const PLACES: Readonly<Record<Reach, string>> = {
  public: '127.0.0.2',
  private: '127.0.0.3',
  linkLocal: '127.0.0.4',
  loopback: '127.0.0.1',
};

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Each look-up of a name takes the next answer; the last one stays. */
function networkOf(names: Readonly<Record<string, readonly (readonly string[])[]>>): Network {
  const asked = new Map<string, number>();
  const lookup: LookupFunction = (hostname, _options, callback) => {
    const answers = names[hostname] ?? [];
    const count = asked.get(hostname) ?? 0;
    asked.set(hostname, count + 1);
    const answer = answers[Math.min(count, answers.length - 1)];
    if (answer === undefined) return callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);
    callback(
      null,
      answer.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
    );
  };
  const reachOf = (address: string): Reach =>
    (Object.keys(PLACES) as Reach[]).find((reach) => PLACES[reach] === address) ?? 'linkLocal';
  return { lookup, reachOf };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Place {
  readonly port: number;
  readonly asked: string[];
  connections(): number;
}

async function listen(reach: Reach, answer: Answer, port = 0): Promise<Place> {
  const asked: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  server.on('connection', () => (connections += 1));
  server.listen(port, PLACES[reach]);
  await once(server, 'listening');
  stops.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, asked, connections: () => connections };
}

function registryOver(network: Network, options: RegistryOptions = {}): Registry {
  const registry = createRegistry({ plainHttp: () => true, network, ...options });
  stops.push(() => registry.close());
  return registry;
}

const ok: Answer = (_request, response) => void response.end('{}');
const BLOB = { digest: digestOf(Buffer.from('{}')), size: 2 };

async function pull(registry: Registry, host: string): Promise<unknown> {
  try {
    return await text(registry.pullBlob(parseReference(`${host}/org/app:v1`), BLOB));
  } catch (error) {
    return (error as { reason?: string }).reason;
  }
}

const REFUSED = 'RegistryUnavailable';

describe('a redirect of a registry', () => {
  test.each([
    { source: [PLACES.public], target: [PLACES.public], got: '{}', because: 'both are public' },
    { source: [PLACES.public], target: [PLACES.private], got: REFUSED, because: 'it leads inside from outside' },
    { source: [PLACES.private], target: [PLACES.private], got: '{}', because: 'both are inside' },
    {
      source: [PLACES.public, PLACES.private],
      target: [PLACES.private],
      got: REFUSED,
      because: 'the registry answered from outside, though its name has an address inside too',
    },
    {
      source: [PLACES.public, PLACES.linkLocal],
      target: [PLACES.linkLocal],
      got: REFUSED,
      because: 'the registry answered from outside, though its name has a link-local address too',
    },
    {
      source: [PLACES.public],
      target: ['fe80::1', PLACES.linkLocal],
      got: REFUSED,
      because: 'all addresses of both families are link-local',
    },
    {
      source: [PLACES.public],
      target: ['fe80::1', PLACES.public],
      got: '{}',
      because: 'of several families the public address is connected to',
    },
    {
      source: [PLACES.private],
      target: [PLACES.linkLocal],
      got: REFUSED,
      because: 'a metadata service is no place for content',
    },
  ])('a redirect from $source to $target gives $got: $because', async ({ source, target, got }) => {
    const network = networkOf({ 'registry.test': [source], 'target.test': [target] });
    const there = await Promise.all((['public', 'private', 'linkLocal'] as const).map((reach) => listen(reach, ok)));
    const at = there.find((_, index) => target.includes(PLACES[(['public', 'private', 'linkLocal'] as const)[index]!]));
    const redirect: Answer = (_request, response) =>
      void response.writeHead(307, { location: `http://target.test:${at?.port}/x` }).end();
    const home = await listen(source[0] === PLACES.private ? 'private' : 'public', redirect);
    expect(await pull(registryOver(network), `registry.test:${home.port}`)).toBe(got);
    expect(there.reduce((sum, place) => sum + place.connections(), 0)).toBe(got === REFUSED ? 0 : 1);
  });

  test('a redirect that has passed a public place leads no nearer', async () => {
    const network = networkOf({
      'inside.test': [[PLACES.private]],
      'outside.test': [[PLACES.public]],
      'secret.test': [[PLACES.private]],
    });
    const secret = await listen('private', ok);
    const outside = await listen('public', (_request, response) => {
      response.writeHead(307, { location: `http://secret.test:${secret.port}/x` }).end();
    });
    const inside = await listen('private', (_request, response) => {
      response.writeHead(307, { location: `http://outside.test:${outside.port}/x` }).end();
    });
    expect(await pull(registryOver(network), `inside.test:${inside.port}`)).toBe(REFUSED);
    expect(secret.connections()).toBe(0);
  });

  test('a redirect is judged by the address that it leads to now, not by an earlier one of the name', async () => {
    const secret = await listen('private', ok);
    const before = await listen('public', ok, secret.port);
    const network = networkOf({
      'registry.test': [[PLACES.public]],
      'rebound.test': [[PLACES.public], [PLACES.private]],
    });
    const home = await listen('public', (_request, response) => {
      response.writeHead(307, { location: `http://rebound.test:${secret.port}/x` }).end();
    });
    const registry = registryOver(network);
    expect(await pull(registry, `registry.test:${home.port}`)).toBe('{}');
    // A connection read to its end may stay open: it is still the one to the public address.
    expect([REFUSED, '{}']).toContain(await pull(registry, `registry.test:${home.port}`));
    expect(before.connections()).toBeGreaterThan(0);
    expect(secret.connections()).toBe(0);
  });
});

describe('a token service', () => {
  test.each([
    { at: 'public', got: '{}', because: 'it is public, as the registry is' },
    { at: 'private', got: REFUSED, because: 'a public registry sends for tokens inside' },
    { at: 'linkLocal', got: REFUSED, because: 'a public registry sends for tokens to a metadata service' },
  ] as const)('a token service at $at gives $got: $because', async ({ at, got }) => {
    const network = networkOf({
      'registry.test': [[PLACES.public, PLACES[at]]],
      'token.test': [[PLACES[at]]],
    });
    const token = await listen(at, (_request, response) => void response.end('{"token":"abc"}'));
    const home = await listen('public', ({ headers }, response) => {
      if (headers.authorization === 'Bearer abc') return void response.end('{}');
      const realm = `Bearer realm="http://token.test:${token.port}/token",service="x"`;
      response.writeHead(401, { 'www-authenticate': realm }).end();
    });
    expect(await pull(registryOver(network), `registry.test:${home.port}`)).toBe(got);
    expect(token.connections()).toBe(got === REFUSED ? 0 : 1);
  });
});

describe('a link-local address', () => {
  const network = networkOf({
    'metadata.test': [[PLACES.linkLocal]],
    'both.test': [[PLACES.linkLocal, PLACES.public]],
  });

  test.each(['metadata.test', PLACES.linkLocal])(
    'a link-local address is not connected to, though a reference names it: %s',
    async (host) => {
      const metadata = await listen('linkLocal', ok);
      expect(await pull(registryOver(network), `${host}:${metadata.port}`)).toBe(REFUSED);
      const { port } = metadata;
      expect(metadata.connections()).toBe(0);
      expect(await pull(registryOver(network, { linkLocalAddresses: 'allow' }), `${host}:${port}`)).toBe('{}');
    },
  );

  test('link-local addresses of a name are left out', async () => {
    const metadata = await listen('linkLocal', ok);
    const home = await listen('public', ok, metadata.port);
    expect(await pull(registryOver(network), `both.test:${home.port}`)).toBe('{}');
    expect(metadata.connections()).toBe(0);
  });
});

test('a connection to a named registry is not reused when another registry points to the same host', async () => {
  const network = networkOf({ 'inside.test': [[PLACES.private]] });
  const inside = await listen('private', ok);
  const transport = createTransport({ timeouts: DEFAULT_TIMEOUTS, userAgent: 'test', network });
  stops.push(() => transport.close());
  const url = new URL(`http://inside.test:${inside.port}/x`);
  await text((await transport.send({ method: 'GET', url })).body);
  const pointed = transport.send({ method: 'GET', url, pointedToFrom: 'public' });
  await expect(pointed).rejects.toMatchObject({ reason: REFUSED });
  expect(inside.asked).toEqual(['/x']);
});
