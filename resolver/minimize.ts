/** Finds the few elements of a set that matter. */

/**
 * A smallest part of a set for which something still holds, found by leaving out one element after another; undefined
 * if it holds for the empty set. Without any one element of the result it no longer holds.
 * @param holds A part of the given set for which it holds, as small as is known; undefined if it does not hold.
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
