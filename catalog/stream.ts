/**
 * Turns the bytes of catalog files into documents, one at a time, as the bytes arrive: concatenated JSON, JSON lines or
 * YAML, distinguished by the first character as the reference tools do; a file whose first object is no JSON is YAML in
 * braces. It never holds a whole file; it compacts a JSON
 * document byte by byte, so that numbers and texts stay exactly as published. The index and the commands for authors
 * call it. parse.ts interprets the documents.
 */
import { isUtf8 } from 'node:buffer';
import { formatJson, parseJson } from '../api/json.ts';
import { YamlError, parseYaml } from '../bundles/yaml.ts';
import { essenceOf, type Span } from './bulk.ts';
import { HINT_NOT_CATALOG, JsonSplitter, type Piece, type SyntaxSplitter } from './json-splitter.ts';
import { invalidCatalog } from './invalid.ts';
import type { StreamLimits } from './limits.ts';
import { YamlSplitter } from './yaml-splitter.ts';

/** One document of a file. */
export interface RawDocument {
  /** Compact JSON in UTF-8, on one line, without a line feed; valid until the next document is taken. */
  readonly bytes: Uint8Array;
  /** The document; properties that hold manifests have only their essence, see bulk.ts. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Whether it may have integers that are bigint in the value. */
  readonly longNumbers: boolean;
  /** Its ordinal in the file, from 1. */
  readonly ordinal: number;
}

/** How much white space before the first document is read in search of its first character. */
const MAX_LEAD = 1 << 16;
/** How much of a file that begins like JSON is kept, beside the chunk that was read last, until its first document ends. */
const MAX_OPENING = 4 << 20;
const OPEN_BRACE = 0x7b;

/**
 * Splits one file into documents. `push` takes its bytes in order, `end` is called once after the last chunk; errors
 * name the file by `path`.
 *
 * Both throw ReasonedError `CatalogInvalid` (never retried) if the bytes are neither JSON nor YAML, a document is no
 * object or is cut off, or a limit is exceeded. The documents before the defect have been yielded by then.
 * @see https://olm.operatorframework.io/docs/reference/file-based-catalogs/
 */
export class DocumentSplitter {
  readonly #path: string;
  readonly #limits: StreamLimits;
  /** White space at the beginning of the file, until its first other character arrives. */
  #lead: Uint8Array = new Uint8Array(0);
  /** The splitter of the current syntax; absent until the first character that is no white space. */
  #splitter: SyntaxSplitter | undefined;
  /** Parses the pieces of the current syntax. */
  #toDocuments: (piece: Piece, place: PiecePlace) => Generator<ParsedDocument> = fromJson;
  /** How many documents the file has had so far. */
  #ordinal = 0;
  /** The file so far, until it proves to be JSON by its first document or by its length. */
  #opening: readonly Uint8Array[] | undefined = [];
  /** Why the file is no JSON, though it begins like it. */
  #fault: unknown;

  constructor(path: string, limits: StreamLimits) {
    this.#path = path;
    this.#limits = limits;
  }

  *push(chunk: Uint8Array): Generator<RawDocument> {
    if (this.#splitter !== undefined) yield* this.#feed(this.#splitter, chunk);
    else yield* this.#open(this.#lead.length === 0 ? chunk : Buffer.concat([this.#lead, chunk]));
  }

  *end(): Generator<RawDocument> {
    if (this.#splitter === undefined && this.#lead.length > 0) yield* this.#feed(this.#begin('yaml'), this.#lead);
    for (const piece of this.#splitter?.end() ?? []) yield* this.#documentsOf(piece);
  }

  /** Chooses the syntax by the first character that is no white space. */
  *#open(bytes: Uint8Array): Generator<RawDocument> {
    const start = startOfContent(bytes);
    if (start < 0 && bytes.length > MAX_LEAD) {
      throw invalidCatalog({ path: this.#path }, 'the file begins with too much white space');
    }
    if (start < 0) this.#lead = Uint8Array.from(bytes);
    else if (bytes[start] === OPEN_BRACE) yield* this.#feed(this.#begin('json'), bytes.subarray(start));
    else yield* this.#feed(this.#begin('yaml'), bytes.subarray(byteOrderMark(bytes)));
  }

  *#feed(current: SyntaxSplitter, chunk: Uint8Array): Generator<RawDocument> {
    let rest: number;
    try {
      rest = yield* this.#documents(current.push(chunk));
    } catch (error) {
      yield* this.#feedAsYaml(this.#openingOf(current, chunk, error), error);
      return;
    }
    this.#keepOpening(chunk);
    if (rest < chunk.length) yield* this.#feed(this.#begin('yaml'), chunk.subarray(rest));
  }

  /** The file up to the end of this chunk if it may be YAML nevertheless, as the reference tools try; else throws. */
  #openingOf(current: SyntaxSplitter, chunk: Uint8Array, error: unknown): Uint8Array {
    const isNoJson = current instanceof JsonSplitter && current.isFaulty;
    if (!isNoJson || this.#ordinal > 0 || this.#opening === undefined) throw error;
    return Buffer.concat([...this.#opening, chunk]);
  }

  *#feedAsYaml(bytes: Uint8Array, fault: unknown): Generator<RawDocument> {
    this.#fault = fault;
    this.#opening = undefined;
    yield* this.#feed(this.#begin('yaml'), bytes);
  }

  #keepOpening(chunk: Uint8Array): void {
    if (this.#opening === undefined) return;
    const kept = this.#opening.reduce((sum, { length }) => sum + length, chunk.length);
    const isOpen = this.#ordinal === 0 && this.#splitter instanceof JsonSplitter && kept <= MAX_OPENING;
    this.#opening = isOpen ? [...this.#opening, Uint8Array.from(chunk)] : undefined;
  }

  *#documents<Rest>(pieces: Generator<Piece, Rest>): Generator<RawDocument, Rest> {
    for (;;) {
      const next = pieces.next();
      if (next.done === true) return next.value;
      yield* this.#documentsOf(next.value);
    }
  }

  *#documentsOf(piece: Piece): Generator<RawDocument> {
    for (const parsed of this.#parse(piece)) {
      this.#ordinal += 1;
      yield { ...parsed, ordinal: this.#ordinal };
    }
  }

  /** The fault of JSON is reported if the first document is no YAML either. */
  *#parse(piece: Piece): Generator<ParsedDocument> {
    try {
      yield* this.#toDocuments(piece, { path: this.#path, document: this.#ordinal + 1 });
    } catch (error) {
      throw this.#ordinal === 0 && this.#fault !== undefined ? this.#fault : error;
    }
  }

  #begin(syntax: 'json' | 'yaml'): SyntaxSplitter {
    this.#toDocuments = syntax === 'json' ? fromJson : fromYaml;
    this.#splitter =
      syntax === 'json' ? new JsonSplitter(this.#path, this.#limits) : new YamlSplitter(this.#path, this.#limits);
    return this.#splitter;
  }
}

/** The documents of a whole file in memory; as {@link DocumentSplitter}. */
export function* parseDocuments(path: string, content: Uint8Array, limits: StreamLimits): Generator<RawDocument> {
  const splitter = new DocumentSplitter(path, limits);
  yield* splitter.push(content);
  yield* splitter.end();
}

/** The document with all of its properties, those that hold manifests too. */
export function wholeValue({ bytes, longNumbers }: RawDocument): RawDocument['value'] {
  const text = Buffer.from(bytes).toString('utf8');
  return (longNumbers ? parseJson(text) : JSON.parse(text)) as RawDocument['value'];
}

type ParsedDocument = Omit<RawDocument, 'ordinal'>;
type PiecePlace = { readonly path: string; readonly document: number };

function* fromJson(piece: Piece, place: PiecePlace): Generator<ParsedDocument> {
  const { bytes, longNumbers } = piece;
  const value = parsePiece(piece, place);
  const valid = isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'));
  yield { bytes: valid, value, longNumbers };
}

/** A function of its own, so that the text is garbage before the document is used. */
function parsePiece({ bytes, longNumbers, bulk }: Piece, place: PiecePlace): ParsedDocument['value'] {
  const text = withoutBulk(bytes, bulk);
  try {
    return (longNumbers ? parseJson(text) : JSON.parse(text)) as ParsedDocument['value'];
  } catch (cause) {
    throw invalidCatalog(place, `the JSON cannot be parsed: ${(cause as Error).message}`, HINT_NOT_CATALOG);
  }
}

/** The text of a document in which the essence of each span replaces the span. */
function withoutBulk(bytes: Buffer, bulk: readonly Span[]): string {
  let text = '';
  let from = 0;
  for (const { start, end } of bulk) {
    text += `${bytes.toString('utf8', from, start)}${essenceOf(bytes.subarray(start, end))}`;
    from = end;
  }
  return text + bytes.toString('utf8', from);
}

function* fromYaml({ bytes }: Piece, place: PiecePlace): Generator<ParsedDocument> {
  for (const value of parseYamlValues(bytes, place)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalidCatalog(place, 'the YAML document is not an object', HINT_NOT_CATALOG);
    }
    yield { bytes: Buffer.from(formatJson(value)), value: value as Record<string, unknown>, longNumbers: true };
  }
}

function parseYamlValues(bytes: Uint8Array, place: PiecePlace): readonly unknown[] {
  try {
    return parseYaml(bytes, { maxBytes: bytes.length }).map(({ value }) => value);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const line = error.line === undefined ? '' : `in its line ${error.line}, `;
    const hint = error.kind === 'limit' ? HINT_TOO_LARGE : HINT_NOT_CATALOG;
    throw invalidCatalog(place, `the YAML cannot be read: ${line}it ${error.what}`, hint);
  }
}

const HINT_TOO_LARGE = 'Split the document, use fewer aliases, or publish it as JSON';

/** The position of the first character that is no white space; -1 if there is none yet. */
function startOfContent(bytes: Uint8Array): number {
  if (bytes.length < 3 && BYTE_ORDER_MARK.subarray(0, bytes.length).equals(bytes)) return -1;
  for (let at = byteOrderMark(bytes); at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
  }
  return -1;
}

/** Length of the UTF-8 byte order mark at the start. */
function byteOrderMark(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.equals(bytes.subarray(0, 3)) ? 3 : 0;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
