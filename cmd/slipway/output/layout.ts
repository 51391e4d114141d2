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

/** Words in lines that are as full as they may be; each word is measured once. */
export function wrapWords(words: readonly string[], { columns, first, next }: Hanging): readonly string[] {
  if (columns === Infinity) return [first + words.join(' ')];
  const lines: string[] = [];
  let [start, held, length]: [string, string[], number] = [first, [], visibleLength(first)];
  for (const word of words) {
    const added = visibleLength(word) + (held.length > 0 ? 1 : 0);
    if (held.length > 0 && length + added > columns) {
      lines.push(start + held.join(' '));
      [start, held, length] = [next, [word], visibleLength(next) + added - 1];
      continue;
    }
    held.push(word);
    length += added;
  }
  return [...lines, start + held.join(' ')];
}

/** Columns of a terminal that a text takes. */
export function visibleLength(text: string): number {
  let columns = 0;
  for (const character of text.replaceAll(/\u001B\[[0-9;]*m/g, '')) columns += widthOf(character);
  return columns;
}

/** A line cut to a number of columns. */
export function cutLine(line: string, width: number): string {
  let [columns, kept] = [0, ''];
  for (const character of line) {
    columns += widthOf(character);
    if (columns > width) return `${kept}…`;
    if (columns < width) kept += character;
  }
  return line;
}

/** Columns of one character: letters of East Asia and pictures take two, and marks that join the one before them none. */
function widthOf(character: string): number {
  if (character < '\u0300') return 1;
  if (/\p{M}/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;

/**
 * Widths of a table's columns that fit into `available`: the widest is made narrower until the row fits, and none gets
 * narrower than its least. A cell of any length costs no more than one as wide as the terminal.
 */
export function fitWidths(widths: readonly number[], least: readonly number[], available: number): readonly number[] {
  const fitted = widths.map((width, index) => Math.min(width, Math.max(available, least[index] ?? 0)));
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
