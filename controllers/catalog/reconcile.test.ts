import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createInstance } from '../../signatures/testing/instance.ts';
import { refOf } from '../../api/object.ts';
import { createCatalogScene, type CatalogScene, type FakeManager } from './testing/scene.ts';

const DOWN = () => ({ status: 503 });
const UP = () => undefined;
let scene: CatalogScene;
let manager: FakeManager;

let conflicts = 0;

/** Another writer changes the Catalog just before its status is written. */
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

/** Publishes a first content and serves it. */
async function serveFirst(): Promise<string> {
  const digest = await scene.publish('v1', ['first']);
  await manager.lead();
  expect(manager.packages()).toEqual(['first']);
  return digest;
}

describe('a check that succeeds', () => {
  test('a check with new content takes it into service and returns when the next one is due', async () => {
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

  test('a check reports which defective values the content is served without, once for each content', async () => {
    const document = { schema: 'olm.bundle', name: 'a.v1', package: 'a', image: [] };
    await scene.publishText('v1', JSON.stringify({ schema: 'olm.package', name: 'a' }) + JSON.stringify(document));
    await manager.lead();
    const told =
      /^Left out, .*: bundle a\.v1 of package a: .*; bundle a\.v1 of package a: image of the bundle is not a text/;
    expect(scene.events).toMatchObject([
      { type: 'Normal', reason: 'Succeeded' },
      { type: 'Warning', reason: 'CatalogInvalid', note: expect.stringMatching(told) },
    ]);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', message: expect.stringContaining('Left out') });
    scene.now = new Date('2026-01-01T01:00:00Z');
    await manager.lead();
    expect(scene.events).toHaveLength(2);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', message: expect.stringContaining('Left out') });
  });

  test('a check without new content changes the time of the last check only', async () => {
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

  test('after a check of a digest, no further check follows', async () => {
    const digest = await scene.publish('v1', ['first']);
    scene.change({ source: { image: { ref: `${scene.registry.host}/hub@${digest}` } } });
    expect(await manager.lead()).toBeUndefined();
    scene.asked();
    expect(await manager.lead()).toBeUndefined();
    expect(scene.asked()).toEqual([]);
  });
});

describe('while the content of a source is read for the first time', () => {
  /** The Ready condition and the packages in service at the first request to the registry. */
  async function whileRead(): Promise<readonly unknown[]> {
    const seen: unknown[] = [];
    scene.registry.intercept = () => {
      seen.push([scene.condition('Ready')?.status, scene.condition('Ready')?.reason, manager.packages()]);
      return undefined;
    };
    await manager.lead();
    scene.registry.intercept = UP;
    return seen[0] as readonly unknown[];
  }

  test('the status of a new Catalog says that its content is being read', async () => {
    await scene.publish('v1', ['first']);
    expect(await whileRead()).toEqual(['Unknown', 'Progressing', undefined]);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(scene.condition('Reconciling')).toBeUndefined();
  });

  test('after a change of the source the status says so, and the earlier content is served', async () => {
    await serveFirst();
    await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: scene.ref('v2') } } });
    expect(await whileRead()).toEqual(['Unknown', 'Progressing', ['first']]);
    expect(manager.packages()).toEqual(['second']);
  });

  test.each([
    { because: 'another field of the spec was changed', change: () => scene.change({ priority: 1 }) },
    { because: 'a person requests a check', change: () => scene.request('now') },
  ])('the status of content that was read stays: $because', async ({ change }) => {
    await serveFirst();
    change();
    expect(await whileRead()).toEqual(['True', 'Succeeded', ['first']]);
  });

  test('a failure stays in the status while the source is read again', async () => {
    await manager.lead();
    expect(scene.condition('Ready')).toMatchObject({ status: 'False', reason: 'ImageNotFound' });
    await scene.publish('v1', ['first']);
    expect(await whileRead()).toEqual(['False', 'ImageNotFound', undefined]);
    expect(manager.packages()).toEqual(['first']);
  });

  test('a defect stays in the status while the source is read again, and has one event', async () => {
    await scene.publish('v1', ['first']);
    Object.assign(manager.content, { load: () => Promise.reject(new Error('database or disk is full')) });
    await expect(manager.lead()).rejects.toThrow('disk is full');
    const shown = scene.condition('Ready');
    expect(shown).toMatchObject({ status: 'False', reason: 'InternalError' });
    scene.now = new Date('2026-01-01T01:00:00Z');
    await expect(manager.lead()).rejects.toThrow('disk is full');
    expect(scene.condition('Ready')).toEqual(shown);
    expect(scene.events).toMatchObject([{ reason: 'InternalError' }]);
  });
});

describe('the time of build in the status', () => {
  const created = '2025-12-24T12:00:00Z';
  const told = (): string | undefined => scene.catalog().status?.created;

  test('the time of build is reported, and stays over checks and restarts', async () => {
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

  test('the time of build is absent if the image has none', async () => {
    await scene.publish('v1', ['first'], { created });
    await manager.lead();
    await scene.publish('v1', ['second']);
    scene.request('now');
    await manager.lead();
    expect(manager.packages()).toEqual(['second']);
    expect(told()).toBeUndefined();
  });

  test('the time of build is reported even if the first write of the status failed', async () => {
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

describe('after a failure', () => {
  test('a check for another digest is retried until it succeeds', async () => {
    await serveFirst();
    const digest = await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: `${scene.registry.host}/hub@${digest}` } } });
    scene.registry.intercept = DOWN;
    expect(await manager.lead()).toMatchObject({ reason: 'RegistryUnavailable', retry: 'backoff' });
    expect(scene.condition('Ready')).toMatchObject({ status: 'False', reason: 'CatalogStale', observedGeneration: 2 });
    expect(manager.packages()).toEqual(['first']);
    scene.registry.intercept = UP;
    expect(await manager.lead()).toBeUndefined();
    expect(manager.packages()).toEqual(['second']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(scene.condition('Reconciling')).toBeUndefined();
  });

  test('a check for another tag is retried without waiting for the interval', async () => {
    await serveFirst();
    await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: scene.ref('v2') } }, interval: '24h' });
    scene.registry.intercept = DOWN;
    await manager.lead();
    scene.registry.intercept = UP;
    await manager.lead();
    expect(manager.packages()).toEqual(['second']);
  });

  test('a requested check is retried, and its request is repeated in the status only when it succeeds', async () => {
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

  test('a failed check is retried after a restart, while the known content stays in service', async () => {
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

test('invalid content is checked again after the interval, since the tag may be moved', async () => {
  await serveFirst();
  await scene.publishText('v1', '}{');
  scene.request('now');
  expect(await manager.lead()).toEqual({ requeueAfterSeconds: 300 });
  expect(scene.condition('Stalled')).toBeUndefined();
  expect(scene.condition('Reconciling')).toMatchObject({ reason: 'CatalogInvalid' });
  expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'CatalogStale' });
  await scene.publish('v1', ['second']);
  await manager.lead();
  expect(manager.packages()).toEqual(['second']);
  expect(scene.condition('Stalled')).toBeUndefined();
});

describe('a manager with an empty folder', () => {
  test('a manager with an empty folder serves the current content of the tag if the earlier content is gone', async () => {
    const old = await serveFirst();
    await scene.publish('v1', ['second']);
    scene.remove(old);
    const fresh = scene.start();
    expect(await fresh.lead()).toEqual({ requeueAfterSeconds: 300 });
    expect(fresh.packages()).toEqual(['second']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
  });

  test('a manager with an empty folder serves a new source, even if the earlier registry does not answer', async () => {
    await serveFirst();
    const digest = await scene.publish('v2', ['second']);
    scene.change({ source: { image: { ref: `${scene.registry.host}/hub@${digest}` } } });
    scene.registry.intercept = ({ path }) => (path.endsWith(digest) || path.includes('/blobs/') ? undefined : DOWN());
    const fresh = scene.start();
    expect(await fresh.lead()).toBeUndefined();
    expect(fresh.packages()).toEqual(['second']);
  });

  test('a manager with an empty folder serves the last good digest if the tag is gone, and reports it', async () => {
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
  ])('a manager with an empty folder does not claim to serve content if $because', async ({ breakIt, reason }) => {
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

  test('a manager goes on from a status of another one that could not serve the same content', async () => {
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
  test('a suspended Catalog keeps its known content in service, and checks for nothing new', async () => {
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

  test('a suspended Catalog is served from an empty folder as it was at its suspension', async () => {
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

  test('a suspended Catalog reports that nothing is in service if its content is gone, and why', async () => {
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
  test('a follower serves the content that the leader has found, and its later content', async () => {
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

  test('a follower keeps its content while the new content cannot be pulled', async () => {
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

  test('a follower serves the content of a new leader after the old content was deleted', async () => {
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

test('a status that another writer changed first is no failure of the Catalog', async () => {
  await scene.publish('v1', ['first']);
  failNextWrite();
  expect(await manager.lead()).toMatchObject({ reason: 'Conflict' });
  expect(scene.events).toEqual([]);
  await manager.lead();
  expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
});

describe('signatures of the catalog image', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const keys = [{ name: 'team', pem, transparencyLog: 'Ignore' }] as const;
  const enforce = { keys, enforcement: 'Enforce' } as const;
  const warn = { keys, enforcement: 'Warn' } as const;
  const ofVerification = (): readonly string[] =>
    scene.events.flatMap(({ action, reason }) => (action === 'Verify' ? [reason] : []));

  test('an image without a signature is refused, and served within an interval of its being signed', async () => {
    const digest = await scene.publish('v1', ['first']);
    scene.change({ verify: enforce });
    expect(await manager.lead()).toMatchObject({ requeueAfterSeconds: 300 });
    expect(manager.packages()).toBeUndefined();
    expect(scene.condition('Ready')).toMatchObject({ status: 'False', reason: 'Unsigned' });
    expect(scene.condition('Stalled')).toMatchObject({ reason: 'Unsigned' });
    expect(scene.events).toMatchObject([{ type: 'Warning', reason: 'Unsigned' }]);
    await scene.sign(digest, privateKey);
    await manager.lead();
    expect(manager.packages()).toEqual(['first']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(scene.catalog().status?.signature).toMatchObject({ by: 'key team' });
  });

  test('an image by digest, too, is checked again: it may be signed', async () => {
    const digest = await scene.publish('v1', ['first']);
    scene.change({ verify: enforce, source: { image: { ref: `${scene.ref('v1')}@${digest}` } } });
    expect(await manager.lead()).toMatchObject({ requeueAfterSeconds: 300 });
    await scene.sign(digest, privateKey);
    await manager.lead();
    expect(manager.packages()).toEqual(['first']);
  });

  test('an image that a stranger signed is refused, and says so', async () => {
    await scene.sign(await scene.publish('v1', ['first']), stranger);
    scene.change({ verify: enforce });
    await manager.lead();
    expect(scene.condition('Ready')).toMatchObject({ status: 'False', reason: 'SignedByOtherKey' });
  });

  test('after a new image without a signature, the last content that was signed stays in service', async () => {
    await scene.sign(await scene.publish('v1', ['first']), privateKey);
    scene.change({ verify: enforce });
    await manager.lead();
    await scene.publish('v1', ['second']);
    scene.request('now');
    await manager.lead();
    expect(manager.packages()).toEqual(['first']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'CatalogStale' });
    expect(scene.condition('Ready')?.message).toContain('Unsigned');
  });

  test('when signatures become enforced, every replica stops serving content without one', async () => {
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
    scene.change({ verify: warn });
    await manager.lead();
    await follower.follow();
    expect([manager.packages(), follower.packages()]).toEqual([['first'], ['first']]);
    expect(scene.condition('Stalled')).toBeUndefined();
  });

  test('a follower serves no content that the leader has not checked under the policy', async () => {
    await serveFirst();
    scene.change({ verify: enforce });
    const follower = scene.start();
    expect(await follower.follow()).toBeUndefined();
    expect(follower.packages()).toBeUndefined();
  });

  test('a manager that starts while the registry is down serves content that was checked before', async () => {
    await scene.sign(await scene.publish('v1', ['first']), privateKey);
    scene.change({ verify: enforce });
    const folder = scene.newFolder();
    await scene.start(folder).lead();
    scene.registry.intercept = () => ({ status: 503 });
    const restarted = scene.start(folder);
    await restarted.lead();
    expect(restarted.packages()).toEqual(['first']);
  });

  describe('under a RegistryPolicy', () => {
    const prefix = (): string => scene.registry.host;
    const distrusted = async (): Promise<unknown> => {
      const result = await manager.lead();
      expect(manager.packages()).toBeUndefined();
      expect(scene.condition('Ready')?.status).toBe('False');
      expect(scene.catalog().status).not.toHaveProperty('digest');
      return result;
    };

    test('content without a signature goes out of service, at each replica, and comes back once it is signed', async () => {
      const digest = await scene.publish('v1', ['first']);
      await manager.lead();
      const follower = scene.start();
      await follower.follow();
      scene.govern('all', { prefix: prefix(), verify: enforce });
      await follower.follow();
      expect(follower.packages()).toBeUndefined();
      await distrusted();
      expect(scene.condition('Ready')).toMatchObject({ reason: 'Unsigned' });
      await scene.sign(digest, privateKey);
      await manager.lead();
      await follower.follow();
      expect([manager.packages(), follower.packages()]).toEqual([['first'], ['first']]);
      expect(scene.catalog().status?.signature).toMatchObject({ by: 'key team' });
    });

    test('a policy that cannot be used takes content out of service: which signatures it demands is not known', async () => {
      await serveFirst();
      scene.govern('all', { prefix: prefix() });
      scene.govern('twin', { prefix: prefix() });
      expect(await distrusted()).toMatchObject({ reason: 'RegistryPolicyInvalid' });
      scene.govern('twin', undefined);
      await manager.lead();
      expect(manager.packages()).toEqual(['first']);
    });

    test('a deleted policy is no reason to serve nothing', async () => {
      await scene.publish('v1', ['first']);
      scene.govern('all', { prefix: prefix(), verify: enforce });
      await distrusted();
      scene.govern('all', undefined);
      await manager.lead();
      expect(manager.packages()).toEqual(['first']);
    });
  });

  describe('with a trusted root in a ConfigMap', () => {
    const WHO = { subject: 'https://ci.example/release.yml', issuer: 'https://issuer.example' };
    const verify = {
      enforcement: 'Enforce',
      identities: [{ ...WHO, match: 'Exact' }],
      trustedRoot: { name: 'root' },
    } as const;

    test.each<{ because: string; pinned: boolean }>([
      { because: 'a tag is checked at each interval', pinned: false },
      { because: 'a digest is checked at each interval too, since the root may change', pinned: true },
    ])('content that the root no longer vouches for goes out of service, and says so: $because', async ({ pinned }) => {
      const instance = await createInstance();
      const digest = await scene.publish('v1', ['first']);
      await scene.signWith(digest, { by: 'certificate', certified: await instance.certify(WHO), instance });
      scene.storeRoot('root', instance.root);
      const ref = pinned ? `${scene.ref('v1')}@${digest}` : scene.ref('v1');
      scene.change({ verify, source: { image: { ref } } });
      expect(await manager.lead()).toMatchObject({ requeueAfterSeconds: 300 });
      expect(manager.packages()).toEqual(['first']);
      scene.storeRoot('root', (await createInstance()).root);
      scene.now = new Date(scene.now.getTime() + 301_000);
      await manager.lead();
      expect(manager.packages()).toBeUndefined();
      expect(scene.condition('Ready')?.status).toBe('False');
      expect(scene.events.at(-1)).toMatchObject({ type: 'Warning', reason: scene.condition('Ready')?.reason });
      scene.storeRoot('root', instance.root);
      await manager.lead();
      expect(manager.packages()).toEqual(['first']);
    });
  });

  test('with signatures that only warn, the content is served, with one event for each content', async () => {
    await scene.publish('v1', ['first']);
    scene.change({ verify: warn });
    await manager.lead();
    expect(manager.packages()).toEqual(['first']);
    expect(scene.condition('Ready')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    expect(scene.condition('Ready')?.message).toContain('Used without a trusted signature. Unsigned');
    scene.request('now');
    await manager.lead();
    expect(ofVerification()).toEqual(['Unsigned']);
    await scene.publish('v1', ['second']);
    scene.request('again');
    await manager.lead();
    expect(ofVerification()).toEqual(['Unsigned', 'Unsigned']);
  });
});
