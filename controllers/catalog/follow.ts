/**
 * Serves what the Catalogs say is in service, on a replica that does not lead: read-only towards the cluster. The
 * leader asks registries when that is due; here only what it has found is fetched.
 */
import type { Catalog } from '../../api/catalog.ts';
import type { Reconcile } from '../../kube/controller.ts';
import { loadContent, type CatalogDeps } from './reconcile.ts';

/** The reconcile function of the controller that runs while this replica does not lead. */
export function createCatalogFollower(deps: Pick<CatalogDeps, 'catalogs' | 'content' | 'registries'>): Reconcile {
  const { catalogs, content } = deps;
  return async ({ name }, { signal }) => {
    const catalog = catalogs.get(name) as Catalog | undefined;
    if (catalog === undefined) return content.drop(name);
    const digest = catalog.status?.digest;
    if (digest === undefined || content.get(name)?.digest === digest || content.restore(name, digest)) return;
    await loadContent({ ...deps, record: () => undefined }, catalog, { digest, signal });
  };
}
