/** `Link: <…>; rel="next"`: the address of the next page. */
import type { HttpResponse } from './transport.ts';

/**
 * The address of the next page, or undefined at the end. It must be on the origin of the page itself.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8288#section-3
 */
export function nextPage({ headers, url }: Pick<HttpResponse, 'headers' | 'url'>): URL | undefined {
  const link = [headers.link].flat().join(', ');
  const target = /<([^<>]{1,4096})>\s*;\s*(?:[^,<>]*;\s*)?rel="?next"?(?=[\s;,]|$)/i.exec(link.slice(0, 8192))?.[1];
  if (target === undefined || !URL.canParse(target, url.href)) return undefined;
  const next = new URL(target, url);
  return next.origin === url.origin ? next : undefined;
}
