/**
 * Splits concatenated JSON objects on bytes, checks that they are JSON, and takes the white space between tokens
 * away as it copies. Texts and numbers stay as they are written; nothing becomes a JavaScript object here.
 */
import { BulkFinder, type Span } from './bulk.ts';
import { invalidCatalog } from './invalid.ts';
import { createJsonGrammar } from './json-grammar.ts';
import type { StreamLimits } from './limits.ts';

/** A whole document of one syntax. The bytes are valid until the next one is taken. */
export interface Piece {
  readonly bytes: Buffer;
  /** Whether it has a number that a JavaScript number may not hold exactly. */
  readonly longNumbers: boolean;
  /** Objects among the values of its properties that hold manifests: most of its bytes. */
  readonly bulk: readonly Span[];
}

/** Finds documents in the bytes of one file, which arrive in chunks. */
export interface SyntaxSplitter {
  /** Takes a chunk; returns where the next syntax begins in it, or its length. */
  push(chunk: Uint8Array): Generator<Piece, number>;
  /** What the end of the file completes. */
  end(): Iterable<Piece>;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DASH = 0x2d;
const LONG_NUMBER = /[0-9]{16}/;
const MAX_SCALAR_LENGTH = 1024;
const INITIAL_BYTES = 1 << 16;
const RETAINED_BYTES = 1 << 20;
/** Below this, a loop copies faster than a call. */
const SHORT_RUN = 48;

/** The memory of the file before: a catalog has hundreds, and each would leave some to be collected. */
let spare: Buffer | undefined;

/** What to do about a file that is in the catalog's folder by accident. */
export const HINT_NOT_CATALOG = 'Name a file that is no part of the catalog in .indexignore';

const IS_SPACE = bytesOf(' \n\r\t');
/** What may follow a backslash, `u` apart. */
const ESCAPABLE = bytesOf('"\\/bfnrt');
const HEX_DIGIT = bytesOf('0123456789abcdefABCDEF');
/** What plain text in a string ends with: a quote, a backslash, or a control character, which may not stand there. */
const ENDS_TEXT = bytesOf(`"\\${String.fromCharCode(...Array(32).keys())}`);
/** What numbers and words are made of. */
const IN_SCALAR = bytesOf('+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');

/**
 * A splitter of JSON objects; anything but white space between them is an error, except a line `---`, where it stops.
 *
 * Throws ReasonedError `CatalogInvalid` for text that is not JSON or no object, a document cut off, and exceeded limits.
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export function createJsonSplitter(path: string, limits: StreamLimits): SyntaxSplitter {
  const grammar = createJsonGrammar(limits.maxDepth);
  const bulk = new BulkFinder();
  let kept = spare ?? Buffer.allocUnsafe(INITIAL_BYTES);
  spare = undefined;
  let size = 0;
  let run = 0; // bytes of the chunk from here on belong to the document and are not copied yet
  let inString = false;
  let stringStart = 0; // in the document
  let escape = 0; // 1 after a backslash; 2 to 5: that many less one hexadecimal digits are missing
  let scalar = '';
  let longNumbers = false;
  let nodes = 0;
  let ordinal = 1;

  function* push(chunk: Uint8Array): Generator<Piece, number> {
    let position = 0;
    while (position < chunk.length) {
      if (grammar.depth === 0 && chunk[position] === DASH) return position;
      const before = grammar.depth;
      position = scan(chunk, position);
      if (grammar.depth === 0 && (before > 0 || size > 0)) yield* take();
    }
    return position;
  }

  function end(): Iterable<Piece> {
    if (grammar.depth > 0) throw wrong('the JSON document is cut off');
    spare = kept;
    return [];
  }

  function* take(): Generator<Piece> {
    if (nodes - bulk.nodes > limits.maxNodes) throw wrong(`the document has more than ${limits.maxNodes} values`);
    yield { bytes: kept.subarray(0, size), longNumbers, bulk: bulk.spans };
    if (kept.length > RETAINED_BYTES) kept = Buffer.allocUnsafe(INITIAL_BYTES);
    size = 0;
    longNumbers = false;
    nodes = 0;
    bulk.next();
    ordinal += 1;
  }

  /** Copies tokens until an object is complete, another syntax may begin or the chunk ends; returns the position. */
  function scan(chunk: Uint8Array, from: number): number {
    let at = from;
    run = from;
    while (at < chunk.length) {
      if (inString) {
        at = skipString(chunk, at);
        continue;
      }
      const byte = chunk[at]!;
      if (IN_SCALAR[byte] === 1 && grammar.depth > 0) {
        at = takeScalar(chunk, at);
        continue;
      }
      if (scalar !== '') endScalar();
      if (IS_SPACE[byte] === 1) {
        keep(chunk, at);
        do at += 1;
        while (at < chunk.length && IS_SPACE[chunk[at]!] === 1);
        run = at;
        continue;
      }
      if (grammar.depth === 0 && byte !== 0x7b) {
        if (byte === DASH && at > from) return at;
        throw wrong('this is not a JSON object');
      }
      takeToken(byte, size + at - run);
      at += 1;
      if (grammar.depth > 0) continue;
      keep(chunk, at);
      return at;
    }
    keep(chunk, at);
    return at;
  }

  /** Everything but scalars and the inside of strings, at a position in the document. */
  function takeToken(byte: number, position: number): void {
    let fits = false;
    if (byte === QUOTE) {
      inString = true;
      stringStart = position;
      fits = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (grammar.depth === limits.maxDepth)
        throw wrong(`the document is nested deeper than ${limits.maxDepth} levels`);
      fits = grammar.open(byte === 0x7b);
      nodes += 1;
      bulk.open(grammar.depth, byte === 0x7b, { position, nodes });
    } else if (byte === 0x7d || byte === 0x5d) {
      fits = grammar.close(byte === 0x7d);
      bulk.close(grammar.depth, { position: position + 1, nodes });
    } else if (byte === 0x2c) {
      fits = grammar.comma();
      nodes += 1;
    } else if (byte === 0x3a) fits = grammar.colon();
    if (!fits) throw notJson();
  }

  function takeScalar(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && IN_SCALAR[chunk[at]!] === 1) scalar += String.fromCharCode(chunk[at++]!);
    if (scalar.length > MAX_SCALAR_LENGTH) throw notJson();
    return at;
  }

  function endScalar(): void {
    if (!grammar.scalar(scalar)) throw notJson();
    longNumbers ||= LONG_NUMBER.test(scalar);
    scalar = '';
  }

  function skipString(chunk: Uint8Array, from: number): number {
    const length = chunk.length;
    let at = from;
    while (at < length) {
      if (escape > 0) {
        takeEscape(chunk[at++]!);
        continue;
      }
      while (at < length && ENDS_TEXT[chunk[at]!] === 0) at += 1;
      if (at === length) break;
      const byte = chunk[at++]!;
      if (byte === QUOTE) {
        inString = false;
        endString(chunk, at);
        return at;
      }
      if (byte !== BACKSLASH) throw notJson();
      escape = 1;
    }
    return length;
  }

  function takeEscape(byte: number): void {
    if (escape > 1) {
      if (HEX_DIGIT[byte] !== 1) throw notJson();
      escape = escape === 2 ? 0 : escape - 1;
    } else if (byte === 0x75) escape = 5;
    else if (ESCAPABLE[byte] === 1) escape = 0;
    else throw notJson();
  }

  function endString(chunk: Uint8Array, at: number): void {
    const isKey = grammar.expectsKey;
    if (!grammar.string()) throw notJson();
    if (!bulk.wantsText(grammar.depth, isKey)) return;
    keep(chunk, at);
    run = at;
    const text = kept.toString('latin1', stringStart + 1, size - 1);
    if (isKey) bulk.key(text);
    else bulk.text(text);
  }

  function keep(chunk: Uint8Array, to: number): void {
    const length = to - run;
    if (length <= 0) return;
    if (size + length > limits.maxDocumentBytes) {
      throw wrong(`the document is larger than ${limits.maxDocumentBytes} bytes`);
    }
    if (size + length > kept.length) grow(size + length);
    if (length < SHORT_RUN) for (let i = run; i < to; i += 1) kept[size++] = chunk[i]!;
    else {
      kept.set(chunk.subarray(run, to), size);
      size += length;
    }
  }

  function grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(kept.length * 2, needed));
    kept.copy(larger, 0, 0, size);
    kept = larger;
  }

  function notJson(): Error {
    return wrong('the JSON cannot be parsed', HINT_NOT_CATALOG);
  }

  function wrong(what: string, hint?: string): Error {
    return invalidCatalog({ path, document: ordinal }, what, hint);
  }

  return { push, end };
}

function bytesOf(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) set[byte] = 1;
  return set;
}
