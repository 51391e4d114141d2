import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refOf } from '../../api/object.ts';
import { createCatalogScene, type CatalogScene, type FakeManager } from './scene.ts';

const DOWN = () => ({ status: 503 });
const UP = () => undefined;
let scene: CatalogScene;
let manager: FakeManager;

let conflicts = 0;

/** Somebody else changes the Catalog just before its status is written. */
function failNextWrite(): void {
  conflicts = 1;
}

beforeEach(async () => {
  scene = await createCatalogScene({
    before: ({ verb }, cluster) => {
      if (verb === 'patch' && conflicts-- > 0) cluster.change(refOf(scene.catalog()), (one) => one);
    },
  });
  manager = scene.start();
});
afterEach(() => scene[Symbol.asyncDispose]());

/** Publishes a first content and has it served. */
async function serveFirst(): Promise<string> {
  const digest = await scene.publish('v1', ['first']);
  await manager.lead();
  expect(manager.packages()).toEqual(['first']);
  return digest;
}

describe('a look that succeeds', () => {
  test('takes the content into service and says when the next one is due', async () => {
    const digest = await scene.publish('v1', ['a', 'b']);
    expect(await manager.lead()).toEqual({ requeueAfterSeconds: 300 });
    expect(manager.packages()).toEqual(['a', 'b']);
    expect(scene.catalog().status).toMatchObject({
      digest: `${scene.ref('v1')}@${digest}`,
      packages: 2,
      observedGeneration: 1,
      lastChecked: '2026-01-01T00:00:00Z',
      lastChanged: '2026-01-01T00:00:00Z',
    });
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(scene.events).toMatchObject([{ type: 'Normal', reason: 'Succeeded' }]);
  });

  test('at the same content changes when it was checked, and nothing else', async () => {
    await serveFirst();
    scene.asked();
    scene.now = new Date('2026-01-01T01:00:00Z');
    await manager.lead();
    expect(scene.catalog().status).toMatchObject({
      lastChecked: '2026-01-01T01:00:00Z',
      lastChanged: '2026-01-01T00:00:00Z',
    });
    expect(scene.asked()).toEqual(['HEAD /v2/hub/manifests/v1']);
    expect(scene.events).toHaveLength(1);
  });

  test('by digest is the last one', async () => {
    const digest = await scene.publish('v1', ['first']);
    scene.change({ source: { image: { ref: `${scene.registry.host}/hub@${digest}` } } });
    expect(await manager.lead()).toBeUndefined();
    scene.asked();
    expect(await manager.lead()).toBeUndefined();
    expect(scene.asked()).toEqual([]);
  });
});

describe('when the content was built', () => {
  const created = '2025-12-24T12:00:00Z';
  const told = (): string | undefined => scene.catalog().status?.created;

  test('is told, and stays told over looks and restarts', async () => {
    const folder = scene.newFolder();
    await scene.publish('v1', ['first'], { created });
    for (const one of [scene.start(folder), scene.start(folder), scene.start()]) {
      for (const request of ['once', 'again', 'and again']) {
        scene.request(request);
        await one.lead();
        expect(told()).toBe(created);
      }
    }
  });

  test('is not told of content that does not say so', async () => {
    await scene.publish('v1', ['first'], { created });
    await manager.lead();
    await scene.publish('v1', ['second']);
    scene.request('now');
    await manager.lead();
    expect(manager.packages()).toEqual(['second']);
    expect(told()).toBeUndefined();
  });

  test('is told though the status could not be written when the content was taken into service', async () => {
    await serveFirst();
    await scene.publish('v1', ['second'], { created });
    scene.request('now');
    failNextWrite();
    expect(await manager.lead()).toMatchObject({ reason: 'Conflict' });
    expect(manager.packages()).toEqual(['second']);
    await manager.lead();
    expect(told()).toBe(created);
  });
});

describe('what failed once is tried until it is done', () => {
  test('another digest', async () => {
    await serveFirst();
    const digest = await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: `${scene.registry.host}/hub@${digest}` } } });
    scene.registry.intercept = DOWN;
    expect(await manager.lead()).toMatchObject({ reason: 'RegistryUnavailable', retry: 'backoff' });
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'CatalogStale', observedGeneration: 2 });
    expect(manager.packages()).toEqual(['first']);
    scene.registry.intercept = UP;
    expect(await manager.lead()).toBeUndefined();
    expect(manager.packages()).toEqual(['second']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(scene.condition('Reconciling')).toBeUndefined();
  });

  test('another tag, without waiting for the interval', async () => {
    await serveFirst();
    await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: scene.ref('v2') } }, interval: '24h' });
    scene.registry.intercept = DOWN;
    await manager.lead();
    scene.registry.intercept = UP;
    await manager.lead();
    expect(manager.packages()).toEqual(['second']);
  });

  test('what a person asked for, which is repeated only then', async () => {
    await serveFirst();
    await scene.publish('v1', ['second']);
    scene.request('now');
    scene.registry.intercept = DOWN;
    await manager.lead();
    expect(scene.catalog().status?.lastHandledReconcileAt).toBeUndefined();
    scene.registry.intercept = UP;
    await manager.lead();
    expect(scene.catalog().status?.lastHandledReconcileAt).toBe('now');
    expect(manager.packages()).toEqual(['second']);
  });

  test('over a restart, with what is known in service all the while', async () => {
    const folder = scene.newFolder();
    manager = scene.start(folder);
    await serveFirst();
    const digest = await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: `${scene.registry.host}/hub@${digest}` } } });
    scene.registry.intercept = DOWN;
    await manager.lead();
    const restarted = scene.start(folder);
    expect(await restarted.lead()).toEqual({ requeueAfterSeconds: 0 });
    expect(restarted.packages()).toEqual(['first']);
    expect(await restarted.lead()).toMatchObject({ reason: 'RegistryUnavailable' });
    scene.registry.intercept = UP;
    await restarted.lead();
    expect(restarted.packages()).toEqual(['second']);
  });
});

test('content that cannot be read is looked at again after the interval, as the tag may be moved', async () => {
  await serveFirst();
  await scene.publishText('v1', '}{');
  scene.request('now');
  expect(await manager.lead()).toEqual({ requeueAfterSeconds: 300 });
  expect(scene.condition('Stalled')).toMatchObject({ reason: 'CatalogInvalid' });
  expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'CatalogStale' });
  await scene.publish('v1', ['second']);
  await manager.lead();
  expect(manager.packages()).toEqual(['second']);
  expect(scene.condition('Stalled')).toBeUndefined();
});

describe('a manager with an empty folder', () => {
  test('serves what the tag stands for now, though what was served before is gone', async () => {
    const old = await serveFirst();
    await scene.publish('v1', ['second']);
    scene.remove(old);
    const fresh = scene.start();
    expect(await fresh.lead()).toEqual({ requeueAfterSeconds: 300 });
    expect(fresh.packages()).toEqual(['second']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });

  test('serves another source, though the registry of the one before does not answer', async () => {
    await serveFirst();
    const digest = await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: `${scene.registry.host}/hub@${digest}` } } });
    scene.registry.intercept = ({ path }) => (path.endsWith(digest) || path.includes('/blobs/') ? undefined : DOWN());
    const fresh = scene.start();
    expect(await fresh.lead()).toBeUndefined();
    expect(fresh.packages()).toEqual(['second']);
  });

  test('serves the last good content by its digest where the tag is gone, and says so', async () => {
    await serveFirst();
    scene.registry.store.repositories.get('hub')?.tags.delete('v1');
    scene.now = new Date('2026-01-01T01:00:00Z');
    const fresh = scene.start();
    expect(await fresh.lead()).toMatchObject({ reason: 'ImageNotFound' });
    expect(fresh.packages()).toEqual(['first']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'CatalogStale' });
    expect(scene.condition('Reconciling')).toMatchObject({ reason: 'ImageNotFound' });
    expect(scene.catalog().status?.lastChecked).toBe('2026-01-01T00:00:00Z');
  });

  test.each([
    {
      because: 'the registry does not answer',
      breakIt: () => (scene.registry.intercept = DOWN),
      reason: 'RegistryUnavailable',
    },
    {
      because: 'the registry has lost everything',
      breakIt: () => scene.registry.store.repositories.clear(),
      reason: 'ImageNotFound',
    },
  ])('does not say that it serves anything where $because', async ({ breakIt, reason }) => {
    await serveFirst();
    breakIt();
    const fresh = scene.start();
    expect(await fresh.lead()).toMatchObject({ reason });
    expect(fresh.packages()).toBeUndefined();
    expect(scene.condition('Ready')).toMatchObject({ status: 'False', reason });
    expect(scene.condition('Reconciling')).toMatchObject({ reason });
    scene.registry.intercept = UP;
    await scene.publish('v1', ['second']);
    await fresh.lead();
    expect(fresh.packages()).toEqual(['second']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });

  test('goes on where another one could not serve what this one has', async () => {
    const folder = scene.newFolder();
    manager = scene.start(folder);
    await serveFirst();
    scene.registry.intercept = DOWN;
    await scene.start().lead();
    expect(scene.condition('Ready')?.status).toBe('False');
    const other = scene.start(folder);
    await other.lead();
    await other.lead();
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'CatalogStale' });
  });
});

describe('a suspended Catalog', () => {
  test('keeps what is known in service, and asks for nothing new', async () => {
    await serveFirst();
    await scene.publish('v1', ['second']);
    scene.change({ suspend: true });
    scene.request('now');
    scene.asked();
    expect(await manager.lead()).toBeUndefined();
    expect(manager.packages()).toEqual(['first']);
    expect(scene.asked()).toEqual([]);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Suspended' });
    expect(scene.catalog().status?.lastHandledReconcileAt).toBeUndefined();
  });

  test('is served from an empty folder as it was when it was suspended', async () => {
    await serveFirst();
    await scene.publish('v1', ['second']);
    scene.change({ suspend: true });
    scene.now = new Date('2026-01-01T01:00:00Z');
    const fresh = scene.start();
    expect(await fresh.lead()).toBeUndefined();
    expect(fresh.packages()).toEqual(['first']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Suspended' });
    expect(scene.catalog().status?.lastChecked).toBe('2026-01-01T00:00:00Z');
  });

  test('says that nothing is in service where what was known is gone, and why', async () => {
    const old = await serveFirst();
    await scene.publish('v1', ['second']);
    scene.remove(old);
    scene.change({ suspend: true });
    const fresh = scene.start();
    expect(await fresh.lead()).toMatchObject({ reason: 'ImageNotFound' });
    expect(fresh.packages()).toBeUndefined();
    expect(scene.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'Suspended',
      message: expect.stringContaining('ImageNotFound'),
    });
    scene.change({ suspend: false });
    await fresh.lead();
    expect(fresh.packages()).toEqual(['second']);
  });
});

describe('a replica that does not lead', () => {
  test('serves what the leader has found, and what it finds later', async () => {
    const follower = scene.start();
    expect(await follower.follow()).toBeUndefined();
    expect(follower.packages()).toBeUndefined();
    await serveFirst();
    await follower.follow();
    expect(follower.packages()).toEqual(['first']);
    await scene.publish('v1', ['second']);
    scene.request('now');
    await follower.follow();
    expect(follower.packages()).toEqual(['first']);
    await manager.lead();
    await follower.follow();
    expect(follower.packages()).toEqual(['second']);
  });

  test('goes on with what it has while the new content cannot be pulled', async () => {
    const follower = scene.start();
    await serveFirst();
    await follower.follow();
    await scene.publish('v1', ['second']);
    scene.request('now');
    await manager.lead();
    scene.registry.intercept = DOWN;
    expect(await follower.follow()).toMatchObject({ reason: 'RegistryUnavailable' });
    expect(follower.packages()).toEqual(['first']);
  });

  test('serves what a new leader found after the old content was deleted', async () => {
    const old = await serveFirst();
    await scene.publish('v1', ['second']);
    scene.remove(old);
    const [leader, follower] = [scene.start(), scene.start()];
    expect(await follower.follow()).toMatchObject({ reason: 'ImageNotFound' });
    await leader.lead();
    await follower.follow();
    expect(follower.packages()).toEqual(['second']);
  });
});

test('a status that another writer was faster with is no failure of the Catalog', async () => {
  await scene.publish('v1', ['first']);
  failNextWrite();
  expect(await manager.lead()).toMatchObject({ reason: 'Conflict' });
  expect(scene.events).toEqual([]);
  await manager.lead();
  expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
});

describe('signatures, which cannot be checked', () => {
  const keys = [{ name: 'team', pem: '-----BEGIN PUBLIC KEY-----' }];
  const enforce = { keys, enforcement: 'Enforce' } as const;
  const warnings = (): number => scene.events.filter(({ reason }) => reason === 'UnsupportedField').length;

  test('where they are enforced: no registry is asked, nothing is served, and it is said why', async () => {
    await scene.publish('v1', ['first']);
    scene.change({ verify: enforce });
    scene.asked();
    await manager.lead();
    expect(await manager.lead()).toBeUndefined();
    expect(scene.asked()).toEqual([]);
    expect(manager.packages()).toBeUndefined();
    expect(scene.condition('Ready')).toMatchObject({ status: 'False', reason: 'UnsupportedField' });
    expect(scene.condition('Stalled')).toMatchObject({ reason: 'UnsupportedField' });
    expect(scene.events).toMatchObject([{ type: 'Warning', reason: 'UnsupportedField' }]);
  });

  test('where they are enforced from now on: what was served is taken away, on every replica', async () => {
    await serveFirst();
    const follower = scene.start();
    await follower.follow();
    expect(follower.packages()).toEqual(['first']);
    scene.change({ verify: enforce });
    await manager.lead();
    await follower.follow();
    expect([manager.packages(), follower.packages()]).toEqual([undefined, undefined]);
    expect(scene.catalog().status).not.toHaveProperty('digest');
    expect(scene.catalog().status).not.toHaveProperty('bundles');
    scene.change({ verify: { keys, enforcement: 'Warn' } });
    await manager.lead();
    await follower.follow();
    expect([manager.packages(), follower.packages()]).toEqual([['first'], ['first']]);
    expect(scene.condition('Stalled')).toBeUndefined();
  });

  test('where they are enforced: a replica that does not lead does not wait for the leader to say so', async () => {
    await serveFirst();
    scene.change({ verify: enforce });
    const follower = scene.start();
    expect(await follower.follow()).toBeUndefined();
    expect(follower.packages()).toBeUndefined();
  });

  test('where they are warned of: the content is served, and one event for each content and spec warns', async () => {
    await scene.publish('v1', ['first']);
    scene.change({ verify: { keys, enforcement: 'Warn' } });
    await manager.lead();
    expect(manager.packages()).toEqual(['first']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    scene.request('now');
    await manager.lead();
    expect(warnings()).toBe(1);
    await scene.publish('v1', ['second']);
    scene.request('again');
    await manager.lead();
    expect(warnings()).toBe(2);
  });
});
