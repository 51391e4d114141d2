/** Lays out text for people: tables, and lists of facts. Pure; every cell is cleaned. */
import { cleanLine } from '../../../report/clean.ts';
import { cutLine, fitWidths, visibleLength, wrapWords } from './layout.ts';

const GAP = '   ';
/** Narrower than this no column gets for the sake of a terminal, unless its cells are. */
const LEAST_WIDTH = 8;

/**
 * A table with a header, columns aligned at their left, as kubectl prints them. With the columns of a terminal the
 * widest cells are cut until rows fit; without, as in a pipe, every cell is whole. On a terminal that is too narrow for
 * all columns, each row is a list of facts.
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number = Infinity,
): string {
  const lines = [header, ...rows].map((row) => row.map(cleanLine));
  const natural = header.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, visibleLength(line[column] ?? '')), 0),
  );
  const least = header.map((title) => Math.max(title.length, LEAST_WIDTH));
  const available = columns - GAP.length * (header.length - 1);
  const narrowest = natural.reduce((sum, width, column) => sum + Math.min(width, least[column] ?? 0), 0);
  if (narrowest > available) return formatRecords(header, rows, columns);
  const widths = fitWidths(natural, least, available);
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => pad(cutLine(cell, widths[column] ?? 0), widths[column] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}

/** The rows one below the other, an empty line between; an empty cell has no line. */
function formatRecords(header: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const records = rows.map((row) =>
    formatFacts(
      header.flatMap((title, column) => (row[column] ? [[title, row[column]] as const] : [])),
      columns,
    ),
  );
  return records.join('\n');
}

/**
 * One fact a line; a fact with several values has one line for each, and one without any has none. On a terminal a long
 * value continues on the next line, under its beginning.
 */
export function formatFacts(
  facts: readonly (readonly [string, string | readonly string[] | undefined])[],
  columns: number = Infinity,
): string {
  const rows = facts.flatMap(([name, value]) =>
    [value ?? []].flat().map((one, index) => [index === 0 ? `${name}:` : '', one] as const),
  );
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const next = ' '.repeat(width + 1);
  return rows
    .flatMap(([name, value]) =>
      wrapWords(cleanLine(value).split(' '), { columns, first: `${name.padEnd(width)} `, next }),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - visibleLength(cell)));
}
