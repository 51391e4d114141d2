import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCatalogScene, type CatalogScene, type FakeManager } from './scene.ts';

let scene: CatalogScene;
let manager: FakeManager;

beforeEach(async () => {
  scene = await createCatalogScene();
  manager = scene.start();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** What the repository offers, whose tags are no bundles: their digests make the content all the same. */
const offered = (one: FakeManager): number | undefined => one.content.get('hub')?.index.counts.bundles;

describe('the content of repositories', () => {
  beforeEach(async () => {
    await scene.publish('v1.0.0', ['first']);
    scene.change({ source: { repositories: [{ repository: `${scene.registry.host}/hub` }] } });
    await manager.lead();
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });

  test('has a digest over all tags, and nobody knows when it was built', () => {
    expect(scene.catalog().status?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(scene.catalog().status).not.toHaveProperty('created');
  });

  test('says which tags are not offered, once for each content', async () => {
    const told = () => scene.events.filter(({ reason }) => reason === 'BundleInvalid');
    expect(told()).toMatchObject([{ type: 'Warning', note: expect.stringContaining('hub:v1.0.0') }]);
    scene.request('now');
    await manager.lead();
    expect(told()).toHaveLength(1);
  });

  test('is made anew from the same tags where it is suspended and the folder is empty', async () => {
    scene.change({ suspend: true });
    const fresh = scene.start();
    expect(await fresh.lead()).toBeUndefined();
    expect(fresh.content.get('hub')?.digest).toBe(scene.catalog().status?.digest);
  });

  test('is not made of tags that were moved since it was suspended', async () => {
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

  test('is what the tags are now, on a replica that does not lead and has nothing', async () => {
    await scene.publish('v1.1.0', ['second']);
    const follower = scene.start();
    expect(await follower.follow()).toBeUndefined();
    const ahead = follower.content.get('hub')?.digest;
    expect(ahead).not.toBe(scene.catalog().status?.digest);
    scene.request('now');
    await manager.lead();
    expect(scene.catalog().status?.digest).toBe(ahead);
  });

  test('cannot be had from an image', async () => {
    scene.change({ source: { image: { ref: scene.ref('v1') } } });
    expect(await scene.start().follow()).toMatchObject({ reason: 'CatalogUnavailable', retry: 'backoff' });
  });
});

test('what one source left is no content of another: the image of before is pulled by its digest until there is other', async () => {
  await scene.publish('v1', ['first']);
  await manager.lead();
  scene.change({ source: { repositories: [{ repository: `${scene.registry.host}/nowhere` }] } });
  const fresh = scene.start();
  expect(await fresh.lead()).toMatchObject({ reason: 'ImageNotFound' });
  expect(fresh.packages()).toEqual(['first']);
  expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'CatalogStale' });
});
