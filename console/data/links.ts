/** Paths of the views, for links: each name is encoded. Pure. */

/** `/subscriptions/ops/gadget`, or a view below it. */
export function subscriptionPath(
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
  part?: 'graph' | 'plan' | 'uninstall',
): string {
  const tail = part === undefined ? '' : `/${part}`;
  return `/subscriptions/${encode(namespace)}/${encode(name)}${tail}`;
}

export function revisionPath(namespace: string, name: string): string {
  return `/revisions/${encode(namespace)}/${encode(name)}`;
}

export function packagePath(catalog: string, name: string, channel?: string): string {
  return withQuery(`/catalog/${encode(catalog)}/${encode(name)}`, { channel });
}

export function iconPath(catalog: string, name: string): string {
  return `/api/icon/${encode(catalog)}/${encode(name)}`;
}

/** A path with a query; parameters without a value are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encode(value)}`],
  );
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** Halves of characters cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
