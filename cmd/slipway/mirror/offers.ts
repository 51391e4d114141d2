/** What the catalogs of a mirror offer: packages, and bundles with the catalog that each is taken from. Pure, over open indexes. */
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import type { CatalogBundle, CatalogPackage } from '../../../catalog/model.ts';
import { compareVersions, parseVersion, type SemanticVersion } from '../../../resolver/version.ts';

/** The part of an index that is searched. */
export type SearchedIndex = Pick<CatalogIndex, 'package' | 'packages' | 'providersOf'>;

/** A bundle with the catalog that it is taken from. */
export interface ChosenBundle {
  /** Position of the catalog. */
  readonly catalog: number;
  readonly bundle: CatalogBundle;
}

/** A package of one catalog. */
export interface PackageOffer {
  readonly catalog: number;
  readonly content: CatalogPackage;
}

/** The packages of this name, in the order of the catalogs. */
export function offersOf(indexes: readonly SearchedIndex[], name: string): readonly PackageOffer[] {
  return indexes.flatMap((index, catalog) => {
    const content = index.package(name);
    return content === undefined ? [] : [{ catalog, content }];
  });
}

/** The bundles whose version can be read, the latest first. */
export function latestFirst(bundles: readonly CatalogBundle[]): readonly CatalogBundle[] {
  const ranked = bundles.flatMap((bundle) => {
    const version = parseVersion(bundle.version);
    return version.ok ? [{ bundle, version: version.value }] : [];
  });
  return ranked.toSorted((a, b) => compareVersions(b.version, a.version)).map(({ bundle }) => bundle);
}

/** Whether the version of a bundle is in a range. */
export function isInside(bundle: CatalogBundle, range: { includes(version: SemanticVersion): boolean }): boolean {
  const version = parseVersion(bundle.version);
  return version.ok && range.includes(version.value);
}
