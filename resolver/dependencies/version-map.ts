/** The versions of one package that its Subscription could install, and those that each of them leads to. */
import type { CatalogPackage } from '../../catalog/model.ts';
import { findInstalled, isInside, originOf, selectChannels } from '../selection.ts';
import { misfit } from '../cluster.ts';
import { coverage, rankOf, rankVersions, type Interval } from '../coverage.ts';
import {
  edgeInto,
  upgradeGraph,
  type EdgeStart,
  type GraphBundle,
  type GraphEntry,
  type UpgradeGraph,
} from '../graph.ts';
import type { ResolveInput } from '../input.ts';
import { parseMastermindsRange } from '../ranges/masterminds.ts';
import { compareBundleVersions } from '../version.ts';
import { OpenPlaces, type Entrance } from './entrances.ts';
import { readOffer, type Offered } from './serves.ts';

/** A version on the map. */
export interface UpgradePlace extends EdgeStart {
  readonly offered: Offered;
  /** Whether the package may stay there: other versions are crossed only. */
  readonly isTarget: boolean;
}

export class VersionMap {
  /** The highest version first; the installed version has a place of its own, which is the last one. */
  readonly places: readonly UpgradePlace[];
  /** The place of the installed version; undefined if none is installed. */
  readonly start: number | undefined;
  /** By place, how one upgrade leads there. No upgrade leads to a lower version, nor to the place of the installed one. */
  readonly #entrances: readonly Entrance[];
  readonly #byName: ReadonlyMap<string, number>;

  constructor(content: CatalogPackage, input: ResolveInput) {
    const graph = upgradeGraph(content);
    const channels = selectChannels(graph, input.wanted.channel);
    const isUsable = createUsableFilter(input);
    const entries = channels.flatMap((channel) => channel.entries.filter(({ bundle }) => isUsable(bundle)));
    const offered = placesOf(entries, input);
    const installed = installedPlace(graph, input);
    this.places = installed === undefined ? offered : [...offered, installed];
    this.start = installed === undefined ? undefined : offered.length;
    this.#byName = new Map(offered.map(({ name }, at) => [name, at]));
    this.#entrances = input.wanted.edges === 'Follow' ? this.#followEdges(entries) : this.#fromAllLower();
  }

  /** The place of an offered bundle. */
  placeOf(bundle: string): number | undefined {
    return this.#byName.get(bundle);
  }

  /** The places that satisfy a test, for a search against the direction of upgrades. */
  openPlaces(isOpen: (place: number) => boolean): OpenPlaces {
    return new OpenPlaces(this.#entrances, isOpen);
  }

  #followEdges(entries: readonly GraphEntry[]): readonly Entrance[] {
    const entrances = this.places.map(() => ({ places: [] as number[], ranges: [] as Interval[] }));
    const lowerThan = this.#indexVersions();
    const start = this.start === undefined ? undefined : this.places[this.start];
    for (const entry of entries) {
      const to = this.placeOf(entry.bundle.name);
      const entrance = to === undefined ? undefined : entrances[to];
      if (to === undefined || entrance === undefined) continue;
      const add = (from: number | undefined): void => {
        if (from !== undefined && this.#isUp(from, to)) entrance.places.push(from);
      };
      for (const name of [entry.replaces, ...entry.skips]) if (name !== undefined) add(this.placeOf(name));
      for (const range of lowerThan(entry, to)) entrance.ranges.push(range);
      if (start !== undefined && edgeInto(entry, start) !== undefined) add(this.start);
    }
    return entrances;
  }

  /** A function that gives the offered places in the skipRange of an entry that are not higher than its own place. */
  #indexVersions(): (entry: GraphEntry, to: number) => readonly Interval[] {
    const offered = this.places.slice(0, this.start);
    const ranking = rankVersions(offered.flatMap(({ version }) => version?.version ?? []));
    const ranks = offered.map(({ version }) => (version === undefined ? -1 : rankOf(ranking, version.version)));
    const highest = new Map(ranks.toReversed().map((rank, at) => [rank, ranks.length - 1 - at]));
    const lowest = new Map(ranks.map((rank, at) => [rank, at]));
    const firstEqual = this.#firstEqual();
    return ({ skipRange }, to) => {
      if (skipRange?.ok !== true) return [];
      return coverage(skipRange.value, ranking, ranks[to] ?? -1).map(({ first, last }) => ({
        first: Math.max(highest.get(last) ?? 0, firstEqual[to] ?? 0),
        last: lowest.get(first) ?? -1,
      }));
    };
  }

  #fromAllLower(): readonly Entrance[] {
    const { start } = this;
    const last = this.#byName.size - 1;
    return this.#firstEqual().map((first, to) => ({
      places: start !== undefined && this.#isUp(start, to) ? [start] : [],
      ranges: to === start ? [] : [{ first, last }],
    }));
  }

  /** By place, the first one whose version is not higher. */
  #firstEqual(): readonly number[] {
    const first: number[] = [];
    for (const at of this.places.keys()) first.push(at > 0 && this.#isUp(at - 1, at) ? (first[at - 1] ?? 0) : at);
    return first;
  }

  #isUp(from: number, to: number): boolean {
    const [lower, higher] = [this.places[from]?.version, this.places[to]?.version];
    if (from === to || higher === undefined) return false;
    return lower === undefined || compareBundleVersions(higher, lower) >= 0;
  }
}

/** Whether a bundle could be installed, dependencies aside. */
function createUsableFilter({ quarantined, cluster }: ResolveInput): (bundle: GraphBundle) => boolean {
  const failed = new Set(quarantined);
  return ({ name, bundle, version }) =>
    version.ok && !failed.has(name) && !failed.has(bundle.image) && misfit(bundle, cluster) === undefined;
}

/** An upgrade does not end at a deprecated version; a first installation may. */
function placesOf(entries: readonly GraphEntry[], { wanted, installed }: ResolveInput): readonly UpgradePlace[] {
  const isWanted = createRangeFilter(wanted.version);
  const bundles = new Map(entries.map(({ bundle }) => [bundle.name, bundle]));
  return [...bundles.values()]
    .flatMap(({ name, bundle, version, deprecation }) => {
      if (!version.ok) return [];
      const isTarget = isWanted(version.value) && (installed === undefined || deprecation === undefined);
      return [{ name, version: version.value, offered: readOffer(bundle), isTarget }];
    })
    .toSorted((a, b) => compareBundleVersions(b.version, a.version));
}

/** The catalog may lack the installed version, or have it under another name. */
function installedPlace(graph: UpgradeGraph, { wanted, installed }: ResolveInput): UpgradePlace | undefined {
  if (installed === undefined) return undefined;
  const origin = originOf(installed.bundle, installed.version, installed.release);
  const known = findInstalled(graph, origin);
  const { package: name } = wanted;
  const offered = readOffer(known?.bundle ?? { ...installed, package: name, properties: [] });
  const isTarget = createRangeFilter(wanted.version)(origin.version);
  return { name: known?.name ?? origin.name, version: origin.version, offered, isTarget };
}

function createRangeFilter(range: string | undefined): (version: EdgeStart['version']) => boolean {
  const parsed = range === undefined ? undefined : parseMastermindsRange(range);
  return (version) => isInside(parsed?.ok === true ? parsed.value : undefined, version);
}
