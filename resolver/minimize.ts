/** Finds the few elements of a set that matter. */

/**
 * A smallest part of a set for which something still holds, by leaving out one element after another; undefined where
 * it does not need any of them. Whatever is left out of the answer makes it hold no longer.
 */
export function minimize<T>(all: ReadonlySet<T>, holds: (part: ReadonlySet<T>) => boolean): ReadonlySet<T> | undefined {
  if (holds(new Set())) return undefined;
  let part = all;
  for (const element of all) {
    const without = new Set(part);
    without.delete(element);
    if (holds(without)) part = without;
  }
  return part;
}
