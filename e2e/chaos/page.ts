/** Puts a result into its place on the page docs/reliability.md, with the date, the commit and the command. Pure. */

export const PAGE = 'docs/reliability.md';

export interface Result {
  /** Name of the place: `<!-- kills -->` up to `<!-- /kills -->`. */
  readonly place: string;
  readonly date: string;
  /** The short name of the commit that was run; it ends with `, changed` if files differed from it. */
  readonly commit: string;
  readonly command: string;
  readonly text: string;
}

/** The page with the result in place of the former one; throws if the page has no such place. */
export function withResult(page: string, { place, date, commit, command, text }: Result): string {
  const [begin, end] = [`<!-- ${place} -->`, `<!-- /${place} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no place for ${place}`);
  const content = `${begin}\n\n${date}, commit ${commit}, \`${command}\`:\n\n${text}\n\n`;
  return page.slice(0, from) + content + page.slice(to);
}
