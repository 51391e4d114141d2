/** The paths of the API server that end with a wildcard, as a set that finds a wider one in few steps. Pure. */

/** Mutable while it is filled; sorted at the first question. */
export class UrlPrefixes {
  readonly #all = new Set<string>();
  #widest: readonly string[] | undefined;

  /** @param prefix The path without its wildcard. */
  add(prefix: string): void {
    this.#all.add(prefix);
    this.#widest = undefined;
  }

  /** The widest prefix of a path, the path itself included; undefined if there is none. */
  widestOf(path: string): string | undefined {
    this.#widest ??= withoutNarrower([...this.#all].sort());
    const found = lastNotAfter(this.#widest, path);
    return found !== undefined && path.startsWith(found) ? found : undefined;
  }
}

/** Of sorted paths, those that begin with none of the others: each path begins with at most one of them. */
function withoutNarrower(sorted: readonly string[]): readonly string[] {
  const widest: string[] = [];
  for (const path of sorted) {
    const last = widest.at(-1);
    if (last === undefined || !path.startsWith(last)) widest.push(path);
  }
  return widest;
}

/** The greatest of some sorted texts that is not greater than another one, by halving. */
function lastNotAfter(sorted: readonly string[], text: string): string | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) <= text) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}
