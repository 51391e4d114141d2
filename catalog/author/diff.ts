/** Compares two catalogs: packages, bundles, channels, edges and deprecations that are added, removed or changed. Pure. */
import { canonicalJson } from '../../api/json.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry, Deprecation } from '../model.ts';

export interface PackageDiff {
  readonly package: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly defaultChannel?: FromTo;
  readonly bundles: Changes<BundleNote, BundleChange>;
  readonly channels: Changes<string, HeadChange>;
  readonly edges: Pick<Changes<CatalogEdge, never>, 'added' | 'removed'>;
  readonly deprecations: Changes<Deprecation, DeprecationChange>;
}

/** The parts on one side only, and those that differ. */
export interface Changes<One, Changed> {
  readonly added: readonly One[];
  readonly removed: readonly One[];
  readonly changed: readonly Changed[];
}

export interface FromTo {
  readonly from: string;
  readonly to: string;
}

export interface BundleNote {
  readonly name: string;
  readonly version: string;
  readonly image: string;
}

export interface BundleChange {
  readonly name: string;
  /** Its image and version, if they differ. */
  readonly image?: FromTo;
  readonly version?: FromTo;
  /** Types of the properties that differ. */
  readonly properties: readonly string[];
  readonly relatedImages: boolean;
}

/** A channel whose heads differ. */
export interface HeadChange {
  readonly channel: string;
  readonly heads: { readonly from: readonly string[]; readonly to: readonly string[] };
}

/** One line of an entry: `to` replaces or skips `from`, or accepts the range `from`. An entry without any is no edge. */
export interface CatalogEdge {
  readonly channel: string;
  readonly to: string;
  readonly kind: 'entry' | 'replaces' | 'skips' | 'skipRange';
  readonly from: string;
}

export interface DeprecationChange extends Pick<Deprecation, 'schema' | 'name'> {
  readonly message: FromTo;
}

/** The packages that differ, by name. */
export function diffCatalogs(
  before: ReadonlyMap<string, CatalogPackage>,
  after: ReadonlyMap<string, CatalogPackage>,
): readonly PackageDiff[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.map((name) => diffPackage(name, before.get(name), after.get(name))).filter(isDifferent);
}

function diffPackage(name: string, before: CatalogPackage | undefined, after: CatalogPackage | undefined): PackageDiff {
  const [old, next] = [before ?? EMPTY, after ?? EMPTY];
  const isChanged = before !== undefined && after !== undefined;
  return {
    package: name,
    change: isChanged ? 'changed' : before === undefined ? 'added' : 'removed',
    ...(isChanged &&
      old.defaultChannel !== next.defaultChannel && {
        defaultChannel: { from: old.defaultChannel, to: next.defaultChannel },
      }),
    bundles: diffBundles(old.bundles, next.bundles),
    channels: diffChannels(old.channels, next.channels),
    edges: diffEdges(old.channels, next.channels),
    deprecations: diffDeprecations(old.deprecations, next.deprecations),
  };
}

const EMPTY: CatalogPackage = { name: '', defaultChannel: '', channels: [], bundles: [], deprecations: [] };

function isDifferent({ change, defaultChannel, bundles, channels, edges, deprecations }: PackageDiff): boolean {
  const lists = [bundles, channels, edges, deprecations].flatMap((part) => Object.values(part) as readonly unknown[][]);
  return change !== 'changed' || defaultChannel !== undefined || lists.some((list) => list.length > 0);
}

/** The parts of one side that the other lacks, and the pairs of both, by a key. */
function pair<One>(before: readonly One[], after: readonly One[], keyOf: (one: One) => string) {
  const [old, next] = [before, after].map((list) => new Map(list.map((one) => [keyOf(one), one]))) as [
    Map<string, One>,
    Map<string, One>,
  ];
  return {
    added: [...next].filter(([key]) => !old.has(key)).map(([, one]) => one),
    removed: [...old].filter(([key]) => !next.has(key)).map(([, one]) => one),
    both: [...old].flatMap(([key, one]) => (next.has(key) ? [[one, next.get(key)!] as const] : [])),
  };
}

function diffBundles(before: readonly CatalogBundle[], after: readonly CatalogBundle[]): PackageDiff['bundles'] {
  const { added, removed, both } = pair(before, after, ({ name }) => name);
  const note = ({ name, version, image }: CatalogBundle): BundleNote => ({ name, version, image });
  return {
    added: added.map(note),
    removed: removed.map(note),
    changed: both.map(([old, next]) => diffBundle(old, next)).filter((one) => one !== undefined),
  };
}

function diffBundle(old: CatalogBundle, next: CatalogBundle): BundleChange | undefined {
  const change: BundleChange = {
    name: next.name,
    ...(old.image !== next.image && { image: { from: old.image, to: next.image } }),
    ...(fullVersion(old) !== fullVersion(next) && { version: { from: fullVersion(old), to: fullVersion(next) } }),
    properties: differingProperties(old, next),
    relatedImages: canonicalJson(old.relatedImages) !== canonicalJson(next.relatedImages),
  };
  const { name: _name, properties, relatedImages, ...rest } = change;
  return Object.keys(rest).length > 0 || properties.length > 0 || relatedImages ? change : undefined;
}

function fullVersion({ version, release }: CatalogBundle): string {
  return release === undefined ? version : `${version} (${release})`;
}

/** The version has its own place. */
function differingProperties(old: CatalogBundle, next: CatalogBundle): readonly string[] {
  const textsOf = ({ properties }: CatalogBundle): ReadonlyMap<string, string> =>
    new Map(
      [...Map.groupBy(properties, ({ type }) => type)].map(([type, some]) => [
        type,
        some
          .map((one) => canonicalJson(one.value))
          .sort()
          .join(),
      ]),
    );
  const [a, b] = [textsOf(old), textsOf(next)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((type) => type !== 'olm.package' && a.get(type) !== b.get(type))
    .sort();
}

function diffChannels(before: readonly Channel[], after: readonly Channel[]): PackageDiff['channels'] {
  const { added, removed, both } = pair(before, after, ({ name }) => name);
  return {
    added: added.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    changed: both
      .map(([old, next]) => ({ channel: next.name, heads: { from: headsOf(old), to: headsOf(next) } }))
      .filter(({ heads }) => canonicalJson(heads.from) !== canonicalJson(heads.to)),
  };
}

/** The entries that no other one replaces or skips. */
function headsOf({ entries }: Channel): readonly string[] {
  const left = new Set(
    entries.flatMap(({ name, replaces, skips }) => [replaces, ...skips].filter((one) => one !== name)),
  );
  return entries
    .map(({ name }) => name)
    .filter((name) => !left.has(name))
    .sort();
}

function diffEdges(before: readonly Channel[], after: readonly Channel[]): PackageDiff['edges'] {
  const edges = (channels: readonly Channel[]): readonly CatalogEdge[] =>
    channels.flatMap(({ name, entries }) => entries.flatMap((entry) => edgesOf(name, entry)));
  const { added, removed } = pair(edges(before), edges(after), canonicalJson);
  return { added, removed };
}

function edgesOf(channel: string, { name: to, replaces, skips, skipRange }: ChannelEntry): readonly CatalogEdge[] {
  const all = [
    { kind: 'entry' as const, from: '' },
    ...(replaces === undefined ? [] : [{ kind: 'replaces' as const, from: replaces }]),
    ...skips.map((from) => ({ kind: 'skips' as const, from })),
    ...(skipRange === undefined ? [] : [{ kind: 'skipRange' as const, from: skipRange }]),
  ];
  return all.map(({ kind, from }) => ({ channel, to, kind, from }));
}

function diffDeprecations(before: readonly Deprecation[], after: readonly Deprecation[]): PackageDiff['deprecations'] {
  const { added, removed, both } = pair(before, after, ({ schema, name = '' }) => `${schema}\0${name}`);
  return {
    added,
    removed,
    changed: both
      .filter(([old, next]) => old.message !== next.message)
      .map(([old, { schema, name, message }]) => ({
        schema,
        ...(name !== undefined && { name }),
        message: { from: old.message, to: message },
      })),
  };
}
