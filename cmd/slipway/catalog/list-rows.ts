/** The rows of `slipway catalog list`: one for each package, channel or bundle. Pure. */
import type { CatalogPackage, Channel, Deprecation } from '../../../catalog/model.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

export const LISTS = ['packages', 'channels', 'bundles'] as const;
export type ListName = (typeof LISTS)[number];

export interface PackageRow {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: number;
  readonly bundles: number;
  /** Of the default channel. */
  readonly heads: readonly string[];
  readonly deprecated: boolean;
}

export interface ChannelRow {
  readonly package: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly heads: readonly string[];
  readonly entries: number;
  readonly deprecated: boolean;
}

export interface BundleRow {
  readonly package: string;
  readonly name: string;
  readonly version: string;
  readonly release?: string;
  readonly channels: readonly string[];
  readonly image: string;
  readonly deprecated: boolean;
}

export type Row = PackageRow | ChannelRow | BundleRow;

/** In the order of the catalog. @throws ReasonedError InputInvalid, if there is no package of the name `only` */
export function collectRows(
  packages: Iterable<CatalogPackage>,
  what: ListName,
  only: string | undefined,
): readonly Row[] {
  const chosen = [...packages].filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && chosen.length === 0) {
    throw invalidInput(`the catalog has no package ${JSON.stringify(only)}`, 'Leave --package out to see all');
  }
  return chosen.flatMap<Row>(COLLECTORS[what]);
}

const COLLECTORS: Readonly<Record<ListName, (one: CatalogPackage) => readonly Row[]>> = {
  packages: packageRows,
  channels: channelRows,
  bundles: bundleRows,
};

function packageRows(one: CatalogPackage): readonly PackageRow[] {
  const { name, defaultChannel, channels, bundles } = one;
  const heads = channels.filter((channel) => channel.name === defaultChannel).flatMap(headsOf);
  const deprecated = deprecatedIn(one, 'olm.package').has(undefined);
  return [{ name, defaultChannel, channels: channels.length, bundles: bundles.length, heads, deprecated }];
}

function channelRows(one: CatalogPackage): readonly ChannelRow[] {
  const deprecated = deprecatedIn(one, 'olm.channel');
  return one.channels.map((channel) => ({
    package: one.name,
    name: channel.name,
    isDefault: channel.name === one.defaultChannel,
    heads: headsOf(channel),
    entries: channel.entries.length,
    deprecated: deprecated.has(channel.name),
  }));
}

function bundleRows(one: CatalogPackage): readonly BundleRow[] {
  const channels = channelsByBundle(one);
  const deprecated = deprecatedIn(one, 'olm.bundle');
  return one.bundles.map(({ name, version, release, image }) => ({
    package: one.name,
    name,
    version,
    ...(release !== undefined && { release }),
    channels: channels.get(name) ?? [],
    image,
    deprecated: deprecated.has(name),
  }));
}

function channelsByBundle({ channels }: CatalogPackage): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { name: channel, entries } of channels) {
    for (const bundle of new Set(entries.map(({ name }) => name))) {
      const known = found.get(bundle);
      if (known === undefined) found.set(bundle, [channel]);
      else known.push(channel);
    }
  }
  return found;
}

/** The entries that no other one replaces or skips. */
function headsOf({ entries }: Channel): readonly string[] {
  const passed = new Set(entries.flatMap(({ replaces, skips }) => [replaces, ...skips]));
  return entries.map(({ name }) => name).filter((name) => !passed.has(name));
}

/** The names of deprecated channels or bundles; a deprecation of the package has none. */
function deprecatedIn(
  { deprecations }: CatalogPackage,
  wanted: Deprecation['schema'],
): ReadonlySet<string | undefined> {
  return new Set(deprecations.flatMap(({ schema, name }) => (schema === wanted ? [name] : [])));
}
