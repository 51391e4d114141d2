/** Answers a resolution from the index of a catalog; the caller adds the name and priority of the catalog. */
import type { CatalogIndex } from '../catalog/index/open.ts';
import type { CatalogSource } from './input.ts';

export function contentOf(index: CatalogIndex): Required<Pick<CatalogSource, 'content' | 'providersOf' | 'packages'>> {
  return {
    content: (name) => index.package(name),
    providersOf: (kind) => index.providersOf(kind),
    packages: () => index.packages().map(({ name }) => name),
  };
}
