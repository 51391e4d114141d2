/** Parses the answers of aggregated discovery. Pure. */
import * as z from 'zod/mini';
import type { Resource } from './resource-path.ts';

/** The kinds that a server served at one moment. */
export interface DiscoveredKinds {
  readonly all: readonly Resource[];
  find(kind: Pick<Resource, 'apiVersion' | 'kind'>): Resource | undefined;
  /** Whether the API of this group and version did not answer at discovery. */
  isStale(apiVersion: string): boolean;
}

/** Builds the table of kinds from the bodies of `/api` and `/apis`; throws if one is no discovery document. */
export function parseDiscovery(bodies: readonly string[]): DiscoveredKinds {
  const all: Resource[] = [];
  const stale = new Set<string>();
  for (const body of bodies) {
    for (const { metadata, versions } of document.parse(JSON.parse(body)).items) {
      for (const { version, resources, freshness } of versions) {
        const apiVersion = metadata?.name ? `${metadata.name}/${version}` : version;
        if (freshness === 'Stale') stale.add(apiVersion);
        for (const entry of resources) all.push(...toResource(apiVersion, entry));
      }
    }
  }
  const table = new Map(all.map((resource) => [keyOf(resource), resource]));
  return { all, find: (kind) => table.get(keyOf(kind)), isStale: (apiVersion) => stale.has(apiVersion) };
}

const entry = z.object({
  resource: z.string(),
  responseKind: z.optional(z.object({ kind: z.string() })),
  scope: z.optional(z.string()),
  // An aggregated API server may serve a kind without verbs, which Go writes as null.
  verbs: z.nullish(z.array(z.string())),
  subresources: z.optional(z.array(z.object({ subresource: z.string() }))),
});

const document = z.object({
  kind: z.literal('APIGroupDiscoveryList'),
  items: z.array(
    z.object({
      metadata: z.optional(z.object({ name: z.optional(z.string()) })),
      versions: z._default(
        z.array(
          z.object({
            version: z.string(),
            freshness: z.optional(z.string()),
            resources: z._default(z.array(entry), []),
          }),
        ),
        [],
      ),
    }),
  ),
});

/** Undefined for an entry that only has subresources. */
function toResource(
  apiVersion: string,
  { resource, responseKind, scope, verbs, subresources }: z.infer<typeof entry>,
): Resource[] {
  if (responseKind === undefined || responseKind.kind === '') return [];
  return [
    {
      apiVersion,
      kind: responseKind.kind,
      plural: resource,
      namespaced: scope === 'Namespaced',
      verbs: verbs ?? [],
      subresources: (subresources ?? []).map(({ subresource }) => subresource),
    },
  ];
}

function keyOf({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>): string {
  return `${apiVersion} ${kind}`;
}
