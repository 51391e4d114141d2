/**
 * Whether this replica has tried every Catalog that has content. Ready means that each is served or was tried: an
 * unreachable registry then keeps no replica from becoming ready, and readiness names the Catalogs that are not served.
 */
import type { Catalog } from '../../api/catalog.ts';
import type { CatalogContent } from '../../controllers/catalog-content.ts';
import type { Reconcile } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';

export interface CatalogAttempts {
  /** Wraps the reconcile function: the returned one also remembers which Catalogs it has tried. */
  watch(reconcile: Reconcile): Reconcile;
  /** The note that a ready replica shows to a probe; throws while there are Catalogs that it has not tried. */
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
