/**
 * One spelling for each host of a registry: a policy for `quay.io` is also about `Quay.IO`, `quay.io.` and `quay.io:443`,
 * which lead to the same server. Names are compared only in this spelling.
 */

export const DEFAULT_REGISTRY = 'docker.io';

/** Names of Docker Hub; it is asked at the second. */
const DEFAULT_ALIASES: ReadonlySet<string> = new Set(['index.docker.io', 'registry-1.docker.io']);

/**
 * `Quay.IO.:443` → `quay.io`; `localhost:80` → `localhost`, which is spoken to without TLS; `index.docker.io` →
 * `docker.io`; `10.1:5000` → `10.0.0.1:5000`. A text that is no host comes back in lower case.
 */
export function canonicalHost(host: string): string {
  const { name = '', digits } = /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<digits>\d+))?$/.exec(host)?.groups ?? {};
  const port = digits?.replace(/^0+(?=\d)/, '');
  if (name === '') return host.toLowerCase();
  const canonical = canonicalName(name.toLowerCase().replace(/\.$/, ''));
  if (port !== undefined && !isImplied(canonical, port)) return `${canonical}:${port}`;
  return DEFAULT_ALIASES.has(canonical) ? DEFAULT_REGISTRY : canonical;
}

/** Without its port a host of one word would be read as part of a repository. */
function isImplied(name: string, port: string): boolean {
  return isLoopbackName(name) ? port === '80' : port === '443' && /[.[]/.test(name);
}

/** `Quay.IO:443/team` → `quay.io/team`: a prefix of image names, or the complete name of a repository. */
export function canonicalPrefix(prefix: string): string {
  const [host = '', ...path] = prefix.split('/');
  return [canonicalHost(host), ...path].join('/');
}

/** Addresses have many spellings: `10.1`, `0xa.0.0.1`, `[0::1]`. The connection is made to the one that a URL has. */
function canonicalName(name: string): string {
  if (!/^\[|(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) return name;
  const url = URL.parse(`https://${name}/`);
  return url === null ? name : url.hostname;
}

/** Whether a registry is this machine by its name: `localhost:5000`, `127.0.0.1:5000`, `[::1]:5000`. */
export function isLoopbackName(registry: string): boolean {
  return /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(registry);
}
