import { expect, test } from 'vitest';
import type { CatalogIndex } from '../catalog/index/open.ts';
import type { IndexStore } from '../catalog/store.ts';
import { createCatalogContent } from './catalog-content.ts';

test('who waits for a catalog is told of it though old files cannot be deleted', async () => {
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
