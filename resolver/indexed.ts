/** What a catalog's index answers to a resolution; the catalog itself, its name and priority, is the caller's. */
import type { CatalogIndex } from '../catalog/index/open.ts';
import type { CatalogSource } from './input.ts';

export function contentOf(index: CatalogIndex): Required<Pick<CatalogSource, 'content' | 'providersOf' | 'packages'>> {
  return {
    content: (name) => index.package(name),
    providersOf: (kind) => index.providersOf(kind),
    packages: () => index.packages().map(({ name }) => name),
  };
}
