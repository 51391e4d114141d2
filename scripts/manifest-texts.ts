/** The texts of a manifest in YAML or JSON that people read: comments, and fields such as the summary of an alert. Pure. */

export interface ManifestText {
  readonly line: number;
  readonly text: string;
}

const COMMENT = /(?:^|\s)# ?(.*)$/;
/** The text of a field, or the first line of it. */
const FIELD = /^(\s*)(?:- )?"?(?:summary|description|message|title)"?:\s*(.*)$/;

/** Comments of several lines, and fields of several lines, are one text each. */
export function manifestTexts(manifest: string): readonly ManifestText[] {
  const texts: { line: number; text: string; indent: number }[] = [];
  let open: (typeof texts)[number] | undefined;
  for (const [index, line] of manifest.split('\n').entries()) {
    const found = readLine(line);
    if (open !== undefined && continues(open, line, found)) open.text += ` ${found?.text ?? line.trim()}`;
    else if (found === undefined) open = undefined;
    else texts.push((open = { line: index + 1, ...found }));
  }
  return texts.map(({ line, text }) => ({ line, text: text.replaceAll(/`[^`]*`|\{\{[^}]*\}\}/g, '``') }));
}

/** As the indent of comments, which belong together however they are indented. */
const OF_COMMENT = -1;

function readLine(line: string): { readonly text: string; readonly indent: number } | undefined {
  const field = FIELD.exec(line);
  if (field !== null) return { text: field[2]!, indent: field[1]!.length };
  const comment = COMMENT.exec(line);
  return comment === null ? undefined : { text: comment[1]!, indent: OF_COMMENT };
}

function continues(open: { readonly indent: number }, line: string, found: ReturnType<typeof readLine>): boolean {
  if (open.indent === OF_COMMENT) return found?.indent === OF_COMMENT && /^\s*#/.test(line);
  return found === undefined && line.trim() !== '' && line.search(/\S/) > open.indent;
}
