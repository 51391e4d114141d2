/** `slipway catalog list`: the content of a catalog, by package, channel or bundle. */
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import type { CatalogPackage, Channel } from '../../../catalog/model.ts';
import type { Environment } from '../environment.ts';
import { readCatalog } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import { invalidInput } from '../input/invalid.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { formatTable } from '../output/table.ts';

export const LISTS = ['packages', 'channels', 'bundles'] as const;
export type ListName = (typeof LISTS)[number];

export interface ListFlags extends RegistryFlags {
  readonly package?: string;
}

export async function list(
  environment: Environment,
  source: string,
  what: ListName,
  flags: ListFlags,
): Promise<Outcome> {
  const { files, digest } = await readCatalog(environment, source, flags);
  const rows = await withIndexes(environment, [files], ([index]) =>
    collectRows(index === undefined ? [] : packagesOf(index), what, flags.package),
  );
  return {
    data: { source, ...(digest !== undefined && { digest }), [what]: rows },
    text: PRINTERS[what](rows, environment.columns),
  };
}

function packagesOf(index: CatalogIndex): Iterable<CatalogPackage> {
  return index
    .packages()
    .values()
    .map(({ name }) => index.package(name))
    .filter((one) => one !== undefined);
}

interface PackageRow {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: number;
  readonly bundles: number;
  /** Of the default channel. */
  readonly heads: readonly string[];
  readonly deprecated: boolean;
}

interface ChannelRow {
  readonly package: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly heads: readonly string[];
  readonly entries: number;
  readonly deprecated: boolean;
}

interface BundleRow {
  readonly package: string;
  readonly name: string;
  readonly version: string;
  readonly release?: string;
  readonly channels: readonly string[];
  readonly image: string;
  readonly deprecated: boolean;
}

type Row = PackageRow | ChannelRow | BundleRow;

function collectRows(packages: Iterable<CatalogPackage>, what: ListName, only: string | undefined): readonly Row[] {
  const chosen = [...packages].filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && chosen.length === 0) {
    throw invalidInput(`the catalog has no package ${JSON.stringify(only)}`, 'Leave --package out to see all');
  }
  return chosen.flatMap<Row>(COLLECTORS[what]);
}

const COLLECTORS: Readonly<Record<ListName, (one: CatalogPackage) => readonly Row[]>> = {
  packages: (one) => [packageRow(one)],
  channels: (one) => one.channels.map((channel) => channelRow(one, channel)),
  bundles: (one) => bundleRows(one),
};

function packageRow(one: CatalogPackage): PackageRow {
  const { name, defaultChannel, channels, bundles } = one;
  const heads = channels.filter((channel) => channel.name === defaultChannel).flatMap(headsOf);
  return {
    name,
    defaultChannel,
    channels: channels.length,
    bundles: bundles.length,
    heads,
    deprecated: isDeprecated(one, 'olm.package'),
  };
}

function channelRow(one: CatalogPackage, channel: Channel): ChannelRow {
  const { name, entries } = channel;
  return {
    package: one.name,
    name,
    isDefault: name === one.defaultChannel,
    heads: headsOf(channel),
    entries: entries.length,
    deprecated: isDeprecated(one, 'olm.channel', name),
  };
}

function bundleRows(one: CatalogPackage): readonly BundleRow[] {
  return one.bundles.map(({ name, version, release, image }) => ({
    package: one.name,
    name,
    version,
    ...(release !== undefined && { release }),
    channels: one.channels
      .filter(({ entries }) => entries.some((entry) => entry.name === name))
      .map((channel) => channel.name),
    image,
    deprecated: isDeprecated(one, 'olm.bundle', name),
  }));
}

/** The entries that no other one replaces or skips. */
function headsOf({ entries }: Channel): readonly string[] {
  const passed = new Set(entries.flatMap(({ replaces, skips }) => [replaces, ...skips]));
  return entries.map(({ name }) => name).filter((name) => !passed.has(name));
}

function isDeprecated({ deprecations }: CatalogPackage, schema: string, name?: string): boolean {
  return deprecations.some((deprecation) => deprecation.schema === schema && deprecation.name === name);
}

const PRINTERS: Readonly<Record<ListName, (rows: readonly Row[], columns: number | undefined) => string>> = {
  packages: (rows, columns) =>
    formatTable(
      ['PACKAGE', 'DEFAULT CHANNEL', 'CHANNELS', 'BUNDLES', 'HEAD'],
      (rows as readonly PackageRow[]).map((row) => [
        marked(row.name, row),
        row.defaultChannel,
        String(row.channels),
        String(row.bundles),
        row.heads.join(', '),
      ]),
      columns,
    ),
  channels: (rows, columns) =>
    formatTable(
      ['PACKAGE', 'CHANNEL', 'DEFAULT', 'ENTRIES', 'HEAD'],
      (rows as readonly ChannelRow[]).map((row) => [
        row.package,
        marked(row.name, row),
        row.isDefault ? 'yes' : '',
        String(row.entries),
        row.heads.join(', '),
      ]),
      columns,
    ),
  bundles: (rows, columns) =>
    formatTable(
      ['PACKAGE', 'BUNDLE', 'VERSION', 'CHANNELS', 'IMAGE'],
      (rows as readonly BundleRow[]).map((row) => [
        row.package,
        marked(row.name, row),
        row.release === undefined ? row.version : `${row.version} (${row.release})`,
        row.channels.join(', '),
        row.image,
      ]),
      columns,
    ),
};

function marked(name: string, { deprecated }: Row): string {
  return deprecated ? `${name} (deprecated)` : name;
}
