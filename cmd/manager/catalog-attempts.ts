/**
 * Whether this replica has looked at every Catalog that has content: ready means served or tried, so that a registry
 * that is down keeps no replica from being used, and what is not served is said.
 */
import type { Catalog } from '../../api/catalog.ts';
import type { CatalogContent } from '../../controllers/catalog-content.ts';
import type { Reconcile } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';

export interface CatalogAttempts {
  /** The same reconcile, remembering whom it has looked at. */
  watch(reconcile: Reconcile): Reconcile;
  /** What is to be told of a ready replica; throws while there are Catalogs that were not looked at. */
  check(): string;
}

export function createCatalogAttempts(
  catalogs: Pick<Informer<Catalog>, 'list'>,
  content: CatalogContent,
): CatalogAttempts {
  const attempted = new Set<string>();
  return {
    watch: (reconcile) => async (key, context) => {
      try {
        return await reconcile(key, context);
      } finally {
        if (!context.signal.aborted) attempted.add(key.name);
      }
    },
    check() {
      const names = new Set(catalogs.list().map(({ metadata }) => metadata.name));
      for (const name of attempted) if (!names.has(name)) attempted.delete(name);
      const known = catalogs.list().filter(({ status }) => status?.digest !== undefined);
      const missing = known.map(({ metadata }) => metadata.name).filter((name) => content.get(name) === undefined);
      const waiting = missing.filter((name) => !attempted.has(name));
      if (waiting.length > 0) throw new Error(`${waiting.length} of ${known.length} not loaded yet`);
      const served = `${known.length - missing.length} of ${known.length} served`;
      return missing.length === 0 ? served : `${served}; ${missing.length} cannot be loaded`;
    },
  };
}
