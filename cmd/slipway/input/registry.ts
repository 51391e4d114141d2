/** Opens the registry client as the flags and the user's configuration say. */
import { createRegistry, isLoopbackName, type Registry } from '../../../oci/registry.ts';
import type { Environment } from '../environment.ts';
import { findCredentials } from './credentials.ts';

export interface RegistryFlags {
  /** Speak to every registry without TLS; those on this machine always are. */
  readonly plainHttp?: boolean;
  /** File with credentials. */
  readonly registryConfig?: string;
}

/** Runs work with a client, and closes its connections afterwards. */
export async function withRegistry<Result>(
  environment: Environment,
  { plainHttp = false, registryConfig }: RegistryFlags,
  work: (registry: Registry) => Promise<Result>,
): Promise<Result> {
  const registry = createRegistry({
    credentials: findCredentials(environment, registryConfig),
    plainHttp: (name) => plainHttp || isLoopbackName(name),
    proxyEnv: environment.variables,
    signal: environment.signal,
    userAgent: 'slipway-cli',
  });
  try {
    return await work(registry);
  } finally {
    registry.close();
  }
}
