/** The registries and bundle sources of the manager, with a total time for each pull. */
import { createBundleSources, type BundleSources } from '../../controllers/bundle-sources.ts';
import type { Registries } from '../../controllers/registries.ts';
import type { RegistryPolicies } from '../../controllers/registry-policies.ts';
import { registryWithin, sourceWithin, type PullTime } from '../../oci/pull-time.ts';

export interface Pulls {
  /** Begins the pull of a catalog or of signatures at each call: a reconcile calls it once for each of them. */
  readonly registries: Registries;
  /** Begins the pull of a bundle at each call. */
  readonly bundles: BundleSources;
}

export interface PullOptions {
  /** For caches of bundles. */
  readonly folder: string;
  readonly policies: RegistryPolicies;
  readonly time: PullTime;
}

/** The sources keep their clients, so these have no time of their own. */
export function createPulls(clients: Registries, { folder, policies, time }: PullOptions): Pulls {
  const sources = createBundleSources(clients, folder, policies);
  return {
    registries: (pullSecret) => registryWithin(clients(pullSecret), time),
    bundles: (pullSecret) => sourceWithin(sources(pullSecret), time),
  };
}
