/**
 * The content of a Catalog as the views need it: small, so that the server can keep it. Pure; texts are not cleaned yet,
 * but bounded.
 */
import type { CatalogPackage } from '../../catalog/model.ts';

/**
 * The content of Catalogs that the person may `get` (the server reviews that for each, as the manager does with
 * `--catalog-auth=token`), from the manager's HTTP API `/catalogs/NAME/api/v1/metas`. In the cluster the console asks the
 * manager's Service itself, with a token of its own account for the audience `slipway.dev/catalogs`; on a person's machine
 * through the API server's proxy of that Service, as that person (`get services/proxy`), as `slipway list` does. The
 * documents of the queries of `queriesOf` are reduced by `reduceContent` (content.ts); the result is small, and may be
 * shared by all persons for as long as `status.digest` of the Catalog stays.
 */
export type ContentAsk =
  | { readonly kind: 'listing'; readonly catalogs: readonly string[] }
  | { readonly kind: 'package'; readonly catalogs: readonly string[]; readonly package: string };

/** A query of the manager's HTTP API: the documents that have these values. */
export interface ContentQuery {
  readonly schema?: 'olm.package' | 'olm.channel' | 'olm.bundle' | 'olm.deprecations';
  readonly package?: string;
  readonly name?: string;
}

/** The packages of one Catalog. */
export interface CatalogListing {
  readonly packages: readonly ListedPackage[];
  /** How many are left out. */
  readonly omitted: number;
}

export interface ListedPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: readonly string[];
  /** Bundles of the default channel that no other one replaces. */
  readonly heads: readonly string[];
  readonly description: string;
  readonly hasIcon: boolean;
  readonly deprecation?: string;
  /** Of the head of the default channel, once it was read. */
  readonly about?: ListedAbout;
}

/** What the head of a package says about it, for tiles and categories. */
export interface ListedAbout {
  readonly title?: string;
  readonly provider?: string;
  readonly version?: string;
  readonly categories: readonly string[];
}

/** One package of one Catalog. */
export interface PackageContent {
  readonly content: CatalogPackage;
  readonly hasIcon: boolean;
  /** By name of the bundle: those that state facts for people. */
  readonly about: ReadonlyMap<string, BundleAbout>;
}

/** The facts for people in `olm.csv.metadata` of a bundle. */
export interface BundleAbout {
  readonly title?: string;
  readonly provider?: string;
  readonly description?: string;
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly maturity?: string;
  readonly capabilities?: string;
  readonly links: readonly { readonly name: string; readonly url: string }[];
  readonly maintainers: readonly string[];
  readonly installModes: readonly string[];
  readonly minKubeVersion?: string;
  readonly provides: readonly {
    readonly kind: string;
    readonly group: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
  }[];
}

/** The queries whose documents `reduceListing` and `reducePackage` take (reduce-content.ts). */
export function queriesOf(ask: ContentAsk): readonly ContentQuery[] {
  if (ask.kind === 'listing')
    return [{ schema: 'olm.package' }, { schema: 'olm.channel' }, { schema: 'olm.deprecations' }];
  const { package: name } = ask;
  return [
    { schema: 'olm.package', name },
    { schema: 'olm.channel', package: name },
    { schema: 'olm.bundle', package: name },
    { schema: 'olm.deprecations', package: name },
  ];
}

/** The query for the document of a package, which has its icon. */
export function iconQueryOf(packageName: string): ContentQuery {
  return { schema: 'olm.package', name: packageName };
}

/**
 * The queries for the heads of the packages of a listing that say nothing for people yet: with their documents
 * `withAbout` adds titles, providers and categories. A listing is useful without them, so they may be read later.
 */
export function headQueriesOf({ packages }: CatalogListing): readonly ContentQuery[] {
  return packages.flatMap(({ name, heads: [head], about }) =>
    head === undefined || about !== undefined ? [] : [{ schema: 'olm.bundle', package: name, name: head }],
  );
}
