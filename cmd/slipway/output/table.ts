/** Lays out text for people: tables, and lists of facts. Pure; every cell is cleaned. */
import { cleanCell } from './clean.ts';

const MAX_CELL = 80;
const GAP = '   ';

/** A table with a header, columns aligned at their left, as kubectl prints them. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => row.map((cell) => cleanCell(cell, MAX_CELL)));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column] ?? ''))));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => pad(cell, widths[column] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}

/** One fact a line; a fact with several values has one line for each, and one without any has none. */
export function formatFacts(facts: readonly (readonly [string, string | readonly string[] | undefined])[]): string {
  const rows = facts.flatMap(([name, value]) =>
    [value ?? []].flat().map((one, index) => [index === 0 ? `${name}:` : '', one] as const),
  );
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)} ${cleanCell(value, 200)}`.trimEnd() + '\n').join('');
}

/** `1 error`, `2 errors`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function lengthOf(cell: string): number {
  return Array.from(cell).length;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - lengthOf(cell)));
}
