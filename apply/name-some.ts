/** `a, b, 3 more`: the first of the names, as far as a sentence has room for them. Pure. */
export function nameSome(names: readonly string[], most: number): string {
  const more = names.length - most;
  return [...names.slice(0, most), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
