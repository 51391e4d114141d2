/** Which repositories to try for a pull: configured mirrors first, the named registry last. */
import { canonicalHost } from './host.ts';
import type { Reference } from './reference.ts';

/** `{ source: 'quay.io/org', mirrors: ['mirror.example.com:5000/quay/org'] }`. */
export interface Mirror {
  /** Registry, or registry with the beginning of a path, as it stands in references. */
  readonly source: string;
  /** The mirrors that replace the source, in order. */
  readonly mirrors: readonly string[];
  /** Whether the source itself is asked after its mirrors; if absent, it is. */
  readonly thenSource?: boolean;
}

/** A repository on a registry. */
export interface RegistryRepository {
  readonly registry: string;
  readonly repository: string;
}

/** All mirrors, or those that count for a repository; the function may throw to refuse every pull of the repository. */
export type Mirrors = readonly Mirror[] | ((repository: RegistryRepository) => readonly Mirror[]);

/** The places for a reference, in order; the most specific source decides. Mirrors resolve tags too. */
export function pullPlaces(
  { registry, repository }: Pick<Reference, 'registry' | 'repository'>,
  mirrors: Mirrors,
): readonly RegistryRepository[] {
  const name = `${registry}/${repository}`;
  const known = typeof mirrors === 'function' ? mirrors({ registry, repository }) : mirrors;
  const best = longestOver(name, known, ({ source }) => source);
  if (best === undefined) return [{ registry, repository }];
  const replaced = best.mirrors.map((mirror) => split(mirror + name.slice(best.source.length)));
  return best.thenSource === false ? replaced : [...replaced, { registry, repository }];
}

/** Whether a name is the prefix, or below it: half a name is no prefix. */
export function isUnder(name: string, prefix: string): boolean {
  return name === prefix || name.startsWith(`${prefix}/`);
}

/** The entry with the longest prefix of a name; undefined if there is none. */
export function longestOver<Entry>(
  name: string,
  entries: readonly Entry[],
  prefixOf: (entry: Entry) => string,
): Entry | undefined {
  return entries
    .filter((entry) => isUnder(name, prefixOf(entry)))
    .toSorted((a, b) => prefixOf(b).length - prefixOf(a).length)[0];
}

function split(name: string): RegistryRepository {
  const slash = name.indexOf('/');
  return { registry: canonicalHost(name.slice(0, slash)), repository: name.slice(slash + 1) };
}
