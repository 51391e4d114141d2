/** Secrets and ConfigMaps that registries are used with: read from the manager's namespace when needed, and kept for a moment. */
import { X509Certificate } from 'node:crypto';
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import { parseDockerConfig } from '../oci/docker-config.ts';

/** How long the content of an object is used, in milliseconds, unless a registry rejects it. */
const MOST_AGE_MS = 30_000;

export interface SettingsOptions {
  readonly cluster: Pick<Cluster, 'get'>;
  /** The manager's namespace. */
  readonly namespace: string;
  readonly now?: () => number;
}

/** Content by the name of its object; only content that could be read is kept, so that a corrected object counts at once. */
class Settings<Content> {
  readonly #kept = new Map<string, { readonly at: number; readonly content: Content }>();
  readonly #read: (name: string) => Promise<Content>;
  readonly #now: () => number;

  constructor(read: (name: string) => Promise<Content>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  async get(name: string): Promise<Content> {
    const kept = this.#kept.get(name);
    const at = this.#now();
    if (kept !== undefined && at - kept.at <= MOST_AGE_MS) return kept.content;
    const content = await this.#read(name);
    this.#kept.set(name, { at, content });
    return content;
  }

  /** Content that a registry rejected is read again. */
  forget(): void {
    this.#kept.clear();
  }
}

export type PullSecretLookup = ReturnType<typeof parseDockerConfig>;

/** Pull secrets by name. `get` throws PullSecretInvalid, retried. */
export function pullSecrets(options: SettingsOptions): Settings<PullSecretLookup> {
  const read = async (name: string): Promise<PullSecretLookup> =>
    parseSecret(await readSecret(options, name), `${options.namespace}/${name}`);
  return new Settings(read, options.now ?? Date.now);
}

/** Certificates by the name of their ConfigMap. `get` throws RegistryPolicyInvalid, retried. */
export function certificateAuthorities(options: SettingsOptions): Settings<string> {
  return new Settings((name) => readAuthority(options, name), options.now ?? Date.now);
}

/** Adds the name of the Secret to the message, since there may be several. */
function parseSecret(content: Uint8Array, secret: string): PullSecretLookup {
  try {
    return parseDockerConfig(content);
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    const { reason, retry, hint, message } = error;
    const named = { message: `Secret ${secret}: ${message}`, forTenants: FOR_TENANTS };
    throw new ReasonedError({ reason, retry, ...named, cause: error, ...(hint !== undefined && { hint }) });
  }
}

const FOR_TENANTS = 'the pull secret of the registry cannot be used. Ask an administrator of the cluster';

async function readSecret({ cluster, namespace }: SettingsOptions, name: string): Promise<Uint8Array> {
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

async function readAuthority({ cluster, namespace }: SettingsOptions, name: string): Promise<string> {
  const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  const text = (found?.['data'] as Readonly<Record<string, string>> | undefined)?.['ca.crt'];
  if (text !== undefined && isPem(text)) return text;
  const problem =
    found === undefined
      ? 'does not exist'
      : text === undefined
        ? 'has no ca.crt'
        : 'has a ca.crt without a readable certificate';
  throw new ReasonedError({
    reason: 'RegistryPolicyInvalid',
    retry: 'backoff',
    message: `ConfigMap ${namespace}/${name} ${problem}`,
    hint: 'Create it from the certificates of the authority: kubectl create configmap NAME --from-file=ca.crt',
    forTenants: 'the certificate authority of the registry cannot be used. Ask an administrator of the cluster',
  });
}

/** Each certificate is parsed: the library of TLS ignores those that it cannot read, or fails every connection. */
function isPem(text: string): boolean {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block)).length > 0;
  } catch {
    return false;
  }
}
