/**
 * Whether a request is from the console's own pages. The name of the host is checked against DNS rebinding, the origin
 * against other sites, and both on every request. Pure.
 */

/** The names under which browsers reach the console. */
export type OwnHosts =
  /** This machine, on any port: a tunnel may have another one. */
  | 'loopback'
  /** `https://console.example` */
  | { readonly origin: string };

export interface RequestSource {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `sec-fetch-site`, which scripts cannot set. */
  readonly site: string | undefined;
}

/** Why a request is refused; undefined if it is not. */
export function refuseForeign(source: RequestSource, own: OwnHosts): string | undefined {
  const origin = originOf(source.host, own);
  if (origin === undefined) return 'the console is not reached under this name';
  const { method } = source;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return 'only GET, HEAD and POST are answered';
  if (source.origin !== undefined && source.origin !== origin) return 'the request comes from another site';
  if (method === 'POST' && source.origin === undefined && source.site !== 'same-origin')
    return 'the request does not say which page it comes from';
  const isNavigation = source.site === 'none' || !source.path.startsWith('/api/');
  if (source.site !== undefined && source.site !== 'same-origin' && !(isNavigation && method === 'GET'))
    return 'the request comes from another site';
  return undefined;
}

/** The origin of the console's own pages, for a request to this host; undefined for the host of another. */
function originOf(host: string | undefined, own: OwnHosts): string | undefined {
  if (host === undefined) return undefined;
  if (own !== 'loopback') return host.toLowerCase() === new URL(own.origin).host ? own.origin : undefined;
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i.test(host) ? `http://${host.toLowerCase()}` : undefined;
}
