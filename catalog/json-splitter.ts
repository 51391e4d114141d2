/**
 * Splits concatenated JSON objects on bytes, and takes the white space between tokens away as it copies. It knows
 * just enough of JSON to find where an object ends: strings, escapes and brackets; JSON.parse judges the rest.
 */
import { invalidCatalog } from './invalid.ts';
import type { StreamLimits } from './limits.ts';

/** A whole document of one syntax. The bytes are valid until the next one is taken. */
export interface Piece {
  readonly bytes: Buffer;
  /** Whether it has a number that a JavaScript number may not hold exactly. */
  readonly longNumbers: boolean;
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
const LONG_NUMBER_DIGITS = 16;
const INITIAL_BYTES = 1 << 16;
const RETAINED_BYTES = 1 << 20;

/**
 * A splitter of JSON objects; anything but an object between them is an error, except a line `---`, where it stops.
 *
 * Throws ReasonedError `CatalogInvalid` for text that is no object, a document cut off, and exceeded limits.
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export function createJsonSplitter(path: string, limits: StreamLimits): SyntaxSplitter {
  let kept = Buffer.allocUnsafe(INITIAL_BYTES);
  let size = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let digits = 0;
  let longNumbers = false;
  let complete = false;
  let ordinal = 1;

  function* push(chunk: Uint8Array): Generator<Piece, number> {
    let position = 0;
    while (position < chunk.length) {
      if (depth === 0 && chunk[position] === DASH) return position;
      position = scan(chunk, position);
      if (complete) yield* take();
    }
    return position;
  }

  function end(): Iterable<Piece> {
    if (depth > 0) throw invalidCatalog({ path, document: ordinal }, 'the JSON document is cut off');
    return [];
  }

  function* take(): Generator<Piece> {
    yield { bytes: kept.subarray(0, size), longNumbers };
    if (kept.length > RETAINED_BYTES) kept = Buffer.allocUnsafe(INITIAL_BYTES);
    size = 0;
    digits = 0;
    longNumbers = false;
    complete = false;
    ordinal += 1;
  }

  /** Copies tokens until an object is complete, another syntax may begin or the chunk ends; returns the position. */
  function scan(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    let at = from;
    let run = from; // bytes from here on belong to the document and are not copied yet
    let level = depth;
    while (at < end) {
      if (inString) {
        at = skipString(chunk, at);
        continue;
      }
      const byte = chunk[at]!;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        if (run < at) keep(chunk, run, at);
        run = ++at;
        continue;
      }
      if (level === 0 && byte !== 0x7b) {
        depth = 0;
        if (byte === DASH && at > from) return at;
        throw invalidCatalog({ path, document: ordinal }, 'this is not a JSON object', HINT_NOT_CATALOG);
      }
      at += 1;
      if (byte === QUOTE) inString = true;
      else if (byte === 0x7b || byte === 0x5b) {
        if (++level > limits.maxDepth) throw tooDeep();
      } else if (byte === 0x7d || byte === 0x5d) {
        if (--level === 0) {
          keep(chunk, run, at);
          depth = 0;
          complete = true;
          return at;
        }
      } else countDigits(byte);
    }
    if (run < end) keep(chunk, run, end);
    depth = level;
    return end;
  }

  function skipString(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    let at = from;
    if (escaped) {
      escaped = false;
      at += 1;
    }
    for (; at < end; at += 1) {
      const byte = chunk[at];
      if (byte === QUOTE) {
        inString = false;
        return at + 1;
      }
      if (byte === BACKSLASH && ++at === end) escaped = true;
    }
    return end;
  }

  function countDigits(byte: number): void {
    if (byte < 0x30 || byte > 0x39) digits = 0;
    else if (++digits >= LONG_NUMBER_DIGITS) longNumbers = true;
  }

  function keep(chunk: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (size + length > limits.maxDocumentBytes) throw tooLarge();
    if (size + length > kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(kept.length * 2, size + length));
      kept.copy(larger, 0, 0, size);
      kept = larger;
    }
    if (length < SHORT_RUN) for (let i = from; i < to; i += 1) kept[size++] = chunk[i]!;
    else {
      kept.set(chunk.subarray(from, to), size);
      size += length;
    }
  }

  function tooDeep(): Error {
    return invalidCatalog({ path, document: ordinal }, `the document is nested deeper than ${limits.maxDepth} levels`);
  }

  function tooLarge(): Error {
    return invalidCatalog({ path, document: ordinal }, `the document is larger than ${limits.maxDocumentBytes} bytes`);
  }

  return { push, end };
}

/** Below this, a loop copies faster than a call. */
const SHORT_RUN = 48;

/** What to do about a file that is in the catalog's folder by accident. */
export const HINT_NOT_CATALOG = 'Name a file that is no part of the catalog in .indexignore';
