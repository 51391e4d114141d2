/** A replica that does not lead: the content that it serves, and its readiness. */
import { expect, test } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import { NO_POLICIES } from '../../controllers/registry-policies.ts';
import { createCatalogFollower } from '../../controllers/catalog/follow.ts';
import type { CatalogContent, ServedCatalog } from '../../controllers/catalog-content.ts';
import { silentLog } from '../../kube/log.ts';
import { eventually } from '../../kube/testing/eventually.ts';
import { createCatalogAttempts } from './catalog-attempts.ts';
import { createContentFollower } from './controllers.ts';
import type { Parts } from './parts.ts';

const DIGEST = `registry.example/c@sha256:${'a'.repeat(64)}`;

function catalog(name: string, digest?: string): Catalog {
  return {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Catalog',
    metadata: { name },
    spec: { source: { image: { ref: 'registry.example/c:1' } }, priority: 0, suspend: false },
    ...(digest !== undefined && { status: { digest } }),
  };
}

/** Content in memory; `kept` lists the content of an earlier process. */
function contentOf(kept: readonly string[]): CatalogContent {
  const served = new Map<string, ServedCatalog>();
  return {
    get: (name) => served.get(name),
    borrow: () => undefined,
    restore(name, digest) {
      if (kept.includes(name)) served.set(name, { digest } as ServedCatalog);
      return kept.includes(name);
    },
    load: () => Promise.reject(new Error('not asked for')),
    drop: (name) => void served.delete(name),
    onChange: () => undefined,
  };
}

function replica(catalogs: readonly Catalog[], kept: readonly string[] = []) {
  const content = contentOf(kept);
  const there = new Map(catalogs.map((one) => [one.metadata.name, one]));
  const cache = { get: (name: string) => there.get(name), list: () => [...there.values()] };
  const attempts = createCatalogAttempts(cache, content);
  const registries = (): never => {
    throw new Error('the registry is down');
  };
  const follow = attempts.watch(createCatalogFollower({ catalogs: cache, policies: NO_POLICIES, content, registries }));
  const look = async (name: string): Promise<string> => {
    const context = { signal: new AbortController().signal, log: silentLog };
    return Promise.resolve(follow({ name }, context)).then(
      () => 'done',
      (error: Error) => error.message,
    );
  };
  return { content, there, attempts, look };
}

test('a Catalog that was deleted and created again is tried again', async () => {
  const { there, attempts, look } = replica([catalog('a', DIGEST)]);
  await look('a');
  expect(attempts.check()).toContain('1 cannot be loaded');
  there.clear();
  attempts.check();
  there.set('a', catalog('a', DIGEST));
  expect(() => attempts.check()).toThrow('1 of 1 not loaded yet');
});

test('serves the content that the leader has found, once', async () => {
  const { content, look } = replica([catalog('a', DIGEST)], ['a']);
  expect(await look('a')).toBe('done');
  expect(content.get('a')?.digest).toBe(DIGEST);
});

test('asks no registry for a Catalog for which the leader has found no content', async () => {
  expect(await replica([catalog('a')]).look('a')).toBe('done');
});

test('serves a Catalog no longer when it is deleted', async () => {
  const { content, there, look } = replica([catalog('a', DIGEST)], ['a']);
  await look('a');
  there.delete('a');
  await look('a');
  expect(content.get('a')).toBeUndefined();
});

test('a replica is not ready before it has tried every Catalog that has content', async () => {
  const { attempts, look } = replica([catalog('a', DIGEST), catalog('b', DIGEST), catalog('new')], ['a']);
  expect(() => attempts.check()).toThrow('2 of 2 not loaded yet');
  await look('a');
  expect(() => attempts.check()).toThrow('1 of 2 not loaded yet');
});

test('a replica is ready though a registry is down, and names the Catalogs that it does not serve', async () => {
  const { attempts, look } = replica([catalog('a', DIGEST), catalog('b', DIGEST)], ['a']);
  await look('a');
  expect(await look('b')).toContain('the registry is down');
  expect(attempts.check()).toBe('1 of 2 served; 1 cannot be loaded');
});

test('a Catalog whose registry never answers keeps no other Catalog of a replica waiting', async () => {
  const seen: string[] = [];
  const informer = { synced: Promise.resolve(), on: () => () => undefined, list: () => [] };
  const parts = {
    caches: { catalogs: informer, registryPolicies: informer },
    attempts: {
      watch: () => async (key: { readonly name: string }) => {
        seen.push(key.name);
        if (key.name === 'slow') await new Promise(() => undefined);
      },
    },
    context: { options: { concurrency: 16 }, runtime: { controller: () => undefined }, log: silentLog },
  };
  const follower = createContentFollower(parts as unknown as Parts);
  const stop = new AbortController();
  const run = follower.run(stop.signal);
  for (const name of ['slow', 'other']) follower.enqueue({ name });
  await eventually(() => seen.length === 2);
  stop.abort(new Error('the test is over'));
  await run;
});
