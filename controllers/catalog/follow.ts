/**
 * Serves the content that the status of each Catalog names, on a replica that does not lead: it writes nothing to the
 * cluster. The leader asks registries for new content; a follower fetches only the digest that the leader has found.
 */
import type { Catalog } from '../../api/catalog.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { Reconcile } from '../../kube/controller/controller.ts';
import type { RegistryPolicies } from '../registry-policies.ts';
import { loadFound, type LoadDeps } from './load.ts';
import { isCovered } from './verification.ts';

export interface FollowerDeps extends LoadDeps {
  readonly catalogs: Pick<Informer<Catalog>, 'get'>;
  readonly policies: RegistryPolicies;
}

/** The reconcile function of the controller that runs while this replica does not lead. */
export function createCatalogFollower(deps: FollowerDeps): Reconcile {
  return async ({ name }, { signal }) => {
    const catalog = deps.catalogs.get(name);
    // The leader checks signatures, and records in the status under which policy the content passed.
    if (catalog === undefined || !isCovered(catalog, deps.policies)) return deps.content.drop(name);
    const digest = catalog.status?.digest;
    if (digest === undefined) return;
    await loadFound(deps, catalog, { digest, signal });
  };
}
