/** Names in a sentence, as far as it has room for them. Pure. */

/** Between names; between clauses, which may have commas of their own. */
type Separator = ', ' | '; ';

/** `a, b and 3 more`, or `a; b; and 3 more`: the first of the names, and how many others there are. */
export function nameSome(names: readonly string[], most: number, separator?: Separator): string {
  return nameFirst(names.slice(0, most), names.length, separator);
}

/** The same, of the first names alone and the number of all. */
export function nameFirst(first: readonly string[], all: number, separator: Separator = ', '): string {
  const more = all - first.length;
  const and = separator === ', ' ? ' and ' : '; and ';
  return `${first.join(separator)}${more > 0 ? `${and}${more} more` : ''}`;
}
