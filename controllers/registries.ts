/** Registry clients with the credentials of pull secrets: one for each Secret, sharing connections between calls. */
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import { parseDockerConfig, type CredentialLookup } from '../oci/docker-config.ts';
import { createRegistry, type Registry, type RegistryOptions } from '../oci/registry.ts';

/** How long the content of a Secret is used, in milliseconds, unless a registry rejects it. */
const SECRET_AGE_MS = 30_000;

/** The client for a pull secret of the manager's namespace; anonymous without one. */
export type Registries = (pullSecret: string | undefined) => Registry;

export interface RegistriesOptions {
  readonly cluster: Pick<Cluster, 'get'>;
  /** The manager's namespace. */
  readonly namespace: string;
  readonly registry?: Omit<RegistryOptions, 'credentials' | 'onDenied'>;
  readonly now?: () => number;
}

export function createRegistries(options: RegistriesOptions): Registries {
  const clients = new Map<string, Registry>();
  return (pullSecret) => {
    const key = pullSecret ?? '';
    const existing = clients.get(key);
    if (existing !== undefined) return existing;
    const credentials = pullSecret === undefined ? {} : credentialsIn(options, pullSecret);
    const client = createRegistry({ ...options.registry, ...credentials });
    clients.set(key, client);
    return client;
  };
}

type Lookup = ReturnType<typeof parseDockerConfig>;

/**
 * Only a Secret that could be read is kept, and only until a registry rejects its credentials: a corrected Secret
 * counts at the next attempt.
 */
function credentialsIn(
  options: RegistriesOptions,
  name: string,
): Required<Pick<RegistryOptions, 'credentials' | 'onDenied'>> {
  const now = options.now ?? Date.now;
  let known: { readonly at: number; readonly lookup: Lookup } | undefined;
  const credentials: CredentialLookup = async (registry, repository) => {
    if (known !== undefined && now() - known.at <= SECRET_AGE_MS) return known.lookup(registry, repository);
    const at = now();
    const lookup = parseSecret(await readSecret(options, name), `${options.namespace}/${name}`);
    known = { at, lookup };
    return lookup(registry, repository);
  };
  const onDenied = (): void => {
    known = undefined;
  };
  return { credentials, onDenied };
}

/** Adds the name of the Secret to the message, since there may be several. */
function parseSecret(content: Uint8Array, secret: string): Lookup {
  try {
    return parseDockerConfig(content);
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    const { reason, retry, hint, message } = error;
    const named = { message: `Secret ${secret}: ${message}`, forTenants: FOR_TENANTS };
    throw new ReasonedError({ reason, retry, ...named, cause: error, ...(hint !== undefined && { hint }) });
  }
}

const FOR_TENANTS = 'the pull secret of the Catalog cannot be used. Ask an administrator of the cluster';

async function readSecret({ cluster, namespace }: RegistriesOptions, name: string): Promise<Uint8Array> {
  const secret = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  const data = secret?.['data'] as Readonly<Record<string, string>> | undefined;
  const content = data?.['.dockerconfigjson'] ?? data?.['.dockercfg'];
  if (content !== undefined) return Buffer.from(content, 'base64');
  throw new ReasonedError({
    reason: 'PullSecretInvalid',
    retry: 'backoff',
    message:
      secret === undefined
        ? `Secret ${namespace}/${name} does not exist`
        : `Secret ${namespace}/${name} has no .dockerconfigjson`,
    hint: 'Create it with kubectl create secret docker-registry in the namespace of the manager',
    forTenants: FOR_TENANTS,
  });
}
