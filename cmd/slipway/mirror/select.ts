/** Chooses the bundles to mirror: those that are asked for, and all that they depend on. Pure, over open indexes. */
import { parseMastermindsRange } from '../../../resolver/ranges/masterminds.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { DependencyChooser } from './dependencies.ts';
import { isInside, latestFirst, offersOf, type ChosenBundle, type SearchedIndex } from './offers.ts';

export interface WantedPackage {
  readonly package: string;
  /** All versions in it; absent: the latest of the default channel. */
  readonly range?: string;
}

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
  const chooser = new DependencyChooser(indexes);
  const queue = wanted.flatMap((one) => chooseWanted(indexes, one));
  for (const next of queue) {
    const key = `${next.catalog} ${next.bundle.package} ${next.bundle.name}`;
    if (chosen.has(key)) continue;
    chosen.set(key, next);
    queue.push(...chooser.dependenciesOf(next.bundle));
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
    const [latest] = latestFirst(content.bundles.filter((bundle) => names.has(bundle.name)));
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
