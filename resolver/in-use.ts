/** Finds the deprecations of the installed bundle, whatever bundle comes next. */
import { findInstalled, originOf } from './selection.ts';
import { graphIn } from './catalogs.ts';
import type { Deprecations } from './decision.ts';
import type { UpgradeGraph } from './graph.ts';
import type { Installed, ResolveInput } from './input.ts';

/**
 * Deprecations of the installed package, channel and bundle, as stated by the catalog of origin, selected or not, else
 * by the one that follows it. Undefined if nothing is installed, or neither catalog knows it.
 * @param successor Name of the catalog that was chosen instead of the catalog of origin.
 */
export function deprecationsInUse(
  { wanted, installed, catalogs }: ResolveInput,
  successor: string | undefined,
): Deprecations | undefined {
  if (installed === undefined) return undefined;
  const names = [installed.catalog, ...(successor === undefined ? [] : [successor])];
  for (const name of names) {
    const source = catalogs.find((catalog) => catalog.name === name);
    const graph = source && graphIn(source, wanted.package);
    if (graph !== undefined) return deprecationsOf(installed, graph);
  }
  return undefined;
}

function deprecationsOf({ bundle, version, release, channel }: Installed, graph: UpgradeGraph): Deprecations {
  const known = findInstalled(graph, originOf(bundle, version, release));
  return listDeprecations({
    package: graph.deprecation,
    channel: channel === undefined ? undefined : graph.channels.get(channel)?.deprecation,
    bundle: known?.deprecation,
  });
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
