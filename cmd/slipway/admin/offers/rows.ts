/** Prints the packages and versions that Catalogs offer. Pure. */
import type { OfferedPackageRow, VersionRow } from '../../../../report/offers.ts';
import { formatTable } from '../../output/table.ts';

export function printPackages(rows: readonly OfferedPackageRow[], columns?: number): string {
  const cells = rows.map((row) => [
    row.name,
    row.defaultChannel,
    row.heads.join(', '),
    row.catalog,
    row.installed.join(', '),
    row.description,
  ]);
  return formatTable(['PACKAGE', 'DEFAULT CHANNEL', 'HEAD', 'CATALOG', 'INSTALLED', 'DESCRIPTION'], cells, columns);
}

export function printVersions(rows: readonly VersionRow[], columns?: number): string {
  const cells = rows.map((row) => [
    row.version,
    row.channels.join(', '),
    row.catalog,
    row.bundle,
    row.installed.join(', '),
  ]);
  return formatTable(['VERSION', 'CHANNELS', 'CATALOG', 'BUNDLE', 'INSTALLED BY'], cells, columns);
}
