import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { makeFiles, type BundleParts } from '../../bundles/testing/bundle.ts';
import { buildImage, pushImage } from '../../oci/build.ts';
import { createRegistry, type Registry } from '../../oci/registry.ts';
import { loadCurrent, loadFound } from './load.ts';
import { createCatalogScene, type CatalogScene, type FakeManager } from './testing/scene.ts';

let scene: CatalogScene;
let manager: FakeManager;

beforeEach(async () => {
  scene = await createCatalogScene();
  manager = scene.start();
});
afterEach(() => scene[Symbol.asyncDispose]());

const MANY_VALUES = `[{"type":"a","value":[${'0,'.repeat(600_000)}0]}]`;

async function push(tag: string, parts: BundleParts, repository = 'hub'): Promise<void> {
  const client = createRegistry();
  await pushImage(client, scene.registry.reference(`${repository}:${tag}`), buildImage({ files: makeFiles(parts) }));
  client.close();
}

/** Another repository, with one bundle, is added to the spec. */
async function addRepository(): Promise<void> {
  await push('v1.0.0', {}, 'other');
  const repositories = ['hub', 'other'].map((name) => ({ repository: `${scene.registry.host}/${name}` }));
  scene.change({ source: { repositories } });
}

/** A repository whose tags are no bundles: their digests make the content all the same. */
const offered = (one: FakeManager): number | undefined => one.content.get('hub')?.index.counts.bundles;

describe('loading the content of repositories', () => {
  beforeEach(async () => {
    await scene.publish('v1.0.0', ['first']);
    scene.change({ source: { repositories: [{ repository: `${scene.registry.host}/hub` }] } });
    await manager.lead();
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });

  test('the content of repositories has a digest over all tags, and no time of build', () => {
    expect(scene.catalog().status?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(scene.catalog().status).not.toHaveProperty('created');
  });

  test('after a repository was added the status says that content is read, and the earlier content is served', async () => {
    await addRepository();
    const seen = new Set<unknown>();
    scene.registry.intercept = ({ path }) => {
      if (path.includes('/other/blobs/')) seen.add([scene.condition('Ready')?.reason, offered(manager)].join());
      return undefined;
    };
    await manager.lead();
    expect([...seen]).toEqual(['Progressing,0']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(offered(manager)).toBe(1);
  });

  test.each([
    { because: 'the current content is asked for', ask: loadCurrent },
    { because: 'earlier content is asked for', ask: loadFound },
  ])('the requests that are left of an attempt are ended when one has failed: $because', async ({ ask }) => {
    const asked: AbortSignal[] = [];
    const down = new ReasonedError({ reason: 'RegistryUnavailable', retry: 'backoff', message: 'down' });
    const registry = {
      listTags: async () => Array.from({ length: 100 }, (_, minor) => `1.${minor}.0`),
      resolve: ({ tag = '' }, signal: AbortSignal) => {
        asked.push(signal);
        return tag === '1.3.0' ? Promise.reject(down) : Promise.withResolvers<never>().promise;
      },
    } as unknown as Registry;
    const deps = { content: manager.content, registries: () => registry, checkSignatures: async () => undefined };
    const { signal } = new AbortController();
    const request = { digest: `sha256:${'0'.repeat(64)}`, signal, beforePull: async () => undefined };
    await expect(ask(deps, scene.catalog(), request)).rejects.toBe(down);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.filter(({ aborted }) => !aborted)).toEqual([]);
  });

  test('a defect while an added repository is read stays in the status, and has one event', async () => {
    await addRepository();
    Object.assign(manager.content, { load: () => Promise.reject(new Error('database or disk is full')) });
    for (const _attempt of [1, 2]) await expect(manager.lead()).rejects.toThrow('disk is full');
    expect(scene.events.filter(({ reason }) => reason === 'InternalError')).toHaveLength(1);
  });

  test('a package stays with the repository that offers it, when one before it in the spec claims it', async () => {
    const nameOf = (one: string): { repository: string } => ({ repository: `${scene.registry.host}/${one}` });
    await push('v1.0.0', {}, 'owner');
    scene.change({ source: { repositories: ['hub', 'owner'].map(nameOf) } });
    await manager.lead();
    await scene.publish('v1.0.0', ['none']);
    await push('v9.0.0', { metadata: { name: 'gadget-operator.v9.0.0' }, spec: { version: '9.0.0' } }, 'hub');
    scene.request('now');
    await manager.lead();
    const [own] = manager.content.get('hub')?.index.packages() ?? [];
    const bundles = manager.content.get('hub')?.index.package(own?.name ?? '')?.bundles ?? [];
    expect(bundles.map(({ image }) => image.split('@')[0])).toEqual([nameOf('owner').repository]);
    const told = expect.stringMatching(/^Several repositories claim one package: .* is offered by .*\/owner, and .*\/hub claims it too\. To decide, set package/) as string; // prettier-ignore
    expect(scene.events.findLast(({ reason }) => reason === 'BundleInvalid')?.note).toEqual(told);
    expect(scene.condition('Ready')?.message).toContain('Several repositories claim one package');
  });

  test('each request for one of many versions has the time of a pull for itself', async () => {
    const before = manager.pulls();
    for (const minor of [1, 2, 3]) await scene.publish(`v1.${minor}.0`, ['next']);
    scene.request('now');
    await manager.lead();
    // the list of tags, and the digest of each of them
    expect(manager.pulls() - before).toBeGreaterThanOrEqual(5);
  });

  test('an event names the tags that are not offered, once for each content; the status goes on to name them', async () => {
    const told = () => scene.events.filter(({ reason }) => reason === 'BundleInvalid');
    const names = expect.stringMatching(/These tags are not offered as versions: .*hub:v1\.0\.0 \(/) as string;
    expect(told()).toMatchObject([{ type: 'Warning', note: names }]);
    for (const one of [manager, scene.start()]) {
      scene.request(`by ${one === manager}`);
      await one.lead();
      expect(told()).toHaveLength(1);
      expect(scene.condition('Ready')).toMatchObject({ status: 'True', message: names });
    }
  });

  test.each([
    { because: 'its name is longer than any', parts: { name: 'n'.repeat(513) } },
    { because: 'it has too many values', parts: { annotations: { 'olm.properties': MANY_VALUES } } },
  ])('a bundle that a catalog may not have is left out, and the others are offered: $because', async ({ parts }) => {
    await push('v1.1.0', { spec: { version: '1.1.0' } });
    await push('v1.2.0', { spec: { version: '1.2.0' }, metadata: { name: 'gadget-operator.v1.2.0', ...parts } });
    scene.request('now');
    await manager.lead();
    expect(offered(manager)).toBe(1);
    const told = scene.events.findLast(({ reason }) => reason === 'BundleInvalid');
    expect(told?.note).toMatch(/hub:v1\.2\.0 \(/);
  });

  test('a suspended Catalog with an empty folder builds its content again from the same tags', async () => {
    scene.change({ suspend: true });
    const fresh = scene.start();
    expect(await fresh.lead()).toBeUndefined();
    expect(fresh.content.get('hub')?.digest).toBe(scene.catalog().status?.digest);
  });

  test('a suspended Catalog builds no content from tags that were moved since its suspension', async () => {
    scene.change({ suspend: true });
    await scene.publish('v1.1.0', ['second']);
    const fresh = scene.start();
    expect(await fresh.lead()).toMatchObject({ reason: 'CatalogUnavailable', retry: 'backoff' });
    expect(offered(fresh)).toBeUndefined();
    expect(scene.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'Suspended',
      message: expect.stringContaining('Set spec.suspend to false'),
    });
  });

  test('a replica that does not lead, with an empty folder, serves the current tags', async () => {
    await scene.publish('v1.1.0', ['second']);
    const follower = scene.start();
    expect(await follower.follow()).toBeUndefined();
    const ahead = follower.content.get('hub')?.digest;
    expect(ahead).not.toBe(scene.catalog().status?.digest);
    scene.request('now');
    await manager.lead();
    expect(scene.catalog().status?.digest).toBe(ahead);
  });

  test('content of repositories cannot be loaded from an image', async () => {
    scene.change({ source: { image: { ref: scene.ref('v1') } } });
    expect(await scene.start().follow()).toMatchObject({ reason: 'CatalogUnavailable', retry: 'backoff' });
  });
});

test('content of another source is no fallback: the earlier image is pulled by its digest', async () => {
  await scene.publish('v1', ['first']);
  await manager.lead();
  scene.change({ source: { repositories: [{ repository: `${scene.registry.host}/nowhere` }] } });
  const fresh = scene.start();
  expect(await fresh.lead()).toMatchObject({ reason: 'ImageNotFound' });
  expect(fresh.packages()).toEqual(['first']);
  expect(scene.condition('Ready')).toMatchObject({ status: 'False', reason: 'CatalogStale' });
});
