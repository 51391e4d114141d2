/** The configuration file of the OCI registry. [pure] */
import { join } from 'node:path';
import type { Layout } from './components.ts';

/** The one user of a registry that asks for a password. */
export const REGISTRY_USER = { username: 'slipway', password: 'knock-knock' } as const;

/** bcrypt of that password: the only form that the registry reads. */
const REGISTRY_USER_HASH = '$2a$05$abcdefghijklmnopqrstuuDVsFUYAaRlJUs8irWbAcbnfBn8ON.yy';

export interface RegistryOptions {
  /** `basic` asks for REGISTRY_USER; an object is the registry's own `auth` section, such as `{ token: { realm … } }`. */
  readonly auth?: 'basic' | Readonly<Record<string, unknown>>;
  /** Whether manifests and blobs can be deleted; default true. */
  readonly delete?: boolean;
  /** Serve HTTPS with a certificate of the cluster's authority; default false. */
  readonly tls?: boolean;
}

/** A configuration as the program reads it, written as JSON, which is YAML too. */
export function registryConfig(options: RegistryOptions, { folder, address, ports }: Layout): string {
  const tls = { certificate: join(folder, 'pki', 'registry.crt'), key: join(folder, 'pki', 'registry.key') };
  return JSON.stringify({
    version: '0.1',
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: {
      filesystem: { rootdirectory: join(folder, 'registry') },
      delete: { enabled: options.delete ?? true },
      maintenance: { uploadpurging: { enabled: false } },
    },
    http: { addr: `${address}:${ports.registry}`, ...(options.tls === true ? { tls } : {}) },
    ...(options.auth === undefined ? {} : { auth: authSection(options.auth, folder) }),
  });
}

/** The line of the password file: that user, or another one with the same password. */
export function passwordFile(username: string = REGISTRY_USER.username): string {
  return `${username}:${REGISTRY_USER_HASH}\n`;
}

/** Sent by programs of the cluster itself to a registry that asks for a password; undefined for one that does not. */
export function registryAuthorization({ auth }: RegistryOptions): string | undefined {
  if (auth !== 'basic') return undefined;
  return `Basic ${Buffer.from(`${REGISTRY_USER.username}:${REGISTRY_USER.password}`).toString('base64')}`;
}

function authSection(auth: NonNullable<RegistryOptions['auth']>, folder: string): unknown {
  return auth === 'basic' ? { htpasswd: { realm: 'slipway', path: join(folder, 'htpasswd') } } : auth;
}
