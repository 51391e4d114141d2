/**
 * Finds the names that a misspelt one may stand for. Pure, and bounded: names come from catalogs, in any number and
 * length.
 */

/** Most suggested names. */
const MOST_FOUND = 3;
/** Limit for the number and length of compared names: some catalogs have a thousand packages. */
const MOST_NAMES = 10_000;
const LONGEST = 253;

/** Rank of a longer or shorter form of the name, after every misspelling: `grafana` and `grafana-operator`. */
const OTHER_FORM = 10;

/** The most similar names, the nearest first: each is one of `names`, and none is `wanted` itself. */
export function similarTo(wanted: string, names: Iterable<string>): readonly string[] {
  if (wanted.length > LONGEST) return [];
  const rated = Iterator.from(names)
    .take(MOST_NAMES)
    .filter((name) => name !== wanted && name.length <= LONGEST)
    .map((name) => ({ name, rank: rankOf(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ rank }) => rank !== undefined);
  const ranks = new Map([...rated].map(({ name, rank = 0 }) => [name, rank]));
  return [...ranks]
    .toSorted(([a, rankOfA], [b, rankOfB]) => rankOfA - rankOfB || (a < b ? -1 : 1))
    .slice(0, MOST_FOUND)
    .filter(([, rank], _, [first]) => rank <= (first?.[1] ?? 0) + 1)
    .map(([name]) => name);
}

/** The distance of a name from the wanted one; undefined if it is a different name. */
function rankOf(wanted: string, name: string): number | undefined {
  const most = Math.min(3, Math.floor(wanted.length / 3));
  const steps = distance(wanted, name, most);
  if (steps <= most) return steps;
  return isLongerForm(wanted, name) || isLongerForm(name, wanted) ? OTHER_FORM : undefined;
}

function isLongerForm(short: string, long: string): boolean {
  return short !== '' && long.startsWith(`${short}-`);
}

/**
 * Letters to add, remove, replace or swap with a neighbour until the texts are equal (Damerau and Levenshtein, no
 * letter swapped twice); some number above `most` if the distance is larger.
 */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let twoAbove: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = nextRow({ a, b, row, above, twoAbove });
    if (Math.min(...current) > most) return most + 1;
    twoAbove = above;
    above = current;
  }
  return above[b.length] ?? 0;
}

interface Rows {
  readonly a: string;
  readonly b: string;
  readonly row: number;
  readonly above: readonly number[];
  readonly twoAbove: readonly number[];
}

function nextRow({ a, b, row, above, twoAbove }: Rows): readonly number[] {
  const current = [row];
  const at = (cells: readonly number[], column: number): number => cells[column] ?? Infinity;
  for (let column = 1; column <= b.length; column += 1) {
    const isSame = a[row - 1] === b[column - 1];
    const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    current.push(
      Math.min(
        at(above, column) + 1,
        at(current, column - 1) + 1,
        at(above, column - 1) + (isSame ? 0 : 1),
        isSwapped && row > 1 ? at(twoAbove, column - 2) + 1 : Infinity,
      ),
    );
  }
  return current;
}
