/** Fits lines of text into the width of a terminal. Pure; escape sequences for colours take no room. */

/**
 * Breaks every line that is longer than the terminal is wide, between words. The continuation is indented by two more
 * than the line itself, so that the lines of one entry stay together. A word that is longer than a line is never cut.
 */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (visibleLength(line) <= columns) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  return wrapWords(line.slice(indent.length).split(' '), { columns, first: indent, next: `${indent}  ` });
}

export interface Hanging {
  readonly columns: number;
  /** Begins the first line. */
  readonly first: string;
  /** Begins every further line. */
  readonly next: string;
}

/** Words in lines that are as full as they may be. */
export function wrapWords(words: readonly string[], { columns, first, next }: Hanging): readonly string[] {
  const lines: string[] = [];
  let [start, held]: [string, string[]] = [first, []];
  for (const word of words) {
    if (held.length > 0 && visibleLength(start + [...held, word].join(' ')) > columns) {
      lines.push(start + held.join(' '));
      [start, held] = [next, []];
    }
    held.push(word);
  }
  return [...lines, start + held.join(' ')];
}

/** Characters that are seen. */
export function visibleLength(text: string): number {
  return Array.from(text.replaceAll(/\u001B\[[0-9;]*m/g, '')).length;
}

/**
 * Widths of a table's columns that fit into `available`: the widest is made narrower until the row fits, and none gets
 * narrower than its least.
 */
export function fitWidths(widths: readonly number[], least: readonly number[], available: number): readonly number[] {
  const fitted = [...widths];
  let excess = fitted.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = indexOfWidest(fitted, least);
    if (widest === undefined) break;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
    excess -= 1;
  }
  return fitted;
}

function indexOfWidest(widths: readonly number[], least: readonly number[]): number | undefined {
  const reducible = widths.flatMap((width, index) => (width > (least[index] ?? 0) ? [{ width, index }] : []));
  return reducible.toSorted((a, b) => b.width - a.width)[0]?.index;
}
