/**
 * Chooses, for real packages, an older version to begin with: a way of several edges below its channel's head. The
 * edges are read from the catalog's documents here, without the resolver, so that its result can be judged. Pure except
 * for `loadRoutes`.
 */
import { compare, satisfies } from 'semver';
import { sharedRows } from '../../lib/shared.ts';

/** A document of a file-based catalog. */
export interface CatalogDocument {
  readonly schema: string;
  readonly name: string;
  readonly package?: string;
  readonly image?: string;
  readonly defaultChannel?: string;
  readonly entries?: readonly Entry[];
  readonly properties?: readonly { readonly type: string; readonly value: unknown }[];
}

interface Entry {
  readonly name: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

/** Which package of the catalog, and which channel where not the default one. */
export interface Wish {
  readonly package: string;
  readonly channel?: string;
}

export interface Route {
  readonly package: string;
  readonly channel: string;
  /** Names of bundles. */
  readonly pin: string;
  readonly head: string;
  readonly bundles: ReadonlyMap<string, RouteBundle>;
  /** Whether an edge leads from one bundle of the channel to another. */
  readonly leads: (from: string, to: string) => boolean;
  readonly documents: readonly CatalogDocument[];
}

export interface RouteBundle {
  readonly name: string;
  readonly version: string;
}

/** The version of one of a route's bundles. */
export function versionOf({ bundles }: Route, bundle: string): string {
  return bundles.get(bundle)?.version ?? '';
}

/** The routes through the catalog of the reference data. */
export function loadRoutes(wishes: readonly Wish[], edges: number): readonly Route[] {
  const documents = sharedRows<CatalogDocument>('corpus', 'dev-set-catalog.json.xz');
  return wishes.map((wish) => planRoute(documents, wish, edges));
}

/** From the bundle that is so many replacements below the head, or as many as there are. Throws if no edge leads there. */
function planRoute(all: readonly CatalogDocument[], wish: Wish, edges: number): Route {
  const route = findRoute(all, wish, edges);
  if (route === undefined) throw new Error(`no edge leads to the head of ${wish.package}`);
  return route;
}

/** The same; undefined if no edge leads to the head. */
export function findRoute(all: readonly CatalogDocument[], wish: Wish, edges: number): Route | undefined {
  const documents = all.filter(
    (one) => one.package === wish.package || (one.schema === 'olm.package' && one.name === wish.package),
  );
  const channel = wish.channel ?? documents.find(({ schema }) => schema === 'olm.package')?.defaultChannel ?? '';
  const entries = documents.find(({ schema, name }) => schema === 'olm.channel' && name === channel)?.entries ?? [];
  const bundles = bundlesOf(documents, entries);
  const leads = edgesOf(entries, bundles);
  const head = headOf(entries);
  const pin = replacedBy(head, entries, edges) ?? oldestBefore(head, bundles, leads);
  if (pin === undefined) return undefined;
  return { package: wish.package, channel, pin, head, bundles, leads, documents };
}

function bundlesOf(documents: readonly CatalogDocument[], entries: readonly Entry[]): ReadonlyMap<string, RouteBundle> {
  const named = new Map(documents.filter(({ schema }) => schema === 'olm.bundle').map((one) => [one.name, one]));
  return new Map(
    entries.map(({ name }) => {
      const value = named.get(name)?.properties?.find(({ type }) => type === 'olm.package')?.value;
      return [name, { name, version: (value as { version: string }).version }];
    }),
  );
}

function edgesOf(entries: readonly Entry[], bundles: ReadonlyMap<string, RouteBundle>): Route['leads'] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return (from, to) => {
    const entry = byName.get(to);
    if (entry === undefined || from === to) return false;
    const named = entry.replaces === from || entry.skips?.includes(from) === true;
    const { skipRange = '' } = entry;
    const version = bundles.get(from)?.version ?? '';
    return named || (skipRange !== '' && satisfies(version, skipRange, { includePrerelease: true }));
  };
}

/** The one entry that no other replaces or skips by name. */
export function headOf(entries: readonly Entry[]): string {
  const passed = new Set(entries.flatMap(({ replaces, skips = [] }) => [replaces, ...skips]));
  const heads = entries.filter(({ name }) => !passed.has(name));
  if (heads.length !== 1) throw new Error(`expected one head, found ${heads.map(({ name }) => name).join(', ')}`);
  return (heads[0] as Entry).name;
}

/** Back along `replaces`; shortcuts by `skips` and `skipRange` may lead the other way in fewer steps. */
function replacedBy(head: string, entries: readonly Entry[], steps: number): string | undefined {
  const before = new Map(entries.map(({ name, replaces }) => [name, replaces]));
  let reached = head;
  for (let step = 0; step < steps; step += 1) {
    const older = before.get(reached);
    if (older === undefined || !before.has(older)) break;
    reached = older;
  }
  return reached === head ? undefined : reached;
}

/** For a head that replaces nothing by name: the lowest version from which an edge leads to it. */
function oldestBefore(head: string, bundles: Route['bundles'], leads: Route['leads']): string | undefined {
  const [oldest] = [...bundles.values()]
    .filter(({ name }) => leads(name, head))
    .toSorted((a, b) => compare(a.version, b.version));
  return oldest?.name;
}
