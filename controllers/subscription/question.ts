/** The question of a Subscription for the resolver, from its spec, its standing and the facts around it. Pure. */
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { CatalogSource, ClusterFacts, Installed, ResolveInput, Wanted } from '../../resolver/input.ts';
import { barredBy } from './quarantine.ts';
import type { Standing } from './standing.ts';

interface OuterFacts {
  readonly subscription: Subscription;
  readonly catalogs: readonly CatalogSource[];
  readonly cluster: ClusterFacts;
}

/** The question for the resolver. */
export function questionOf(
  { subscription, catalogs, cluster }: OuterFacts,
  { installed, quarantined }: Pick<Standing, 'installed' | 'quarantined'>,
  expired?: () => boolean,
): ResolveInput {
  return {
    wanted: wantedOf(subscription),
    ...(installed !== undefined && { installed: describeInstalled(installed) }),
    catalogs,
    quarantined: barredBy({ subscription, catalogs, installed, quarantined }),
    cluster,
    ...(expired !== undefined && { expired }),
  };
}

function wantedOf({ spec }: Subscription): Wanted {
  const { package: name, channel, version, edges, dependencies, catalog, catalogSelector } = spec;
  return {
    package: name,
    edges,
    dependencies,
    catalogSelector,
    ...(channel !== undefined && { channel }),
    ...(version !== undefined && { version }),
    ...(catalog !== undefined && { catalog }),
  };
}

/** The installed bundle, from its Revision. */
export function describeInstalled({ spec }: Revision): Installed {
  const { bundle, version, release, catalog, channel, image } = spec;
  return {
    bundle,
    version,
    catalog,
    image,
    ...(release !== undefined && { release }),
    ...(channel !== undefined && { channel }),
  };
}
