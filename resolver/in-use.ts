/** Finds the deprecations of the installed bundle and its limit, whatever bundle comes next. */
import { reachedOpenShift } from './cluster.ts';
import { findInstalled, originOf } from './selection.ts';
import { graphIn } from './catalogs.ts';
import type { Deprecations, InUse } from './decision.ts';
import type { UpgradeGraph } from './graph.ts';
import type { ClusterFacts, Installed, ResolveInput } from './input.ts';

/**
 * Deprecations of the installed package, channel and bundle, and the limit of the bundle, as stated by the catalog of origin, selected or not, else
 * by the one that follows it. Undefined if nothing is installed, or neither catalog knows it.
 * @param successor Name of the catalog that was chosen instead of the catalog of origin.
 */
export function factsInUse(
  { wanted, installed, catalogs, cluster }: ResolveInput,
  successor: string | undefined,
): InUse | undefined {
  if (installed === undefined) return undefined;
  const names = [installed.catalog, ...(successor === undefined ? [] : [successor])];
  for (const name of names) {
    const source = catalogs.find((catalog) => catalog.name === name);
    const graph = source && graphIn(source, wanted.package);
    if (graph !== undefined) return factsOf(installed, graph, cluster);
  }
  return undefined;
}

function factsOf(
  { bundle, version, release, channel }: Installed,
  graph: UpgradeGraph,
  cluster: ClusterFacts | undefined,
): InUse {
  const known = findInstalled(graph, originOf(bundle, version, release));
  const deprecations = listDeprecations({
    package: graph.deprecation,
    channel: channel === undefined ? undefined : graph.channels.get(channel)?.deprecation,
    bundle: known?.deprecation,
  });
  const openShift = known && reachedOpenShift(known.bundle, cluster);
  return { ...deprecations, ...(openShift !== undefined && { openShift }) };
}

/** Deprecations without those that are none. */
export function listDeprecations(all: Readonly<Record<keyof Deprecations, string | undefined>>): Deprecations {
  const { package: ofPackage, channel, bundle } = all;
  return {
    ...(ofPackage !== undefined && { package: ofPackage }),
    ...(channel !== undefined && { channel }),
    ...(bundle !== undefined && { bundle }),
  };
}
