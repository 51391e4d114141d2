/**
 * Finds the packages of the corpus that others require or run beside, and those that cannot be twice in one cluster.
 * Pure.
 */
import type { CorpusPackage } from './packages.ts';

/** Names of the packages that any of its bundles requires, directly or by another one, as far as the corpus has them. */
export function requiredPackages(of: CorpusPackage, corpus: readonly CorpusPackage[]): readonly string[] {
  const found = new Set<CorpusPackage>([of]);
  for (const one of found) for (const other of corpus) if (requires(one, other)) found.add(other);
  found.delete(of);
  return [...found].map((one) => one.package);
}

function requires(one: CorpusPackage, other: CorpusPackage): boolean {
  const wanted = propertiesOf(one, ['olm.package.required', 'olm.gvk.required']);
  return wanted.has(other.package) || !wanted.isDisjointFrom(kindsOf(other));
}

/** Names that a cluster can have only once: the package, its dependencies, and the kinds of all of them. */
export function claimsOf(of: CorpusPackage, corpus: readonly CorpusPackage[]): ReadonlySet<string> {
  const names = new Set([of.package, ...requiredPackages(of, corpus)]);
  const all = corpus.filter((one) => names.has(one.package));
  return new Set([...names, ...all.flatMap((one) => [...kindsOf(one)])]);
}

/** The packages that define kinds which others use without saying so; none for a kind that no package of the corpus has. */
export function providersOf(kinds: ReadonlySet<string>, corpus: readonly CorpusPackage[]): readonly CorpusPackage[] {
  const found = [...kinds].map((kind) => corpus.find((one) => kindsOf(one).has(kind)));
  return [...new Set(found.filter((one) => one !== undefined))];
}

/** The kinds that its bundles define, as `Gadget.example.com`. */
function kindsOf(of: CorpusPackage): ReadonlySet<string> {
  return propertiesOf(of, ['olm.gvk']);
}

/** Kinds as above, packages by name. */
function propertiesOf({ documents }: CorpusPackage, types: readonly string[]): ReadonlySet<string> {
  const properties = documents.flatMap(({ properties = [] }) => properties);
  const values = properties.filter(({ type }) => types.includes(type)).map(({ value }) => value as Stated);
  return new Set(values.map(({ packageName, kind, group }) => packageName ?? `${kind}.${group}`));
}

interface Stated {
  readonly packageName?: string;
  readonly kind?: string;
  readonly group?: string;
}
