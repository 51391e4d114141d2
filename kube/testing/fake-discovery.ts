/**
 * Aggregated discovery of the fake API server: its kinds, as a client that asks for them gets them. Pure.
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
import type { Resource } from '../client/resource-path.ts';

interface Served {
  readonly kinds: readonly Resource[];
  /** Group versions whose API does not answer. */
  readonly stale: ReadonlySet<string>;
}

/** The answer to `/api` or `/apis`. */
export function describeKinds(root: string, { kinds, stale }: Served): unknown {
  const served = kinds.filter(({ apiVersion }) => apiVersion.includes('/') === (root === '/apis'));
  const versions = Map.groupBy(served, ({ apiVersion }) => apiVersion);
  for (const apiVersion of stale) if (root === '/apis') versions.set(apiVersion, []);
  const items = [...versions].map(([apiVersion, resources]) => ({
    metadata: apiVersion.includes('/') ? { name: apiVersion.split('/')[0] } : {},
    versions: [
      {
        version: apiVersion.split('/').at(-1),
        freshness: stale.has(apiVersion) ? 'Stale' : 'Current',
        resources: resources.map(describeKind),
      },
    ],
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function describeKind({ kind, plural, namespaced, verbs }: Resource): unknown {
  return {
    resource: plural,
    responseKind: { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    verbs,
  };
}
