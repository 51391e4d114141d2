/** The search over all Catalogs, and one package. */
import type { Badge, Button, Cut, Empty, Fact, Link, Page } from './common.ts';

/** A tile of the search. */
export interface PackageTile {
  readonly href: string;
  readonly catalog: string;
  readonly package: string;
  /** Name for people; that of the package if the catalog has none. */
  readonly title: string;
  readonly provider?: string;
  /** Plain text, cut. */
  readonly description: string;
  readonly categories: readonly string[];
  /** Version of the head of the default channel; absent if it cannot be read. */
  readonly version?: string;
  readonly deprecated?: string;
  /** Path of the icon on the console; absent if the catalog has none. */
  readonly icon?: string;
  /** `ops/gadget 1.0.0` of each Subscription that the person may see. */
  readonly installed: readonly Link[];
}

export interface CategoryCount {
  readonly name: string;
  readonly count: number;
  readonly isChosen: boolean;
  readonly href: string;
}

/** A Catalog that is searched. */
export interface SearchedCatalog {
  readonly name: string;
  readonly state: Badge;
  readonly message: string;
  readonly packages?: number;
  readonly bundles?: number;
}

export interface CatalogModel extends Page {
  readonly search: string;
  /** How many packages match. */
  readonly found: number;
  readonly tiles: readonly PackageTile[];
  /** The next page of the search; absent on the last one. */
  readonly more?: Link;
  readonly categories: readonly CategoryCount[];
  readonly catalogs: readonly SearchedCatalog[];
  readonly empty?: Empty;
}

export interface ChannelRow {
  readonly name: string;
  readonly isDefault: boolean;
  readonly isChosen: boolean;
  /** Version of its head. */
  readonly head?: string;
  readonly versions: number;
  readonly deprecation?: string;
  /** This view with the channel chosen. */
  readonly href: string;
}

export interface PackageVersionRow {
  readonly version: string;
  readonly bundle: string;
  readonly channels: readonly string[];
  readonly deprecation?: string;
  readonly installed: readonly Link[];
  /** The form, filled in for this version. */
  readonly subscribe: Link;
}

/** A right that the operator asks for, in words. */
export interface RightRow {
  /** `high`: one of the dangerous rights. */
  readonly danger: Badge;
  readonly words: string;
  /** `in every namespace`, `in its namespace` */
  readonly scope: string;
}

/** A kind that the operator brings. */
export interface ProvidedKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
}

export interface PackageModel extends Page {
  readonly catalog: string;
  readonly package: string;
  readonly provider?: string;
  readonly icon?: string;
  readonly deprecation?: string;
  /** Markdown of the catalog, many lines; hostile until it is sanitised. */
  readonly description: string;
  /** Whether the description was cut. */
  readonly isCut: boolean;
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  /** Maturity, capability level, licence, source, support: as the bundle states them. */
  readonly facts: readonly Fact[];
  /** Only addresses that begin with https. */
  readonly links: readonly Link[];
  readonly channels: readonly ChannelRow[];
  readonly versions: readonly PackageVersionRow[];
  readonly versionsCut?: Cut;
  readonly provides: readonly ProvidedKind[];
  /** Dependencies and the least version of Kubernetes, a sentence part each. */
  readonly needs: readonly string[];
  readonly installModes: readonly string[];
  /** Rights that the head of the chosen channel asks for; the catalog has them only for some bundles. */
  readonly rights: readonly RightRow[];
  /** Why no rights are listed. */
  readonly rightsUnknown?: string;
  readonly installed: readonly Link[];
  readonly subscribe: Link;
  readonly buttons: readonly Button[];
  readonly empty?: Empty;
}
