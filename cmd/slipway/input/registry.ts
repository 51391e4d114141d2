/** Opens the registry client as the flags and the user's configuration say. */
import type { Mirrors } from '../../../oci/mirrors.ts';
import { isLoopbackName } from '../../../oci/host.ts';
import { createRegistry, type Registry } from '../../../oci/registry.ts';
import type { Environment } from '../environment.ts';
import { findCredentials } from './credentials.ts';
import { patientRegistry } from './patient-registry.ts';

export interface RegistryFlags {
  /** Speak to every registry without TLS; those on this machine always are. */
  readonly plainHttp?: boolean;
  /** File with credentials. */
  readonly registryConfig?: string;
}

/** Runs work with a client, which waits while a registry is busy, and pulls from mirrors if some are given, and closes its connections afterwards. */
export async function withRegistry<Result>(
  environment: Environment,
  { plainHttp = false, registryConfig }: RegistryFlags,
  work: (registry: Registry) => Promise<Result>,
  mirrors?: Mirrors,
): Promise<Result> {
  const registry = createRegistry({
    credentials: findCredentials(environment, registryConfig),
    plainHttp: (name) => plainHttp || isLoopbackName(name),
    proxyEnv: environment.variables,
    signal: environment.signal,
    userAgent: 'slipway-cli',
    ...(mirrors !== undefined && { mirrors }),
  });
  try {
    return await work(patientRegistry(registry, environment));
  } finally {
    registry.close();
  }
}
