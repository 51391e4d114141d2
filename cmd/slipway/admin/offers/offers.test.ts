import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FakeApi } from '../../../../kube/testing/fake-api.ts';
import { useFakeCluster } from '../testing/fake-cluster.ts';

const bundle = (version: string) => ({
  schema: 'olm.bundle',
  package: 'gadget',
  name: `gadget.v${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'gadget', version } }],
});
const PACKAGES = [
  { schema: 'olm.package', name: 'gadget', defaultChannel: 'stable', description: 'Makes\n  gadgets.' },
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'alpha', description: '\u001b[2JLights a room.' },
];
const CHANNELS = [
  { schema: 'olm.channel', package: 'gadget', name: 'stable', entries: [{ name: 'gadget.v1.0.0' }, { name: 'gadget.v1.10.0', replaces: 'gadget.v1.0.0', skips: ['gadget.v1.9.0'] }, { name: 'gadget.v1.9.0' }] }, // prettier-ignore
  { schema: 'olm.channel', package: 'gadget', name: 'fast', entries: [{ name: 'gadget.v1.10.0' }] },
];
const BUNDLES = [bundle('1.0.0'), bundle('1.9.0'), bundle('1.10.0'), bundle('odd')];
const cluster = useFakeCluster();
let manager: Server;
let url: string;
/** How the manager answers. */
let status: number;

function answerTo(path: string): string {
  const { searchParams } = new URL(path, 'http://manager');
  const documents: readonly Readonly<Record<string, unknown>>[] = [...PACKAGES, ...CHANNELS, ...BUNDLES];
  const chosen = documents.filter((one) => [...searchParams].every(([field, value]) => one[field] === value));
  return chosen.map((one) => `${JSON.stringify(one)}\n`).join('');
}

beforeAll(async () => {
  manager = createServer((request, response) => {
    response.writeHead(status).end(status === 200 ? answerTo(request.url ?? '') : '');
  });
  await new Promise<void>((done) => manager.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(manager.address() as AddressInfo).port}`;
});
afterAll(() => manager.close());
beforeEach(() => {
  status = 200;
});

/** The API server forwards to the manager. */
function forward(api: FakeApi): () => void {
  return api.fault(({ path, query }, response) => {
    const [, rest] = /\/namespaces\/slipway-system\/services\/http:slipway-manager:http\/proxy(\/.*)$/.exec(path) ?? [];
    if (rest === undefined) return false;
    response.writeHead(200).end(answerTo(`${rest}?${query.toString()}`));
    return true;
  });
}

describe('the packages that Catalogs offer', () => {
  test('are read through the API server, without another address', async () => {
    const { api, run } = cluster();
    const stop = forward(api);
    const [all, one, found, none] = [await run('list'), await run('list', 'gadget'), await run('search', 'ROOM'), await run('search', 'boat')]; // prettier-ignore
    stop();
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout).toMatch(
      /^PACKAGE .*\ngadget +stable +gadget\.v1\.10\.0 +team +ops\/gadget 1\.0\.0, home\/lamp \(none\) +Makes gadgets\.\nlamp /,
    );
    expect(one.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['VERSION', '1.10.0', '1.9.0', '1.0.0', 'odd', '']); // prettier-ignore
    expect(found.stdout).toContain('Lights a room.');
    expect(found.stdout).not.toMatch(/[^\P{Cc}\n]/u);
    expect(none).toMatchObject({ code: 2, stdout: 'No package has "boat" in its name or description\n' });
  });

  test('are read from the address that is named', async () => {
    const { run } = cluster();
    const { stdout } = await run('list', '--manager-url', url, '-o', 'json');
    expect((JSON.parse(stdout) as { packages: readonly object[] }).packages).toHaveLength(2);
  });

  test('are completed by name, channel and Catalog', async () => {
    const { alone } = cluster();
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const common = ['--kubeconfig', 'kubeconfig', '--context', 'two'];
      const { stdout } = await alone('__complete', '--', ...words.slice(0, 1), ...common, ...words.slice(1));
      return stdout.split('\n').filter((line) => line !== '');
    };
    const stop = forward(cluster().api);
    expect(await complete('install', 'g')).toEqual(['gadget']);
    expect(await complete('install', 'gadget', '--channel', '')).toEqual(['fast', 'stable']);
    expect(await complete('upgrade', 'gadget', '--channel', 'f')).toEqual(['fast']);
    stop();
  });
});

describe('a Catalog that cannot be read is named, with a way to read it', () => {
  test('the API server does not forward', async () => {
    const { code, stdout, stderr } = await cluster().run('list');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: CatalogUnavailable: Catalog team cannot be read through the API server/);
    expect(stderr).toContain('port-forward service/slipway-manager');
  });

  test('nothing listens at the address', async () => {
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, '127.0.0.1', done));
    const { port } = closed.address() as AddressInfo;
    await new Promise<void>((done) => void closed.close(() => done()));
    const { code, stderr } = await cluster().run('list', '--manager-url', `http://127.0.0.1:${port}`);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `slipway: CatalogUnavailable: Catalog team cannot be read: 127.0.0.1:${port}: the connection`,
    );
  });

  test.each(['here', 'file:///etc', 'ftp://host'])('%s is no address', async (address) => {
    const { stderr } = await cluster().run('list', '--manager-url', address);
    expect(stderr).toMatch(/^slipway: InputInvalid: --manager-url .*\n {2}Write http:/);
  });

  test.each([
    { code: 401, says: 'slipway catalog list REF' },
    { code: 404, says: 'slipway get catalogs' },
  ])('the manager answers with $code', async ({ code, says }) => {
    status = code;
    const { stderr } = await cluster().run('list', '--manager-url', url);
    expect(stderr).toContain(`the manager answers with ${code}`);
    expect(stderr).toContain(says);
  });

  test.each([
    { because: 'a Catalog that is not', args: ['list', '--catalog', 'taem'], says: 'Did you mean team?' },
    { because: 'a package that is not', args: ['list', 'gadgte'], says: 'Did you mean gadget?' },
  ])('$because', async ({ args, says }) => {
    const { code, stderr } = await cluster().run(...args, '--manager-url', url);
    expect(code).toBe(1);
    expect(stderr).toContain('slipway: InputInvalid: ');
    expect(stderr).toContain(says);
  });
});
