/**
 * Finds what a misspelt name or range in a spec may stand for: a package, a channel or a catalog that there is, and the
 * versions that there are. It looks only into catalogs that may be used in the namespace; the others are not given to it.
 */
import { ReasonedError } from '../api/errors.ts';
import { openSource } from './catalogs.ts';
import type { Suggestion } from './decision.ts';
import { compareHighestFirst, type GraphBundle, type UpgradeGraph } from './graph.ts';
import type { CatalogSource, Wanted } from './input.ts';
import { similarTo } from './similar.ts';

/** Packages of the catalogs that have a say, with names like the one that none of them has. */
export function suggestPackages(
  { package: name, catalog }: Wanted,
  catalogs: readonly CatalogSource[],
): readonly Suggestion[] {
  const searched = catalogs.filter((one) => catalog === undefined || one.name === catalog);
  const packages = similarTo(name, searched.flatMap(packagesIn));
  return packages.length === 0 ? [] : [{ change: 'package', packages }];
}

/** Empty if the catalog turns out to be damaged. */
function packagesIn({ state, packages }: CatalogSource): readonly string[] {
  if (state !== 'Serving' || packages === undefined) return [];
  try {
    return packages();
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    return [];
  }
}

/** Changes of the catalog, those first whose names are similar to the misspelt one. */
export function nearestFirst(name: string, changes: readonly Suggestion[]): readonly Suggestion[] {
  const nameOf = (change: Suggestion): string => (change.change === 'catalog' ? (change.catalogs[0] ?? '') : '');
  const similar = similarTo(name, changes.map(nameOf));
  const rankOf = (change: Suggestion): number => {
    const rank = similar.indexOf(nameOf(change));
    return rank < 0 ? similar.length : rank;
  };
  return changes.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** How to write a range, and the offered versions, if the range cannot be parsed. */
export function suggestRange({ package: name, catalog }: Wanted, catalogs: readonly CatalogSource[]): Suggestion {
  const searched = catalogs.filter((one) => one.selected !== false && (catalog === undefined || one.name === catalog));
  const graphs = searched.flatMap((source) => {
    const opened = openSource(source, name);
    return 'graph' in opened ? [opened.graph] : [];
  });
  return { change: 'range', offered: versionsIn(graphs) };
}

/** The offered versions that can be parsed, each once, the highest first. */
export function versionsIn(
  graphs: readonly UpgradeGraph[],
  isMeant: (bundle: GraphBundle) => boolean = () => true,
): readonly string[] {
  const bundles = graphs
    .flatMap((graph) => [...graph.bundles.values()])
    .filter((bundle) => bundle.version.ok && isMeant(bundle));
  return [...new Set(bundles.toSorted(compareHighestFirst).map(({ bundle }) => bundle.version))];
}
