/**
 * Pull secrets: the content of `.dockerconfigjson` or `.dockercfg` → the credential for a repository. The longest
 * path prefix wins. Helpers that run programs belong to the CLI and are not known here.
 */
import * as z from 'zod';
import { ReasonedError } from '../api/errors.ts';
import { canonicalHost } from './host.ts';

/** A credential for a registry. */
export type Credential =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  /** An OAuth2 refresh token. */
  | { readonly kind: 'identityToken'; readonly token: string }
  /** A bearer token to send as it is. */
  | { readonly kind: 'registryToken'; readonly token: string };

/** The credential for a repository, or undefined for anonymous access. */
export type CredentialLookup = (
  registry: string,
  repository: string,
) => Credential | undefined | Promise<Credential | undefined>;

const MAX_BYTES = 1 << 20;

const Entry = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
  registrytoken: z.string().optional(),
});

/**
 * Parses the content of a pull secret of type `kubernetes.io/dockerconfigjson` or `kubernetes.io/dockercfg`.
 *
 *     parseDockerConfig('{"auths":{"quay.io/org":{"auth":"dTpw"}}}')('quay.io', 'org/app') → { kind: 'basic', … }
 *
 * @throws PullSecretInvalid, retried with growing delays, because no controller watches Secrets.
 * @see https://kubernetes.io/docs/concepts/containers/images/#config-json
 */
export function parseDockerConfig(
  content: string | Uint8Array,
): (registry: string, repository: string) => Credential | undefined {
  const entries = new Map(parseEntries(content).map(([key, entry]) => [normalizeKey(key), toCredential(key, entry)]));
  return (registry, repository) =>
    prefixesOf(registry, repository)
      .map((prefix) => entries.get(prefix) ?? wildcard(entries, prefix))
      .find((credential) => credential !== undefined);
}

function parseEntries(content: string | Uint8Array): readonly (readonly [string, z.infer<typeof Entry>])[] {
  if (content.length > MAX_BYTES) throw invalid('it is larger than 1 MiB');
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
  const whole = z.record(z.string(), z.unknown()).safeParse(parseJsonText(text));
  if (!whole.success) throw invalid('it is not a JSON object');
  const auths = z
    .record(z.string(), Entry)
    .safeParse(Object.hasOwn(whole.data, 'auths') ? whole.data['auths'] : legacyPart(whole.data));
  if (!auths.success) throw invalid('its entries are not objects with auth, username, password or identitytoken');
  return Object.entries(auths.data);
}

/** `.dockercfg` has the entries at the top; other keys of a newer file are settings, not registries. */
function legacyPart(whole: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const settings = new Set(['credHelpers', 'credsStore', 'HttpHeaders', 'proxies', 'currentContext']);
  return Object.fromEntries(Object.entries(whole).filter(([key]) => !settings.has(key)));
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('it is not JSON');
  }
}

/** `https://index.docker.io/v1/` → `docker.io`; `https://quay.io/v2/org` → `quay.io/org`. */
function normalizeKey(key: string): string {
  const [host = '', ...path] = key.replace(/^https?:\/\//, '').split('/');
  const rest = path.filter((part) => part !== '');
  if (rest[0] === 'v1' || rest[0] === 'v2') rest.shift();
  return [canonicalHost(host), ...rest].join('/');
}

function toCredential(key: string, entry: z.infer<typeof Entry>): Credential | undefined {
  if (entry.registrytoken) return { kind: 'registryToken', token: entry.registrytoken };
  if (entry.identitytoken) return { kind: 'identityToken', token: entry.identitytoken };
  const pair = entry.auth ? decodeAuth(key, entry.auth) : { username: entry.username, password: entry.password };
  if (pair.username === '<token>' && pair.password) return { kind: 'identityToken', token: pair.password };
  if (pair.username === undefined || pair.username === '' || pair.password === undefined) return undefined;
  return { kind: 'basic', username: pair.username, password: pair.password };
}

function decodeAuth(key: string, auth: string): { username: string; password: string } {
  const text = Buffer.from(auth, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0)
    throw invalid(`its entry for ${JSON.stringify(key.slice(0, 100))} has an auth that is not base64 of user:password`);
  // Some tools pad the decoded text with zero bytes.
  return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') };
}

/** `quay.io`, `a/b` → `quay.io/a/b`, `quay.io/a`, `quay.io`. */
function prefixesOf(registry: string, repository: string): readonly string[] {
  const parts = repository.split('/');
  return Array.from(parts, (_, index) => [registry, ...parts.slice(0, parts.length - index)].join('/')).concat(
    registry,
  );
}

/** A `*` in a host matches one label, as in the kubelet: `*.example.com`. */
function wildcard(entries: ReadonlyMap<string, Credential | undefined>, prefix: string): Credential | undefined {
  const [host = '', ...path] = prefix.split('/');
  for (const [key, credential] of entries) {
    const [pattern = '', ...keyPath] = key.split('/');
    if (pattern.includes('*') && keyPath.join('/') === path.join('/') && hostMatches(pattern, host)) return credential;
  }
  return undefined;
}

function hostMatches(pattern: string, host: string): boolean {
  const wanted = pattern.split('.');
  const given = host.split('.');
  return wanted.length === given.length && wanted.every((label, index) => label === '*' || label === given[index]);
}

function invalid(why: string) {
  return new ReasonedError({
    reason: 'PullSecretInvalid',
    retry: 'backoff',
    message: `the pull secret cannot be read: ${why}`,
    hint: 'Create it with `kubectl create secret docker-registry`',
  });
}
