/**
 * Reads the part of kubeconfig files that needs no helper program: tokens and client certificates. Anything else a
 * user may have (exec plugins, OIDC) is refused by name, so that the CLI can hand it to a library that knows it.
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { load } from 'js-yaml';
import * as z from 'zod/mini';
import { ReasonedError } from '../api/errors.ts';
import { fileSource, type ConnectionConfig, type Pem, type TextSource } from './config.ts';

export interface Kubeconfig {
  readonly config: ConnectionConfig;
  /** The context's namespace; `default` where it names none. */
  readonly namespace: string;
}

export interface KubeconfigOptions {
  /** Instead of `current-context`. */
  readonly context?: string;
}

/** Reads the file at `path`. Throws ReasonedError(KubeconfigInvalid, never). */
export async function loadKubeconfig(path: string, options: KubeconfigOptions = {}): Promise<Kubeconfig> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw invalid(`cannot read ${path}`, 'Name a kubeconfig file that exists', cause);
  });
  return parseKubeconfig(text, { ...options, folder: dirname(resolve(path)) });
}

/**
 * The connection of a context; files that the text names are relative to `folder` and read when they are needed.
 * Throws ReasonedError(KubeconfigInvalid, never).
 */
export function parseKubeconfig(
  text: string,
  { context, folder }: KubeconfigOptions & { readonly folder: string },
): Kubeconfig {
  const file = parseFile(text);
  const chosen = find('context', file.contexts, context ?? file['current-context'] ?? '').context;
  const { cluster } = find('cluster', file.clusters, chosen.cluster);
  const { user } = find('user', file.users, chosen.user);
  refuseUnsupported(user, cluster);
  const parts = {
    ca: pemOf(cluster['certificate-authority-data'], cluster['certificate-authority'], folder),
    clientCert: pemOf(user['client-certificate-data'], user['client-certificate'], folder),
    clientKey: pemOf(user['client-key-data'], user['client-key'], folder),
    token: tokenOf(user, folder),
    tlsServerName: cluster['tls-server-name'],
  };
  const present = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  return { config: { server: cluster.server, ...present }, namespace: chosen.namespace ?? 'default' };
}

const text = z.optional(z.string());
const clusterSchema = z.looseObject({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
});
const userSchema = z.looseObject({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
});
const fileSchema = z.looseObject({
  'current-context': text,
  contexts: z.array(
    z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string(), namespace: text }) }),
  ),
  clusters: z.array(z.object({ name: z.string(), cluster: clusterSchema })),
  users: z.array(z.object({ name: z.string(), user: userSchema })),
});
type User = z.infer<typeof userSchema>;

function parseFile(source: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(load(source));
  } catch (cause) {
    throw invalid('the kubeconfig cannot be parsed', 'Check its syntax with `kubectl config view`', cause);
  }
}

function find<Entry extends { readonly name: string }>(what: string, entries: readonly Entry[], name: string): Entry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined)
    throw invalid(`the kubeconfig has no ${what} ${JSON.stringify(name)}`, 'Choose a context that exists');
  return entry;
}

const UNSUPPORTED_OF_USER = ['exec', 'auth-provider', 'username', 'password', 'as', 'as-groups', 'as-uid'];
const UNSUPPORTED_OF_CLUSTER = ['insecure-skip-tls-verify', 'proxy-url'];

function refuseUnsupported(user: Readonly<Record<string, unknown>>, cluster: Readonly<Record<string, unknown>>): void {
  const found =
    UNSUPPORTED_OF_USER.find((name) => Boolean(user[name])) ??
    UNSUPPORTED_OF_CLUSTER.find((name) => Boolean(cluster[name]));
  if (found !== undefined) {
    throw invalid(`the kubeconfig uses ${found}, which is not supported here`, 'Use a token or a client certificate');
  }
}

function pemOf(data: string | undefined, path: string | undefined, folder: string): Pem | undefined {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString();
  return path === undefined || path === '' ? undefined : fileSource(resolve(folder, path));
}

/** As kubectl: a file is read before a token that is written down. */
function tokenOf({ token, tokenFile }: User, folder: string): TextSource | undefined {
  if (tokenFile !== undefined && tokenFile !== '') return fileSource(resolve(folder, tokenFile));
  return token === undefined || token === '' ? undefined : () => token;
}

function invalid(message: string, hint: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'KubeconfigInvalid',
    retry: 'never',
    message,
    hint,
    ...(cause !== undefined && { cause }),
  });
}
