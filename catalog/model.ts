/**
 * The content of a catalog as data: packages with their channels, bundles and deprecations. Parsers make it, the index
 * stores it, the resolver reads it. Texts are kept exactly as published (a channel may be named " stable").
 */
import type { Property } from '../bundles/bundle.ts';

export type { Property } from '../bundles/bundle.ts';

/**
 * Property that replaces `minKubeVersion` of the ClusterServiceVersion in a catalog that carries an excerpt of that.
 */
export const MIN_KUBE_VERSION = 'slipway.minKubeVersion';

/** One node of a channel's upgrade graph; every edge leads from an older bundle to this one. */
export interface ChannelEntry {
  /** Name of the bundle. */
  readonly name: string;
  readonly replaces?: string;
  readonly skips: readonly string[];
  /** blang range of versions that may upgrade to this one directly; kept unparsed, it may be invalid. */
  readonly skipRange?: string;
}

export interface Channel {
  readonly name: string;
  readonly entries: readonly ChannelEntry[];
}

/** An installable version, without its manifests. */
export interface CatalogBundle {
  readonly name: string;
  readonly package: string;
  /** From the property `olm.package`; kept unparsed, it may be invalid. */
  readonly version: string;
  /** From the property `olm.package`, if it states one. */
  readonly release?: string;
  /** Image reference, by tag or digest; empty for a bundle whose objects are inlined. */
  readonly image: string;
  /** Whether the catalog carries the bundle's objects itself (properties `olm.bundle.object`). */
  readonly inlined?: boolean;
  /** Everything but the bulky ones (`olm.bundle.object`, `olm.csv.metadata`), of which {@link MIN_KUBE_VERSION} is left. */
  readonly properties: readonly Property[];
  readonly relatedImages: readonly { readonly name: string; readonly image: string }[];
}

export interface Deprecation {
  readonly schema: 'olm.package' | 'olm.channel' | 'olm.bundle';
  /** Of the channel or bundle; absent for the package. */
  readonly name?: string;
  readonly message: string;
}

export interface CatalogPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly description?: string;
  readonly channels: readonly Channel[];
  readonly bundles: readonly CatalogBundle[];
  readonly deprecations: readonly Deprecation[];
  /** Published data that could not be parsed and is left out; absent if there is none. */
  readonly problems?: readonly string[];
}

/** A kind of objects: `{ group: 'cert-manager.io', version: 'v1', kind: 'Issuer' }`. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
