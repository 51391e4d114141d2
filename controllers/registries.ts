/**
 * Registry clients as RegistryPolicies and pull secrets say: one for each pull secret of a Catalog, sharing connections
 * between calls.
 */
import type { Cluster } from '../api/cluster.ts';
import { isLoopbackName } from '../oci/host.ts';
import { createRegistry, type Registry, type RegistryOptions } from '../oci/registry.ts';
import { mirrorsOf, NO_POLICIES, type RegistryPolicies } from './registry-policies.ts';
import { certificateAuthorities, pullSecrets } from './registry-settings.ts';

/** The client for a pull secret of the manager's namespace; anonymous without one, unless a policy has one. */
export type Registries = (pullSecret: string | undefined) => Registry;

export interface RegistriesOptions {
  readonly cluster: Pick<Cluster, 'get'>;
  /** The manager's namespace. */
  readonly namespace: string;
  readonly registry?: Omit<RegistryOptions, 'credentials' | 'onDenied' | 'connection' | 'mirrors'>;
  readonly policies?: RegistryPolicies;
  readonly now?: () => number;
}

export function createRegistries(options: RegistriesOptions): Registries {
  const clients = new Map<string, Registry>();
  return (pullSecret) => {
    const key = pullSecret ?? '';
    const existing = clients.get(key);
    if (existing !== undefined) return existing;
    const client = createRegistry({ ...options.registry, ...accessOf(options, pullSecret) });
    clients.set(key, client);
    return client;
  };
}

type RegistryAccess = Required<Pick<RegistryOptions, 'credentials' | 'onDenied' | 'connection' | 'mirrors'>>;

/** The Secret of the Catalog comes first; a registry that it has no entry for is opened by that of the policy. */
function accessOf(options: RegistriesOptions, pullSecret: string | undefined): RegistryAccess {
  const { policies = NO_POLICIES, registry } = options;
  const [secrets, authorities] = [pullSecrets(options), certificateAuthorities(options)];
  const plainHttp = registry?.plainHttp ?? isLoopbackName;
  return {
    credentials: async (host, repository) => {
      const own = pullSecret === undefined ? undefined : (await secrets.get(pullSecret))(host, repository);
      if (own !== undefined) return own;
      const { pullSecret: shared } = policies.over(`${host}/${repository}`);
      return shared === undefined ? undefined : (await secrets.get(shared))(host, repository);
    },
    onDenied: () => secrets.forget(),
    connection: async ({ registry: host, repository }) => {
      const { insecure, certificateAuthority } = policies.over(`${host}/${repository}`);
      if (certificateAuthority === undefined) return { plainHttp: insecure ?? plainHttp(host) };
      return { plainHttp: insecure ?? false, ca: await authorities.get(certificateAuthority) };
    },
    mirrors: mirrorsOf(policies),
  };
}
