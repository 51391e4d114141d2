/** Finds the few elements of a set that matter. */

/**
 * A smallest part of a set for which something still holds, by leaving out one element after another; undefined where
 * it does not need any of them. Whatever is left out of the answer makes it hold no longer.
 * @param holds A part of what it is given for which it holds, as small as is known; undefined where it does not hold.
 */
export function minimize<T>(
  all: ReadonlySet<T>,
  holds: (part: ReadonlySet<T>) => ReadonlySet<T> | undefined,
): ReadonlySet<T> | undefined {
  if (holds(new Set()) !== undefined) return undefined;
  let part = all;
  for (const element of all) {
    if (!part.has(element)) continue;
    const without = new Set(part);
    without.delete(element);
    part = holds(without) ?? part;
  }
  return part;
}
