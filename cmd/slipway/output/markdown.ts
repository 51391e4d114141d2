/** Writes texts of others into Markdown so that they stay text: no links, mentions, images, HTML or lists. Pure. */
import { cleanLine } from '../../../report/clean.ts';

/**
 * A text as code: the only form that no site searches for mentions, references and links. The fence is longer than any run
 * of backticks in the text.
 */
export function asCode(text: string): string {
  const clean = cleanLine(text);
  if (clean === '') return '';
  const longest = Math.max(0, ...(clean.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const gap = clean.startsWith('`') || clean.endsWith('`') ? ' ' : '';
  return `${fence}${gap}${clean}${gap}${fence}`;
}

/** Lines as a block of code, which no line can end. */
export function asBlock(lines: readonly string[]): string {
  const clean = lines.map((line) => `${/^ */.exec(line)?.[0] ?? ''}${cleanLine(line)}`);
  const longest = Math.max(2, ...(clean.join('\n').match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${clean.join('\n')}\n${fence}`;
}
