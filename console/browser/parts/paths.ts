/** Paths of views that pages lead to by themselves; all other links come with the models. Pure. */

export function subscriptionPath(namespace: string, name: string): string {
  return `/subscriptions/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** The form, filled in for a package. */
export function subscribePath(catalog: string, packageName: string): string {
  return `/subscribe?${new URLSearchParams({ catalog, package: packageName }).toString()}`;
}
