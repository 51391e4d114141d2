/**
 * Builds a connection from the chosen cluster and user of a kubeconfig; secrets in files are read when they are needed.
 */
import { dirname, resolve } from 'node:path';
import {
  fileSource,
  type ConnectionConfig,
  type CredentialSource,
  type Impersonation,
  type Pem,
  type TextSource,
} from '../transport/config.ts';
import type { ChosenContext, KubeconfigEntry } from './choose.ts';
import { invalidKubeconfig } from './invalid.ts';
import type { KubeconfigCluster, KubeconfigUser } from './schema.ts';

/** @throws ReasonedError KubeconfigInvalid, never, for a setting that is not supported or contradicts another */
export function connectionTo({ cluster, user }: ChosenContext): ConnectionConfig {
  const parts = { ...partsOfCluster(cluster), ...(user !== undefined && partsOfUser(user, cluster)) };
  const present = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  return { server: cluster.value.server, ...present };
}

type ConnectionParts<Name extends keyof ConnectionConfig> = {
  readonly [Key in Name]: ConnectionConfig[Key] | undefined;
};

function partsOfCluster(
  entry: KubeconfigEntry<KubeconfigCluster>,
): ConnectionParts<'ca' | 'tlsServerName' | 'insecureSkipTlsVerify' | 'proxyEnv'> {
  const { value: cluster, path } = entry;
  const ca = pemOf(cluster['certificate-authority-data'], cluster['certificate-authority'], path);
  const insecure = cluster['insecure-skip-tls-verify'] === true;
  if (insecure && ca !== undefined)
    throw refusal('cluster', entry, 'has a certificate authority and insecure-skip-tls-verify', 'Remove one of them');
  return {
    ca,
    tlsServerName: cluster['tls-server-name'],
    insecureSkipTlsVerify: insecure ? true : undefined,
    proxyEnv: proxyOf(entry),
  };
}

/** Like kubectl, prefers the kubeconfig's proxy to the environment. */
function proxyOf(entry: KubeconfigEntry<KubeconfigCluster>): ConnectionConfig['proxyEnv'] {
  const { 'proxy-url': proxy = '' } = entry.value;
  if (proxy === '') return undefined;
  if (!/^https?:$/.test(URL.parse(proxy)?.protocol ?? ''))
    throw refusal('cluster', entry, 'has a proxy-url that is not supported', 'Name an http:// or https:// proxy');
  return { HTTPS_PROXY: proxy };
}

function partsOfUser(
  entry: KubeconfigEntry<KubeconfigUser>,
  cluster: KubeconfigEntry<KubeconfigCluster>,
): ConnectionParts<'clientCert' | 'clientKey' | 'token' | 'credentials' | 'impersonate'> {
  const { value: user, path } = entry;
  if (user.username !== undefined || user.password !== undefined)
    throw refusal(
      'user',
      entry,
      'has a username and a password, which API servers no longer accept',
      'Use a token, a client certificate or a credential plugin',
    );
  const token = tokenOf(user, path);
  return {
    clientCert: pemOf(user['client-certificate-data'], user['client-certificate'], path),
    clientKey: pemOf(user['client-key-data'], user['client-key'], path),
    token,
    // Like kubectl, prefers a token in the file to one from a plugin.
    credentials: token === undefined ? credentialsOf(entry, cluster) : undefined,
    impersonate: impersonationOf(entry),
  };
}

function pemOf(data: string | undefined, file: string | undefined, path: string): Pem | undefined {
  if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString();
  return file === undefined || file === '' ? undefined : fileSource(resolve(dirname(path), file));
}

/** Like kubectl, prefers a token file to a token in the kubeconfig. */
function tokenOf({ token, tokenFile }: KubeconfigUser, path: string): TextSource | undefined {
  if (tokenFile !== undefined && tokenFile !== '') return fileSource(resolve(dirname(path), tokenFile));
  return token === undefined || token === '' ? undefined : () => token;
}

function credentialsOf(
  entry: KubeconfigEntry<KubeconfigUser>,
  cluster: KubeconfigEntry<KubeconfigCluster>,
): CredentialSource | undefined {
  const { exec, 'auth-provider': provider } = entry.value;
  if (exec && provider) throw refusal('user', entry, 'has an exec plugin and an auth-provider', 'Remove one of them');
  if (exec)
    return whenAsked(async () => (await import('./exec.ts')).createExecCredentials({ user: entry, exec, cluster }));
  if (!provider) return undefined;
  if (provider.name !== 'oidc')
    throw refusal(
      'user',
      entry,
      `has the auth-provider ${JSON.stringify(provider.name)}, which Kubernetes no longer has`,
      'Log in again with the credential plugin of your cloud, which writes an exec section',
    );
  const config = provider.config ?? {};
  return whenAsked(async () => (await import('./oidc.ts')).createOidcCredentials({ user: entry, config }));
}

/** Loads a library at the first request, so that commands without requests start fast. */
function whenAsked(create: () => Promise<CredentialSource>): CredentialSource {
  let source: Promise<CredentialSource> | undefined;
  return async (options) => (await (source ??= create()))(options);
}

function impersonationOf(entry: KubeconfigEntry<KubeconfigUser>): Impersonation | undefined {
  const { as: user = '', 'as-uid': uid = '', 'as-groups': groups, 'as-user-extra': extra } = entry.value;
  const others = { uid, groups: groups ?? [], extra: extra ?? {} };
  if (user !== '') return { user, ...others };
  if (uid !== '' || others.groups.length > 0 || Object.keys(others.extra).length > 0)
    throw refusal('user', entry, 'has as-uid, as-groups or as-user-extra without `as`', 'Name the user to act as');
  return undefined;
}

function refusal(
  kind: 'cluster' | 'user',
  { name, path }: KubeconfigEntry<unknown>,
  problem: string,
  hint: string,
): Error {
  return invalidKubeconfig(`kubeconfig ${path}: ${kind} ${JSON.stringify(name)} ${problem}`, hint);
}
