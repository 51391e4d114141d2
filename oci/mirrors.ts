/** Which repositories to try for a pull: configured mirrors first, the named registry last. */
import type { Reference } from './reference.ts';

/** `{ source: 'quay.io/org', mirrors: ['mirror.example.com:5000/quay/org'] }`. */
export interface Mirror {
  /** Registry, or registry with the beginning of a path, as it stands in references. */
  readonly source: string;
  /** The mirrors that replace the source, in order. */
  readonly mirrors: readonly string[];
}

/** A repository on a registry. */
export interface RegistryRepository {
  readonly registry: string;
  readonly repository: string;
}

/** The places for a reference, in order; the most specific source decides. Mirrors resolve tags too. */
export function pullPlaces(
  { registry, repository }: Reference,
  mirrors: readonly Mirror[],
): readonly RegistryRepository[] {
  const name = `${registry}/${repository}`;
  const best = mirrors
    .filter(({ source }) => name === source || name.startsWith(`${source}/`))
    .sort((a, b) => b.source.length - a.source.length)[0];
  const replaced =
    best === undefined ? [] : best.mirrors.map((mirror) => split(mirror + name.slice(best.source.length)));
  return [...replaced, { registry, repository }];
}

function split(name: string): RegistryRepository {
  const slash = name.indexOf('/');
  return { registry: name.slice(0, slash).toLowerCase(), repository: name.slice(slash + 1) };
}
