/** A table of a stream of rows. */
import { formatTable } from '../output/table.ts';

/** Rows that set the widths of the columns. */
const MOST_ROWS = 100;

/** Lays out a table row by row: the header with the first row, and widths by the rows before. */
export class GrowingTable {
  readonly #header: readonly string[];
  readonly #columns: number | undefined;
  #rows: readonly (readonly string[])[] = [];

  constructor(header: readonly string[], columns: number | undefined) {
    this.#header = header;
    this.#columns = columns;
  }

  /** The text of the next row, after that of the header if it is the first. */
  add(row: readonly string[]): string {
    const isFirst = this.#rows.length === 0;
    this.#rows = [...this.#rows, row].slice(-MOST_ROWS);
    const text = formatTable(this.#header, this.#rows, this.#columns);
    if (!text.startsWith(`${this.#header[0]} `)) return formatTable(this.#header, [row], this.#columns) + '\n';
    return isFirst ? text : text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  }
}
