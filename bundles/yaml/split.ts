/** Splits a file into its documents, by lines, before anything is parsed: one large file never is in memory twice. */
import { YamlError } from './error.ts';

export interface DocumentText {
  /** From 1. */
  readonly index: number;
  /** First line in the file, from 1. */
  readonly line: number;
  /** Position of the first character of `text` in the file. */
  readonly start: number;
  readonly text: string;
}

/**
 * The documents between lines that start with `---`. Only a comment may follow the dashes, as for kubectl.
 * @throws YamlError for content behind the dashes, or more documents than allowed.
 */
export function splitDocuments(text: string, maxDocuments: number): readonly DocumentText[] {
  const documents: DocumentText[] = [];
  let start = 0;
  let line = 1;
  for (const mark of separators(text)) {
    if (mark.at > start) documents.push({ index: documents.length + 1, line, start, text: text.slice(start, mark.at) });
    if (documents.length >= maxDocuments) {
      throw new YamlError({ kind: 'limit', what: `has more than ${maxDocuments} documents` });
    }
    line += countLines(text, start, mark.end);
    start = mark.end;
  }
  documents.push({ index: documents.length + 1, line, start, text: text.slice(start) });
  return documents;
}

function* separators(text: string): Iterable<{ readonly at: number; readonly end: number }> {
  for (let at = text.startsWith('---') ? 0 : nextSeparator(text, 0); at >= 0; at = nextSeparator(text, at)) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const rest = text.slice(at + 3, end).trim();
    if (rest !== '' && !rest.startsWith('#')) {
      const what = 'has text behind the document separator "---"';
      throw new YamlError({ kind: 'syntax', what, document: 1, line: 1 + countLines(text, 0, at) });
    }
    yield { at, end };
  }
}

function nextSeparator(text: string, from: number): number {
  const found = text.indexOf('\n---', from);
  return found < 0 ? -1 : found + 1;
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
