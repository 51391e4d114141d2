/**
 * Lays out one lane for a terminal: a row for each version, and rails that join each version with those that may upgrade
 * to it. Neighbours are joined by the line between them, all others by a rail at the right. Pure.
 */

export interface Rails {
  /** The characters behind the symbol of each row. */
  readonly rows: readonly string[];
  /** The characters of the line below each row, its first the line to the next row. */
  readonly between: readonly string[];
  /** Joints that no rail is drawn for, as too many run side by side. */
  readonly omitted: number;
}

/** A row, and those from which an edge leads to it. */
export interface Joint {
  readonly row: number;
  readonly from: readonly number[];
}

/** A vertical line beside the rows that it joins. */
interface Rail {
  readonly column: number;
  readonly first: number;
  readonly last: number;
  readonly joins: ReadonlySet<number>;
}

/** More rails side by side than this cannot be followed by eye. */
const MOST_COLUMNS = 12;

/** The rails between so many rows. */
export function layRails(count: number, joints: readonly Joint[]): Rails {
  const neighbours = new Set(joints.filter(({ row, from }) => from.includes(row + 1)).map(({ row }) => row));
  const distant = joints
    .map(({ row, from }) => ({ row, from: from.filter((one) => one !== row + 1 && one !== row) }))
    .filter(({ from }) => from.length > 0);
  const { rails, omitted } = place(distant);
  const grid = gridOf(count, rails);
  return {
    rows: grid.map((cells, row) => drawRow(row, cells)),
    between: grid.map((cells, row) => `${neighbours.has(row) ? '│' : ' '}${drawBetween(row, cells)}`),
    omitted,
  };
}

/** Each rail in the first column that is free along its whole length; long rails are placed last, so further out. */
function place(joints: readonly Joint[]): { readonly rails: readonly Rail[]; readonly omitted: number } {
  const spans = joints.map(({ row, from }) => {
    const joins = new Set([row, ...from]);
    return { first: Math.min(...joins), last: Math.max(...joins), joins };
  });
  const rails: Rail[] = [];
  for (const span of spans.toSorted((a, b) => a.last - a.first - (b.last - b.first) || a.first - b.first)) {
    const taken = new Set(
      rails.filter((one) => one.first <= span.last && span.first <= one.last).map((one) => one.column),
    );
    const column = Array.from({ length: MOST_COLUMNS }, (_, at) => at).find((at) => !taken.has(at));
    if (column !== undefined) rails.push({ ...span, column });
  }
  return { rails, omitted: spans.length - rails.length };
}

/** The rail of each column, row by row. */
type Cells = readonly (Rail | undefined)[];

function gridOf(count: number, rails: readonly Rail[]): readonly Cells[] {
  const columns = Math.max(0, ...rails.map(({ column }) => column + 1));
  const grid = Array.from({ length: count }, () => Array<Rail | undefined>(columns).fill(undefined));
  for (const rail of rails) for (let row = rail.first; row <= rail.last; row += 1) grid[row]![rail.column] = rail;
  return grid;
}

function drawRow(row: number, cells: Cells): string {
  const furthest = cells.findLastIndex((rail) => rail?.joins.has(row) === true);
  return cells
    .map((rail, column) => {
      const line = column <= furthest ? '─' : ' ';
      return `${line}${crossing(row, rail, { isLast: column === furthest, line })}`;
    })
    .join('');
}

function crossing(
  row: number,
  rail: Rail | undefined,
  { isLast, line }: { readonly isLast: boolean; readonly line: string },
): string {
  if (rail === undefined) return line;
  if (!rail.joins.has(row)) return '│';
  if (row === rail.first) return isLast ? '╮' : '┬';
  if (row === rail.last) return isLast ? '╯' : '┴';
  return isLast ? '┤' : '┼';
}

function drawBetween(row: number, cells: Cells): string {
  return cells.map((rail) => (rail !== undefined && row < rail.last ? ' │' : '  ')).join('');
}
