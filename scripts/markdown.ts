/** Reads Markdown as far as tests about the documentation need it: fenced blocks, code, links and headings. Pure. */
import { posix } from 'node:path';

/** A fenced block: ` ```yaml ` … ` ``` `. */
export interface Fence {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** With a line break at its end. */
  readonly text: string;
}

export interface Markdown {
  readonly fences: readonly Fence[];
  /** Everything outside of fences; as many lines as the file. */
  readonly prose: string;
}

/** Splits a document into fences and prose. Throws a plain Error if a fence is not closed. */
export function parseMarkdown(text: string): Markdown {
  const fences: Fence[] = [];
  const prose: string[] = [];
  let open: { readonly line: number; readonly language: string; readonly lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^ *```(.*)$/.exec(line);
    if (fence === null) (open?.lines ?? prose).push(line);
    else if (open === undefined) open = { line: index + 1, language: (fence[1] ?? '').trim(), lines: [] };
    else {
      fences.push({ line: open.line, language: open.language, text: open.lines.map((one) => `${one}\n`).join('') });
      prose.push(...Array<string>(open.lines.length + 2).fill(''));
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`the fence of line ${open.line} is not closed`);
  return { fences, prose: prose.join('\n') };
}

/** The texts of `code` spans within prose. */
export function codeSpans(prose: string): readonly string[] {
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
}

/** The texts of here documents in a shell script: `<<END` … `END`. */
export function hereDocuments(script: string): readonly string[] {
  return [...script.matchAll(/<<-?'?(\w+)'?[^\n]*\n([\s\S]*?)^\1$/gm)].map(([, , text]) => text ?? '');
}

/** A link to something in the repository. */
export interface Link {
  /** As it is written. */
  readonly text: string;
  /** From the root of the repository; the document itself for `#anchor`. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** The links of a document that lead into the repository; `document` is its path from the root. */
export function linksOf(document: string, prose: string): readonly Link[] {
  const targets = [...prose.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target]) => target ?? '',
  );
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((text) => {
      const [file = '', anchor] = text.split('#');
      const path = file === '' ? document : posix.join(posix.dirname(document), file);
      return { text, path: path.replace(/\/$/, ''), anchor };
    });
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(prose: string): readonly string[] {
  const headings = [...prose.matchAll(/^#+ +(.+)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The `code` in the first column of every table whose header begins with `title`. */
export function firstColumn(prose: string, title: string): readonly string[] {
  const tables = prose.split(/\n(?!\|)/).map((block) => block.split('\n').filter((line) => line.startsWith('|')));
  return tables
    .filter(([header = '']) => header.split('|')[1]?.trim() === title)
    .flatMap((rows) => rows.slice(2).flatMap((row) => codeSpans(row.split('|')[1] ?? '')));
}
