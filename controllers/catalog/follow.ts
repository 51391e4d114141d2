/**
 * Serves what the Catalogs say is in service, on a replica that does not lead: read-only towards the cluster. The
 * leader asks registries when that is due; here only what it has found is fetched.
 */
import type { Catalog } from '../../api/catalog.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { Reconcile } from '../../kube/controller/controller.ts';
import { loadFound, type LoadDeps } from './load.ts';
import { refusalOf } from './verification.ts';

export interface FollowerDeps extends Pick<LoadDeps, 'content' | 'registries'> {
  readonly catalogs: Pick<Informer<Catalog>, 'get'>;
}

/** The reconcile function of the controller that runs while this replica does not lead. */
export function createCatalogFollower(deps: FollowerDeps): Reconcile {
  return async ({ name }, { signal }) => {
    const catalog = deps.catalogs.get(name);
    if (catalog === undefined || refusalOf(catalog) !== undefined) return deps.content.drop(name);
    const digest = catalog.status?.digest;
    if (digest === undefined) return;
    await loadFound({ ...deps, record: () => undefined }, catalog, { digest, signal });
  };
}
