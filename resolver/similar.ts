/**
 * Finds the names that a misspelt one may stand for. Pure, and bounded: names come from catalogs, in any number and
 * length.
 */
import { compareText } from '../api/compare-text.ts';

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
    .toSorted(([a, rankOfA], [b, rankOfB]) => rankOfA - rankOfB || compareText(a, b))
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
 * letter swapped twice); some number above `most` if the distance is larger. Cells further than `most` from the diagonal
 * cannot lead to a smaller number and are skipped, so that long names of a hostile catalog cost little.
 */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  const band = new Band(a, b, most);
  for (let row = 1; row <= a.length; row += 1) if (!band.fillRow(row)) return most + 1;
  return band.last();
}

/** The cells beside the diagonal of three rows: the one at `at` is of the column `row + at - most`. */
class Band {
  readonly #a: string;
  readonly #b: string;
  readonly #most: number;
  #twoAbove: Uint8Array;
  #above: Uint8Array;
  #current: Uint8Array;

  constructor(a: string, b: string, most: number) {
    this.#a = a;
    this.#b = b;
    this.#most = most;
    // One cell more than the band is wide on each side, which is never reached.
    const emptyRow = (): Uint8Array => new Uint8Array(2 * most + 3).fill(most + 1);
    this.#twoAbove = emptyRow();
    this.#above = emptyRow();
    this.#current = emptyRow();
    for (let column = 0; column <= most; column += 1) this.#current[most + 1 + column] = column;
  }

  /** Whether any cell of the row is still near enough. */
  fillRow(row: number): boolean {
    const spare = this.#twoAbove;
    this.#twoAbove = this.#above;
    this.#above = this.#current;
    this.#current = spare;
    let isNear = false;
    for (let at = 0; at <= 2 * this.#most; at += 1) {
      const steps = this.#stepsTo(row, at);
      this.#current[at + 1] = steps;
      isNear ||= steps <= this.#most;
    }
    return isNear;
  }

  #stepsTo(row: number, at: number): number {
    const a = this.#a;
    const b = this.#b;
    const most = this.#most;
    const column = row + at - most;
    let steps = most + 1;
    if (column < 0 || column > b.length) return steps;
    steps = Math.min(steps, (this.#above[at + 2] ?? steps) + 1, (this.#current[at] ?? steps) + 1);
    if (column === 0) return steps;
    steps = Math.min(steps, (this.#above[at + 1] ?? steps) + (a[row - 1] === b[column - 1] ? 0 : 1));
    const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    return isSwapped ? Math.min(steps, (this.#twoAbove[at + 1] ?? steps) + 1) : steps;
  }

  last(): number {
    return this.#current[this.#b.length - this.#a.length + this.#most + 1] ?? this.#most + 1;
  }
}
