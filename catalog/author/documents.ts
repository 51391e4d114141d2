/**
 * The documents of a catalog's files with their places in the text, for commands that change a catalog in place. Reading
 * for a cluster is stream.ts, which keeps no places.
 */
import { isRecord, type Fields } from '../../api/untyped.ts';
import { YamlError, parseYaml } from '../../bundles/yaml.ts';
import { splitDocuments } from '../../bundles/yaml/split.ts';
import { textField } from '../fields.ts';
import { invalidCatalog } from '../invalid.ts';
import { catalogFilesOf } from '../tree.ts';

/** One document and its place. */
export interface PlacedDocument {
  readonly path: string;
  /** From 1. */
  readonly ordinal: number;
  readonly value: Fields;
  readonly text: string;
  /** The text between the document before it, or the beginning of the file, and this one. */
  readonly gap: string;
}

/** One file as its documents. The gaps, the texts and the tail in order are the file. */
export interface DocumentFile {
  readonly path: string;
  readonly syntax: 'json' | 'yaml';
  readonly documents: readonly PlacedDocument[];
  /** The text behind the last document. */
  readonly tail: string;
}

/**
 * The files of a catalog by path, without those that `.indexignore` names. Throws ReasonedError `CatalogInvalid`, not
 * retried, for a file that cannot be read, and for one that mixes JSON and YAML.
 */
export function readDocumentFiles(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, DocumentFile> {
  return new Map(
    [...catalogFilesOf(files)].map(({ path, content }) => [
      path,
      readFile(path, Buffer.from(content).toString('utf8')),
    ]),
  );
}

/** A file from its text; as {@link readDocumentFiles}. */
export function readFile(path: string, text: string): DocumentFile {
  const syntax = /^\uFEFF?\s*\{/.test(text) ? 'json' : 'yaml';
  const chunks = syntax === 'json' ? splitJson(path, text) : splitYaml(path, text);
  let read = 0;
  const documents: PlacedDocument[] = [];
  for (const { start, end } of chunks) {
    const value = parseDocument(text.slice(start, end), path, documents.length + 1);
    if (value === null) continue; // comments, which stay in the gap
    documents.push({
      path,
      ordinal: documents.length + 1,
      value,
      text: text.slice(start, end),
      gap: text.slice(read, start),
    });
    read = end;
  }
  return { path, syntax, documents, tail: text.slice(read) };
}

/** The value of the text of one document; null if it holds comments alone. */
export function parseDocument(text: string, path: string, document: number): Fields | null {
  try {
    const value = parseYaml(text, { maxBytes: text.length * 4 })[0]?.value ?? null;
    if (value === null || isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalidCatalog({ path, document }, `the document cannot be read: it ${error.what}`);
  }
  throw invalidCatalog({ path, document }, 'the document is not an object');
}

interface DocumentRange {
  readonly start: number;
  readonly end: number;
}

function splitYaml(path: string, text: string): readonly DocumentRange[] {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  try {
    return splitDocuments(text, MAX_DOCUMENTS).map(({ line, text: chunk }) => {
      const start = lines[line - 1] ?? text.length;
      return { start, end: start + chunk.length };
    });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalidCatalog({ path }, `the file cannot be read: it ${error.what}`);
  }
}

const MAX_DOCUMENTS = 100_000;

/** Objects one behind the other, with white space between them. */
function splitJson(path: string, text: string): readonly DocumentRange[] {
  const chunks: DocumentRange[] = [];
  let [depth, start] = [0, 0];
  for (const { index, 0: token } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}]|[^\s{}"\uFEFF][^{}"]*/g)) {
    if (depth === 0 && token !== '{')
      throw invalidCatalog(
        { path, document: chunks.length + 1 },
        'the file mixes JSON objects and other text',
        'Write the file in JSON or in YAML alone',
      );
    if (token === '{' && depth === 0) start = index;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (token === '}' && depth === 0) chunks.push({ start, end: index + 1 });
  }
  if (depth === 0) return chunks;
  throw invalidCatalog({ path, document: chunks.length + 1 }, 'the JSON is cut off');
}

/** The documents of one package. */
export interface PackageDocuments {
  readonly name: string;
  readonly head: PlacedDocument | undefined;
  readonly channels: ReadonlyMap<string, PlacedDocument>;
  readonly bundles: ReadonlyMap<string, PlacedDocument>;
  readonly deprecations: readonly PlacedDocument[];
  /** In the order of the files; those of other schemas too. */
  readonly all: readonly PlacedDocument[];
}

/** The documents of a package; all are empty if the catalog does not have it. */
export function packageDocuments(files: ReadonlyMap<string, DocumentFile>, name: string): PackageDocuments {
  const all = [...files.values()].flatMap(({ documents }) => documents.filter(({ value }) => ownerOf(value) === name));
  const named = (schema: string): ReadonlyMap<string, PlacedDocument> =>
    new Map(all.filter((one) => schemaOf(one) === schema).map((one) => [textField(one.value, 'name') ?? '', one]));
  return {
    name,
    head: all.find((one) => schemaOf(one) === 'olm.package'),
    channels: named('olm.channel'),
    bundles: named('olm.bundle'),
    deprecations: all.filter((one) => schemaOf(one) === 'olm.deprecations'),
    all,
  };
}

function schemaOf({ value }: PlacedDocument): string {
  return textField(value, 'schema') ?? '';
}

function ownerOf(value: Fields): string | undefined {
  return textField(value, 'schema') === 'olm.package' ? textField(value, 'name') : textField(value, 'package');
}
