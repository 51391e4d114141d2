import { expect, test } from 'vitest';
import type { CatalogIndex } from '../catalog/index/open.ts';
import type { IndexStore } from '../catalog/store.ts';
import { createCatalogContent } from './catalog-content.ts';

test('listeners learn of a new catalog although old files cannot be deleted', async () => {
  const index = { close: () => undefined } as CatalogIndex;
  const store: IndexStore = {
    open: () => index,
    build: async () => index,
    collect() {
      throw new Error('EACCES');
    },
  };
  const content = createCatalogContent(store, () => new Map());
  const told: string[] = [];
  content.onChange((catalog) => void told.push(`${catalog} ${content.get(catalog)?.digest}`));
  const source = { digest: 'sha256:new', files: [] };
  await expect(content.load('public', source, new AbortController().signal)).rejects.toThrow('EACCES');
  expect(told).toEqual(['public sha256:new']);
});

test('an index that was replaced is closed when its last reader releases it', async () => {
  const closed: string[] = [];
  const indexOf = (name: string) => ({ path: name, close: () => closed.push(name) }) as unknown as CatalogIndex;
  const store: IndexStore = {
    open: (_catalog, digest) => indexOf(digest),
    build: () => Promise.reject(new Error('not built here')),
    collect: () => undefined,
  };
  const content = createCatalogContent(store, () => new Map());
  content.restore('public', 'sha256:old');
  const readers = [content.borrow('public'), content.borrow('public')];
  content.restore('public', 'sha256:new');
  expect(content.borrow('public')?.digest).toBe('sha256:new');
  expect(closed).toEqual([]);
  readers[0]?.release();
  expect(closed).toEqual([]);
  readers[1]?.release();
  expect(closed).toEqual(['sha256:old']);
});

test('one index is built at a time: those of all catalogs together would not fit into memory', async () => {
  const builds: PromiseWithResolvers<CatalogIndex>[] = [];
  const store: IndexStore = {
    open: () => undefined,
    build() {
      const build = Promise.withResolvers<CatalogIndex>();
      builds.push(build);
      return build.promise;
    },
    collect: () => undefined,
  };
  const content = createCatalogContent(store, () => new Map());
  const { signal } = new AbortController();
  const loads = ['first', 'second'].map((name) => content.load(name, { digest: name, files: [] }, signal));
  expect(builds).toHaveLength(1);
  builds[0]?.reject(new Error('broken'));
  await expect(loads[0]).rejects.toThrow('broken');
  await expect.poll(() => builds.length).toBe(2);
  builds[1]?.resolve({ close: () => undefined } as CatalogIndex);
  await loads[1];
  expect(content.get('second')?.digest).toBe('second');
});
