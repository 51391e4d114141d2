/** `Link: <…>; rel="next"`: the address of the next page. */
import { unavailable } from './errors.ts';
import type { HttpResponse } from './transport.ts';

/**
 * The address of the next page, or undefined at the end. It is always on the origin of the page itself: registries behind
 * a proxy name their inside host or `http:`, and mean the path.
 *
 * @param what the list, for messages: `the tags of quay.io/org/app`
 * @throws RegistryUnavailable if another origin is named with a path that is none of a registry: the list would be cut
 * @see https://www.rfc-editor.org/rfc/rfc8288#section-3
 */
export function nextPage({ headers, url }: Pick<HttpResponse, 'headers' | 'url'>, what: string): URL | undefined {
  const link = [headers.link].flat().join(', ');
  const target = /<([^<>]{1,4096})>\s*;\s*(?:[^,<>]*;\s*)?rel="?next"?(?=[\s;,]|$)/i.exec(link.slice(0, 8192))?.[1];
  if (target === undefined) return undefined;
  const next = URL.parse(target, url.href);
  if (next?.origin === url.origin) return next;
  if (next?.pathname.startsWith('/v2/') === true) return new URL(next.pathname + next.search, url.origin);
  throw unavailable(`${what} have a next page that is not on ${url.host}`);
}
