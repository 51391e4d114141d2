/** The catalogs that dependencies may come from, read as one. */
import type { GroupVersionKind } from '../../catalog/model.ts';
import { compareText } from '../../api/compare-text.ts';
import type { CatalogSource } from '../input.ts';

export interface CatalogSources {
  /** The root's catalog first, then by priority, then by name. */
  readonly ordered: readonly CatalogSource[];
  readonly has: (name: string) => boolean;
  /** Names of packages with a bundle that provides a kind. */
  readonly providersOf: (kind: GroupVersionKind) => readonly string[];
  /** Names of all packages. */
  readonly packages: () => readonly string[];
}

/** The catalogs that serve, for a root of one of them. */
export function orderSources(catalogs: readonly CatalogSource[], root: string): CatalogSources {
  const ordered = catalogs
    .filter(({ state }) => state === 'Serving')
    .toSorted(
      (a, b) =>
        Number(b.name === root) - Number(a.name === root) || b.priority - a.priority || compareText(a.name, b.name),
    );
  return {
    ordered,
    has: (name) => ordered.some((source) => source.content(name) !== undefined),
    providersOf: (kind) => ordered.flatMap((source) => source.providersOf?.(kind) ?? []),
    packages: () => ordered.flatMap((source) => source.packages?.() ?? []),
  };
}
