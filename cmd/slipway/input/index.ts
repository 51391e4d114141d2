/** Opens the files of a catalog as a cluster would see them: by way of an index, which is removed afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildIndex } from '../../../catalog/index/build.ts';
import { openIndex, type CatalogIndex } from '../../../catalog/index/open.ts';
import { filesOf } from '../../../catalog/tree.ts';
import type { Environment } from '../environment.ts';

/**
 * Runs work with an index for each catalog, in their order. Invalid entries of a catalog are left out. @throws
 * ReasonedError CatalogInvalid
 */
export async function withIndexes<Result>(
  { temporary, signal }: Environment,
  catalogs: readonly ReadonlyMap<string, Uint8Array>[],
  work: (indexes: readonly CatalogIndex[]) => Result,
): Promise<Result> {
  const folder = await mkdtemp(join(temporary, 'slipway-catalog-'));
  const indexes: CatalogIndex[] = [];
  try {
    for (const [number, files] of catalogs.entries()) {
      const target = join(folder, `${number}.db`);
      await buildIndex({ files: filesOf(files), target, signal });
      indexes.push(openIndex(target, { verify: false }));
    }
    return work(indexes);
  } finally {
    for (const index of indexes) index.close();
    await rm(folder, { recursive: true, force: true });
  }
}
