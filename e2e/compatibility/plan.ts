/**
 * Turns a package into two trials: its head by itself, and the way to the head from a version three edges below, or from
 * the next one whose CRDs API servers still take. Pure; the
 * edges are read from the documents by e2e/stories/real-operators/routes.ts, not by the resolver.
 */
import { compare } from 'semver';
import { EDGES } from '../stories/real-operators/packages.ts';
import { findRoute, headOf, versionOf, type CatalogDocument, type Route } from '../stories/real-operators/routes.ts';
import { versionOfBundle, type CorpusPackage } from './packages.ts';

export const TRIALS = ['head', 'upgrade'] as const;

/** One thing that is tried with a package. */
export interface Trial {
  readonly of: CorpusPackage;
  readonly kind: (typeof TRIALS)[number];
  readonly channel: string;
  /** Name and version of the bundle to begin with; the head itself if it is installed at once. */
  readonly from: PlannedBundle;
  readonly head: PlannedBundle;
  /** Whether an edge of the channel leads from one bundle to another. */
  readonly leads: (from: string, to: string) => boolean;
}

export interface PlannedBundle {
  readonly name: string;
  readonly version: string;
}

/** The trials of a package; none without bundles, and no upgrade where no edge leads to any head. */
export function planTrials(of: CorpusPackage): readonly Trial[] {
  const channels = channelsOf(of);
  const [first] = channels;
  if (first === undefined) return [];
  const head = headIn(of, first);
  const route = routeOf(of, channels);
  return [
    { of, kind: 'head', channel: first, from: head, head, leads: () => false },
    ...(route === undefined ? [] : [upgradeAlong(of, route)]),
  ];
}

function upgradeAlong(of: CorpusPackage, route: Route): Trial {
  const bundle = (name: string): PlannedBundle => ({ name, version: versionOf(route, name) });
  const { channel, leads } = route;
  return { of, kind: 'upgrade', channel, from: bundle(route.pin), head: bundle(route.head), leads };
}

/** The default one first, or the one with the highest head; then the others, from the highest head down. */
function channelsOf(of: CorpusPackage): readonly string[] {
  const fallback = of.documents.find(({ schema }) => schema === 'olm.package')?.defaultChannel;
  return of.documents
    .filter(({ schema }) => schema === 'olm.channel')
    .map(({ name }) => ({ name, head: headIn(of, name) }))
    .toSorted((a, b) => compare(b.head.version, a.head.version))
    .toSorted((a, b) => Number(b.name === fallback) - Number(a.name === fallback))
    .map(({ name }) => name);
}

function headIn(of: CorpusPackage, channel: string): PlannedBundle {
  const name = headOf(entriesOf(of.documents, channel));
  return { name, version: versionOfBundle(of, name) };
}

function entriesOf(documents: readonly CatalogDocument[], channel: string): NonNullable<CatalogDocument['entries']> {
  return documents.find(({ schema, name }) => schema === 'olm.channel' && name === channel)?.entries ?? [];
}

/** Of the first channel that has an edge to its head. */
function routeOf(of: CorpusPackage, channels: readonly string[]): Route | undefined {
  for (const channel of channels) {
    const route = findRoute(of.documents, { package: of.package, channel }, EDGES);
    if (route !== undefined) return fromServed(of, route);
  }
  return undefined;
}

/** The same, or the rest of it that begins behind the last version whose CRDs no API server takes any more. */
function fromServed(of: CorpusPackage, route: Route): Route {
  const wish = { package: of.package, channel: route.channel };
  const fewer = Array.from({ length: EDGES }, (_, at) => findRoute(of.documents, wish, EDGES - at));
  return fewer.find((one) => one !== undefined && !of.hasOldCrds(one.pin)) ?? route;
}
