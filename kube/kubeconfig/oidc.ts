/**
 * Credentials from an OpenID Connect issuer: the id-token of the kubeconfig while it is valid, then those that the
 * issuer returns for the refresh-token. They are kept in memory; the kubeconfig is not written. Uses `openid-client`
 * directly: the official client cannot refresh (version 2.0.1 passes the issuer as text, which is rejected).
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as openid from 'openid-client';
import { systemClock, type Clock } from '../clock.ts';
import type { Credentials, CredentialSource } from '../transport/config.ts';
import type { KubeconfigEntry } from './choose.ts';
import { fetchTrusting } from './fetch-trusting.ts';
import { noCredentials } from './invalid.ts';
import type { KubeconfigUser } from './schema.ts';

export interface OidcUser {
  readonly user: KubeconfigEntry<KubeconfigUser>;
  /** The settings of the auth-provider, such as `idp-issuer-url`. */
  readonly config: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** A token is replaced this long before it expires: it has to reach the API server in time. */
const LEAD_SECONDS = 10;

/** Throws ReasonedError(CredentialsUnavailable, backoff) if a token has expired and the issuer returns no other. */
export function createOidcCredentials(facts: OidcUser): CredentialSource {
  const { clock = systemClock, config } = facts;
  let tokens: Tokens = { id: config['id-token'] ?? '', refresh: config['refresh-token'] ?? '' };
  let refreshing: Promise<Credentials> | undefined;
  const refresh = async (): Promise<Credentials> => {
    tokens = await requestTokens(facts, tokens);
    return { token: tokens.id };
  };
  return async ({ fresh = false } = {}) => {
    const isGood = tokens.id !== '' && expiryOf(tokens.id) - LEAD_SECONDS > clock.wall() / 1000;
    // Without a refresh-token there is nothing to try, and the API server's own answer is clearer.
    if (isGood && (!fresh || tokens.refresh === '')) return { token: tokens.id };
    refreshing ??= refresh().finally(() => (refreshing = undefined));
    return refreshing;
  };
}

interface Tokens {
  readonly id: string;
  readonly refresh: string;
}

/** When a token expires, in seconds since 1970; 0 for a text that is no token with an expiry. */
function expiryOf(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const { exp } = claims as { readonly exp?: unknown };
    return typeof exp === 'number' ? exp : 0;
  } catch {
    return 0;
  }
}

async function requestTokens(facts: OidcUser, { refresh }: Tokens): Promise<Tokens> {
  const { config } = facts;
  const missing = ['idp-issuer-url', 'client-id'].find((name) => (config[name] ?? '') === '');
  if (missing !== undefined) throw failure(facts, `its id-token has expired, and ${missing} is not set`);
  if (refresh === '') throw failure(facts, 'its id-token has expired, and there is no refresh-token');
  try {
    const client = await discover(facts);
    const { id_token: id, refresh_token: next = refresh } = await openid.refreshTokenGrant(client, refresh);
    if (id === undefined) throw new Error('the answer has no id_token');
    return { id, refresh: next };
  } catch (cause) {
    throw failure(facts, `the issuer ${config['idp-issuer-url']} gives no token: ${describe(cause as Error)}`, cause);
  }
}

async function discover(facts: OidcUser): Promise<openid.Configuration> {
  const { config } = facts;
  const { 'idp-issuer-url': issuer = '', 'client-id': id = '', 'client-secret': secret = '' } = config;
  const ca = await authorityOf(facts);
  return openid.discovery(new URL(issuer), id, undefined, secret === '' ? openid.None() : authenticateBy(secret), {
    ...(ca !== undefined && { [openid.customFetch]: fetchTrusting(ca) }),
  });
}

/** Sends the client secret in the header, which every issuer accepts unless it announces otherwise. */
function authenticateBy(secret: string): openid.ClientAuth {
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}

async function authorityOf({ user, config }: OidcUser): Promise<string | undefined> {
  const { 'idp-certificate-authority-data': data = '', 'idp-certificate-authority': file = '' } = config;
  if (data !== '') return Buffer.from(data, 'base64').toString();
  return file === '' ? undefined : readFile(resolve(dirname(user.path), file), 'utf8');
}

/** The issuer's error message if there is one, else the connection error. */
function describe(error: Error & { readonly error_description?: string; readonly error?: string }): string {
  const { error: code, error_description: said, cause } = error;
  if (code !== undefined) return said === undefined ? code : `${code}: ${said}`;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

function failure({ user }: OidcUser, problem: string, cause?: unknown): Error {
  return noCredentials(
    `user ${JSON.stringify(user.name)} in ${user.path} cannot log in by OIDC: ${problem}`,
    'Log in again with the program that wrote the kubeconfig',
    cause,
  );
}
