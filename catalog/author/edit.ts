/**
 * Carries out a change of a catalog on the texts of its files: documents that stay the same keep every byte, and those
 * that change keep comments, order and layout. Pure; `slipway catalog add`, `remove` and `promote` write the result.
 */
import { canonicalJson, formatJson } from '../../api/json.ts';
import type { Fields } from '../../api/untyped.ts';
import { rewriteDocument } from '../../bundles/yaml/rewrite.ts';
import { parseDocument, readFile, type DocumentFile, type PlacedDocument } from './documents.ts';

/** A change as data. A document that is not named stays as it is. */
export interface CatalogEdit {
  readonly changed: ReadonlyMap<PlacedDocument, Fields>;
  readonly removed: ReadonlySet<PlacedDocument>;
  readonly added: readonly AddedDocument[];
}

export interface AddedDocument {
  readonly value: Fields;
  /** The document behind which it stands, or the file to make. */
  readonly behind: PlacedDocument | { readonly file: string };
}

/** Writes a value as a document of YAML, without a separator. */
export type WriteYaml = (value: Fields) => string;

/** The texts of the files that change; undefined for a file that is removed. Or the document that cannot be edited. */
export type EditResult =
  | { readonly ok: true; readonly files: ReadonlyMap<string, string | undefined> }
  | { readonly ok: false; readonly document: PlacedDocument };

/** Whether the edit changes nothing. */
export function isIdle({ changed, removed, added }: CatalogEdit): boolean {
  return changed.size + removed.size + added.length === 0;
}

export function editFiles(
  files: ReadonlyMap<string, DocumentFile>,
  edit: CatalogEdit,
  writeYaml: WriteYaml,
): EditResult {
  const result = new Map<string, string | undefined>();
  for (const [path, file] of files) {
    if (!concerns(file, edit)) continue;
    const pieces: EditedPlace[] = [];
    for (const document of file.documents) {
      const piece = pieceOf(document, edit);
      if (piece === undefined) return { ok: false, document };
      pieces.push(piece);
    }
    const text = compose(file, pieces, (value) => write(file, value, writeYaml));
    const wrong = firstDifference(readFile(path, text), pieces);
    if (wrong !== undefined) return { ok: false, document: wrong };
    result.set(path, pieces.every(({ values }) => values.length === 0) ? undefined : text);
  }
  for (const [path, values] of newFiles(edit)) {
    result.set(path, values.map((value) => `---\n${writeYaml(value)}`).join(''));
  }
  return { ok: true, files: result };
}

function concerns({ path, documents }: DocumentFile, { changed, removed, added }: CatalogEdit): boolean {
  return (
    documents.some((one) => changed.has(one) || removed.has(one)) ||
    added.some(({ behind }) => !('file' in behind) && behind.path === path)
  );
}

/** One document of the file as it was, and the texts and values that stand in its place. */
interface EditedPlace {
  readonly document: PlacedDocument;
  /** Absent if the document is removed. */
  readonly text?: string;
  readonly added: readonly Fields[];
  /** All values of its place, in order. */
  readonly values: readonly Fields[];
}

function pieceOf(document: PlacedDocument, { changed, removed, added }: CatalogEdit): EditedPlace | undefined {
  const further = added.filter(({ behind }) => behind === document).map(({ value }) => value);
  if (removed.has(document)) return { document, added: further, values: further };
  const value = changed.get(document);
  if (value === undefined)
    return { document, text: document.text, added: further, values: [document.value, ...further] };
  const parse = (text: string): unknown => parseDocument(text, document.path, document.ordinal);
  const text = rewriteDocument(document.text, value, parse);
  return text === undefined ? undefined : { document, text, added: further, values: [value, ...further] };
}

function compose(
  { syntax, documents, tail }: DocumentFile,
  pieces: readonly EditedPlace[],
  write: (value: Fields) => string,
): string {
  let text = '';
  for (const { document, text: own, added } of pieces) {
    if (own !== undefined) text += text === '' && document !== documents[0] ? own : document.gap + own;
    else if (document === documents[0]) text += headerOf(document);
    for (const value of added) text += write(value).replace(/^\n/, text === '' || text.endsWith('\n') ? '' : '\n');
  }
  return text + (syntax === 'json' && text === '' ? '' : tail);
}

/** The comments at the top of a file, which are about the file if an empty line follows them. */
function headerOf({ gap, text }: PlacedDocument): string {
  return /^(?:[ \t]*#.*\r?\n|[ \t]*\r?\n)*[ \t]*\r?\n/.exec(gap + text)?.[0] ?? '';
}

/** A new document in the layout of a file, begun by that which separates it from the one before it. */
function write({ syntax, documents }: DocumentFile, value: Fields, writeYaml: WriteYaml): string {
  if (syntax === 'yaml') return `\n---\n${writeYaml(value)}`;
  const sample = documents[0]?.text ?? '';
  const indentation = /^\{\r?\n([ \t]+)"/.exec(sample)?.[1];
  return `\n${indentation === undefined ? formatJson(value) : formatJson(value, indentation)}`;
}

/** The document whose place holds something else than was wanted. */
function firstDifference({ documents }: DocumentFile, pieces: readonly EditedPlace[]): PlacedDocument | undefined {
  const wanted = pieces.flatMap(({ document, values }) =>
    values.map((value) => ({ document, json: canonicalJson(value) })),
  );
  const at = wanted.findIndex(({ json }, index) => canonicalJson(documents[index]?.value ?? null) !== json);
  if (at >= 0) return wanted[at]!.document;
  return documents.length === wanted.length ? undefined : pieces[0]?.document;
}

function newFiles({ added }: CatalogEdit): ReadonlyMap<string, readonly Fields[]> {
  const files = new Map<string, Fields[]>();
  for (const { value, behind } of added) {
    if ('file' in behind) files.set(behind.file, [...(files.get(behind.file) ?? []), value]);
  }
  return files;
}
