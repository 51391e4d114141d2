/** What a catalog was taken into service without: how many defective values or tags there are, and the first of them by name. */
import type { BlobKeys, Meaning } from '../parse.ts';

/** Absent from the counts of a catalog if nothing was left out. */
export interface LeftOut {
  readonly count: number;
  /** A few, each with its place, cut to `MOST_CHARACTERS`. */
  readonly first: readonly string[];
}

/** Tags of repositories that are versions and are not offered. */
export interface NotOffered extends LeftOut {
  /** Packages that several repositories claim, while the spec says for none which one is meant. */
  readonly disputed?: LeftOut;
}

const MOST_NAMED = 3;
const MOST_CHARACTERS = 200;

/** How many things there are, and the first five by name; undefined if there is none. */
export function countLeftOut(things: readonly string[]): LeftOut | undefined {
  return things.length === 0 ? undefined : { count: things.length, first: things.slice(0, 5).map(cut) };
}

/** Collects defective values by file, as a file may turn out to be ignored once all its documents are known. */
export class LeftOutByFile {
  readonly #files = new Map<number, { count: number; readonly first: string[] }>();

  note(file: number, { package: owner, name }: BlobKeys, { kind, problems }: Meaning): void {
    if (problems.length === 0) return;
    const known = this.#files.get(file) ?? { count: 0, first: [] };
    this.#files.set(file, known);
    known.count += problems.length;
    const place = owner === '' ? `${kind} ${name}` : `${kind} ${name} of package ${owner}`;
    const named = problems.slice(0, MOST_NAMED - known.first.length);
    known.first.push(...named.map((problem) => cut(`${place}: ${problem}`)));
  }

  drop(file: number): void {
    this.#files.delete(file);
  }

  /** Of the files that count, in this order; undefined if nothing was left out of them. */
  total(files: readonly number[]): LeftOut | undefined {
    const found = files.flatMap((file) => this.#files.get(file) ?? []);
    if (found.length === 0) return undefined;
    const count = found.reduce((sum, one) => sum + one.count, 0);
    return { count, first: found.flatMap(({ first }) => first).slice(0, MOST_NAMED) };
  }
}

/** The API server would store another text than one that ends with half a character. */
function cut(text: string): string {
  return text.slice(0, MOST_CHARACTERS).toWellFormed();
}
