/**
 * Chooses the bundles to mirror: those that are asked for, and for each of their requirements the latest version that
 * meets it. Pure, over open indexes.
 */
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import type { CatalogBundle, CatalogPackage, GroupVersionKind, Property } from '../../../catalog/model.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { parseBlangRange } from '../../../resolver/ranges/blang.ts';
import { parseMastermindsRange } from '../../../resolver/ranges/masterminds.ts';
import { compareVersions, parseVersion, type SemanticVersion } from '../../../resolver/version.ts';
import { invalidInput } from '../input/invalid.ts';

export interface WantedPackage {
  readonly package: string;
  /** All versions in it; absent: the latest of the default channel. */
  readonly range?: string;
}

/** A bundle with the catalog that it is taken from. */
export interface ChosenBundle {
  /** Position of the catalog. */
  readonly catalog: number;
  readonly bundle: CatalogBundle;
}

type SearchedIndex = Pick<CatalogIndex, 'package' | 'providersOf'>;

/** `gadget@>=1.0.0` */
export function parseWanted(text: string): WantedPackage {
  const at = text.indexOf('@');
  if (at < 0) return { package: text };
  return { package: text.slice(0, at), range: text.slice(at + 1) };
}

/** @throws ReasonedError InputInvalid if a package, a version or something required is in none of the catalogs */
export function selectBundles(
  indexes: readonly SearchedIndex[],
  wanted: readonly WantedPackage[],
): readonly ChosenBundle[] {
  const chosen = new Map<string, ChosenBundle>();
  const queue = wanted.flatMap((one) => chooseWanted(indexes, one));
  for (const next of queue) {
    const key = `${next.catalog} ${next.bundle.package} ${next.bundle.name}`;
    if (chosen.has(key)) continue;
    chosen.set(key, next);
    const needs = next.bundle.properties.flatMap(requirementsOf);
    for (const need of needs) queue.push(...chooseRequired(indexes, need, next.bundle.name));
  }
  return [...chosen.values()];
}

function chooseWanted(
  indexes: readonly SearchedIndex[],
  { package: name, range }: WantedPackage,
): readonly ChosenBundle[] {
  const [first] = offersOf(indexes, name);
  if (first === undefined) throw invalidInput(`no catalog offers the package ${JSON.stringify(name)}`);
  const { catalog, content } = first;
  if (range === undefined) {
    const channel = content.channels.find((one) => one.name === content.defaultChannel);
    const names = new Set(channel?.entries.map((entry) => entry.name));
    const latest = latestOf(content.bundles.filter((bundle) => names.has(bundle.name)));
    return [{ catalog, bundle: latest ?? missing(name, `a version in its default channel`) }];
  }
  const parsed = parseMastermindsRange(range);
  if (!parsed.ok) throw invalidInput(`the range ${JSON.stringify(range)} cannot be parsed: ${parsed.problem}`);
  const inside = content.bundles.filter((bundle) => isInside(bundle, parsed.value));
  if (inside.length === 0) return missing(name, `a version in ${range}`);
  return inside.map((bundle) => ({ catalog, bundle }));
}

function missing(name: string, what: string): never {
  throw invalidInput(`the package ${name} does not have ${what}`);
}

interface PackageOffer {
  readonly catalog: number;
  readonly content: CatalogPackage;
}

function offersOf(indexes: readonly SearchedIndex[], name: string): readonly PackageOffer[] {
  return indexes.flatMap((index, catalog) => {
    const content = index.package(name);
    return content === undefined ? [] : [{ catalog, content }];
  });
}

/** A requirement: one of a package in a range, one of a kind, or alternatives, of which all that exist are taken. */
type MirrorNeed =
  | { readonly package: string; readonly range: string }
  | { readonly kind: GroupVersionKind }
  | { readonly any: readonly MirrorNeed[] };

function requirementsOf({ type, value }: Property): readonly MirrorNeed[] {
  const fields = fieldsOf(value);
  switch (type) {
    case 'olm.package.required':
      return [{ package: textOf(fields['packageName']), range: textOf(fields['versionRange']) }];
    case 'olm.gvk.required':
      return [{ kind: kindOf(fields) }];
    case 'olm.constraint':
      return constraintsIn(fields);
    default:
      return [];
  }
}

function constraintsIn(fields: Readonly<Record<string, unknown>>): readonly MirrorNeed[] {
  const inner = (name: string): readonly MirrorNeed[] =>
    listOf(fieldsOf(fields[name])['constraints']).flatMap(constraintsIn);
  const required = fieldsOf(fields['package']);
  const any = inner('any');
  return [
    ...(fields['package'] === undefined
      ? []
      : [{ package: textOf(required['packageName']), range: textOf(required['versionRange']) }]),
    ...(fields['gvk'] === undefined ? [] : [{ kind: kindOf(fieldsOf(fields['gvk'])) }]),
    ...inner('all'),
    ...(any.length === 0 ? [] : [{ any }]),
  ];
}

function kindOf(fields: Readonly<Record<string, unknown>>): GroupVersionKind {
  return { group: textOf(fields['group']), version: textOf(fields['version']), kind: textOf(fields['kind']) };
}

function chooseRequired(indexes: readonly SearchedIndex[], need: MirrorNeed, by: string): readonly ChosenBundle[] {
  const found = providersOf(indexes, need);
  if (found.length > 0) return found;
  throw invalidInput(
    `no catalog has what ${by} depends on: ${describe(need)}`,
    'Name a catalog that offers it with a further --catalog',
  );
}

function providersOf(indexes: readonly SearchedIndex[], need: MirrorNeed): readonly ChosenBundle[] {
  if ('any' in need) return need.any.flatMap((one) => providersOf(indexes, one));
  if ('package' in need) {
    const range = parseBlangRange(need.range);
    const accepts = (bundle: CatalogBundle): boolean => range.ok && isInside(bundle, range.value);
    return firstOf(offersOf(indexes, need.package), accepts);
  }
  const provides = (bundle: CatalogBundle): boolean =>
    bundle.properties.some(({ type, value }) => type === 'olm.gvk' && sameKind(kindOf(fieldsOf(value)), need.kind));
  const offers = indexes.flatMap((index) => index.providersOf(need.kind).flatMap((name) => offersOf(indexes, name)));
  return firstOf(offers, provides);
}

/** The latest version of the first offer that has one. */
function firstOf(
  offers: readonly PackageOffer[],
  accepts: (bundle: CatalogBundle) => boolean,
): readonly ChosenBundle[] {
  for (const { catalog, content } of offers) {
    const bundle = latestOf(content.bundles.filter(accepts));
    if (bundle !== undefined) return [{ catalog, bundle }];
  }
  return [];
}

function sameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

function describe(need: MirrorNeed): string {
  if ('any' in need) return need.any.map(describe).join(' or ');
  if ('package' in need) return `package ${need.package} ${need.range}`;
  return `kind ${need.kind.kind} of ${need.kind.group}/${need.kind.version}`;
}

function isInside(bundle: CatalogBundle, range: { includes(version: SemanticVersion): boolean }): boolean {
  const version = parseVersion(bundle.version);
  return version.ok && range.includes(version.value);
}

function latestOf(bundles: readonly CatalogBundle[]): CatalogBundle | undefined {
  const ranked = bundles.flatMap((bundle) => {
    const version = parseVersion(bundle.version);
    return version.ok ? [{ bundle, version: version.value }] : [];
  });
  return ranked.toSorted((a, b) => compareVersions(b.version, a.version))[0]?.bundle;
}
