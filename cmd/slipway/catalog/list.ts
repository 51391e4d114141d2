/** `slipway catalog list`: the content of a catalog, by package, channel or bundle. */
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import type { CatalogPackage } from '../../../catalog/model.ts';
import type { Environment } from '../environment.ts';
import { readCatalog } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { formatTable } from '../output/table.ts';
import { collectRows, type BundleRow, type ChannelRow, type ListName, type PackageRow, type Row } from './list-rows.ts';

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
