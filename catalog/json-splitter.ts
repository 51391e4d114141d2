/**
 * Splits concatenated JSON objects on bytes, checks that they are JSON, and leaves out the white space between tokens
 * as it copies. Texts and numbers stay as they are written; nothing becomes a JavaScript object here.
 */
import { BulkFinder, type Span } from './bulk.ts';
import { DocumentBuffer } from './document-buffer.ts';
import { invalidCatalog } from './invalid.ts';
import { createJsonGrammar, type JsonGrammar } from './json-grammar.ts';
import type { StreamLimits } from './limits.ts';

/** A whole document of one syntax. Its bytes are valid until the next piece is taken. */
export interface Piece {
  readonly bytes: Buffer;
  /** Whether the document has a number that a JavaScript number may not hold exactly. */
  readonly longNumbers: boolean;
  /** The values of its properties that hold manifests: most of its bytes. */
  readonly bulk: readonly Span[];
}

/** Finds documents in the bytes of one file, which arrive in chunks. */
export interface SyntaxSplitter {
  /** Takes a chunk; returns the position in it at which another syntax begins, or its length. */
  push(chunk: Uint8Array): Generator<Piece, number>;
  /** The documents that the end of the file completes. */
  end(): Iterable<Piece>;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DASH = 0x2d;
const LONG_NUMBER = /[0-9]{16}/;
const MAX_SCALAR_LENGTH = 1024;

/** Advice about a file that is in the catalog's folder by accident. */
export const HINT_NOT_CATALOG = 'If the file is no part of the catalog, name it in .indexignore';

const IS_SPACE = bytesOf(' \n\r\t');
/** Characters that may follow a backslash, except `u`. */
const ESCAPABLE = bytesOf('"\\/bfnrt');
const HEX_DIGIT = bytesOf('0123456789abcdefABCDEF');
/** Characters that end plain text in a string: a quote, a backslash, and control characters, which are not allowed. */
const ENDS_TEXT = bytesOf(`"\\${String.fromCharCode(...Array(32).keys())}`);
/** Characters of numbers and words. */
const IN_SCALAR = bytesOf('+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');

/**
 * Splits JSON objects; anything but white space between them is an error, except a line `---`, where it stops.
 *
 * `push` and `end` throw ReasonedError `CatalogInvalid` for text that is not JSON or no object, a document that is cut
 * off, and exceeded limits.
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export class JsonSplitter implements SyntaxSplitter {
  readonly #path: string;
  readonly #limits: StreamLimits;
  readonly #grammar: JsonGrammar;
  readonly #bulk = new BulkFinder();
  /** The bytes of the current document that have been copied. */
  readonly #document: DocumentBuffer;
  /** Position in the chunk; bytes from here on belong to the document and are not copied yet. */
  #run = 0;
  #inString = false;
  /** Position of the opening quote in the document. */
  #stringStart = 0;
  /** 0 outside an escape; 1 after a backslash; 2 to 5 if one to four hexadecimal digits are missing. */
  #escape = 0;
  /** The number or word that is being read; empty if there is none. */
  #scalar = '';
  #longNumbers = false;
  /** Values of the current document so far. */
  #nodes = 0;
  /** Number of the current document in the file. */
  #ordinal = 1;
  #isFaulty = false;

  constructor(path: string, limits: StreamLimits) {
    this.#path = path;
    this.#limits = limits;
    this.#grammar = createJsonGrammar(limits.maxDepth);
    this.#document = new DocumentBuffer(limits.maxDocumentBytes);
  }

  /** Whether the text that was thrown for is no JSON, and broke no limit. */
  get isFaulty(): boolean {
    return this.#isFaulty;
  }

  *push(chunk: Uint8Array): Generator<Piece, number> {
    let position = 0;
    while (position < chunk.length) {
      if (this.#grammar.depth === 0 && chunk[position] === DASH) return position;
      const before = this.#grammar.depth;
      position = this.#scan(chunk, position);
      if (this.#grammar.depth === 0 && (before > 0 || this.#document.size > 0)) yield* this.#take();
    }
    return position;
  }

  end(): Iterable<Piece> {
    if (this.#grammar.depth > 0) throw this.#wrong('the JSON document is cut off');
    this.#document.release();
    return [];
  }

  *#take(): Generator<Piece> {
    if (this.#nodes - this.#bulk.nodes > this.#limits.maxNodes)
      throw this.#wrong(`the document has more than ${this.#limits.maxNodes} values`);
    if (this.#document.size - bytesOfSpans(this.#bulk.spans) > this.#limits.maxParsedBytes)
      throw this.#wrong(`the document has more than ${this.#limits.maxParsedBytes} bytes beside its manifests`);
    yield { bytes: this.#document.bytes, longNumbers: this.#longNumbers, bulk: this.#bulk.spans };
    this.#document.clear();
    this.#longNumbers = false;
    this.#nodes = 0;
    this.#bulk.next();
    this.#ordinal += 1;
  }

  /** Copies tokens until an object is complete, another syntax may begin or the chunk ends; returns the position. */
  #scan(chunk: Uint8Array, from: number): number {
    let at = from;
    this.#run = from;
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at]!;
      if (IN_SCALAR[byte] === 1 && this.#grammar.depth > 0) {
        at = this.#takeScalar(chunk, at);
        continue;
      }
      if (this.#scalar !== '') this.#endScalar();
      if (IS_SPACE[byte] === 1) {
        this.#keep(chunk, at);
        do at += 1;
        while (at < chunk.length && IS_SPACE[chunk[at]!] === 1);
        this.#run = at;
        continue;
      }
      if (this.#grammar.depth === 0 && byte !== 0x7b) {
        if (byte === DASH && at > from) return at;
        throw this.#wrong('this is not a JSON object');
      }
      this.#takeToken(byte, this.#document.size + at - this.#run);
      at += 1;
      if (this.#grammar.depth > 0) continue;
      this.#keep(chunk, at);
      return at;
    }
    this.#keep(chunk, at);
    return at;
  }

  /** Takes a token that is no scalar, at a position in the document; of a string only the opening quote. */
  #takeToken(byte: number, position: number): void {
    let fits = false;
    if (byte === QUOTE) {
      this.#inString = true;
      this.#stringStart = position;
      fits = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (this.#grammar.depth === this.#limits.maxDepth)
        throw this.#wrong(`the document is nested deeper than ${this.#limits.maxDepth} levels`);
      fits = this.#grammar.open(byte === 0x7b);
      this.#nodes += 1;
      this.#bulk.open(this.#grammar.depth, byte === 0x7b, { position, nodes: this.#nodes });
    } else if (byte === 0x7d || byte === 0x5d) {
      fits = this.#grammar.close(byte === 0x7d);
      this.#bulk.close(this.#grammar.depth, { position: position + 1, nodes: this.#nodes });
    } else if (byte === 0x2c) {
      fits = this.#grammar.comma();
      this.#nodes += 1;
    } else if (byte === 0x3a) fits = this.#grammar.colon();
    if (!fits) throw this.#notJson();
  }

  #takeScalar(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && IN_SCALAR[chunk[at]!] === 1) this.#scalar += String.fromCharCode(chunk[at++]!);
    if (this.#scalar.length > MAX_SCALAR_LENGTH)
      throw this.#wrong(
        `the document has a number or word longer than ${MAX_SCALAR_LENGTH} characters`,
        HINT_NOT_CATALOG,
      );
    return at;
  }

  #endScalar(): void {
    if (!this.#grammar.scalar(this.#scalar)) throw this.#notJson();
    this.#longNumbers ||= LONG_NUMBER.test(this.#scalar);
    this.#scalar = '';
  }

  #skipString(chunk: Uint8Array, from: number): number {
    const length = chunk.length;
    let at = from;
    while (at < length) {
      if (this.#escape > 0) {
        this.#takeEscape(chunk[at++]!);
        continue;
      }
      while (at < length && ENDS_TEXT[chunk[at]!] === 0) at += 1;
      if (at === length) break;
      const byte = chunk[at++]!;
      if (byte === QUOTE) {
        this.#inString = false;
        this.#endString(chunk, at);
        return at;
      }
      if (byte !== BACKSLASH) throw this.#notJson();
      this.#escape = 1;
    }
    return length;
  }

  #takeEscape(byte: number): void {
    if (this.#escape > 1) {
      if (HEX_DIGIT[byte] !== 1) throw this.#notJson();
      this.#escape = this.#escape === 2 ? 0 : this.#escape - 1;
    } else if (byte === 0x75) this.#escape = 5;
    else if (ESCAPABLE[byte] === 1) this.#escape = 0;
    else throw this.#notJson();
  }

  #endString(chunk: Uint8Array, at: number): void {
    const isKey = this.#grammar.expectsKey;
    if (!this.#grammar.string()) throw this.#notJson();
    if (!this.#bulk.wantsText(this.#grammar.depth, isKey)) return;
    this.#keep(chunk, at);
    this.#run = at;
    const text = this.#document.textBetween(this.#stringStart + 1, this.#document.size - 1);
    if (isKey) this.#bulk.key(text);
    else this.#bulk.text(text);
  }

  /** Copies the bytes of the chunk that belong to the document, up to a position. */
  #keep(chunk: Uint8Array, to: number): void {
    if (to <= this.#run) return;
    if (!this.#document.append(chunk, this.#run, to))
      throw this.#wrong(`the document is larger than ${this.#limits.maxDocumentBytes} bytes`);
  }

  #notJson(): Error {
    this.#isFaulty = true;
    return this.#wrong('the JSON cannot be parsed', HINT_NOT_CATALOG);
  }

  #wrong(what: string, hint?: string): Error {
    return invalidCatalog({ path: this.#path, document: this.#ordinal }, what, hint);
  }
}

function bytesOfSpans(spans: readonly Span[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0);
}

function bytesOf(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) set[byte] = 1;
  return set;
}
