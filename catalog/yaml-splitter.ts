/**
 * Splits a stream of YAML documents at the lines `---`, as Kubernetes tools do, so that one document is parsed at a
 * time and a large file never lies in memory as a whole.
 */
import { invalidCatalog } from './invalid.ts';
import type { Piece, SyntaxSplitter } from './json-splitter.ts';
import type { StreamLimits } from './limits.ts';

const LINE_FEED = 0x0a;
const DASH = 0x2d;
const INITIAL_BYTES = 1 << 12;

/**
 * Splits YAML documents; each piece is the text of one, which may be empty or hold comments only.
 *
 * `push` and `end` throw ReasonedError `CatalogInvalid` for a document that is too large.
 */
export class YamlSplitter implements SyntaxSplitter {
  readonly #path: string;
  readonly #maxBytes: number;
  /** The bytes of the current document that have been copied; the rest of the buffer is free. */
  #kept = Buffer.allocUnsafe(INITIAL_BYTES);
  #size = 0;
  /** Where the last line begins; at times in the part of the chunk that is not copied yet. */
  #line = 0;
  /** Number of the current document in the file. */
  #ordinal = 1;

  constructor(path: string, { maxParsedBytes }: StreamLimits) {
    this.#path = path;
    this.#maxBytes = maxParsedBytes;
  }

  *push(chunk: Uint8Array): Generator<Piece, number> {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) {
      const first = this.#line < this.#size ? this.#kept[this.#line] : chunk[from + this.#line - this.#size];
      if (first === DASH) {
        this.#keep(chunk.subarray(from, at + 1));
        from = at + 1;
        yield* this.#endLine();
      } else this.#line = this.#size + at + 1 - from;
    }
    this.#keep(chunk.subarray(from));
    return chunk.length;
  }

  *end(): Generator<Piece> {
    yield* this.#endLine();
    yield* this.#document(this.#size);
  }

  *#endLine(): Generator<Piece> {
    if (isSeparator(this.#kept.subarray(this.#line, this.#size))) yield* this.#document(this.#line);
    else this.#line = this.#size;
  }

  /** The bytes up to this position are a document; the bytes beyond belong to none. */
  *#document(to: number): Generator<Piece> {
    if (to > 0) {
      yield { bytes: this.#kept.subarray(0, to), longNumbers: false, bulk: [] };
      this.#ordinal += 1;
    }
    this.#kept = Buffer.allocUnsafe(INITIAL_BYTES);
    this.#size = 0;
    this.#line = 0;
  }

  #keep(bytes: Uint8Array): void {
    const needed = this.#size + bytes.length;
    if (needed > this.#maxBytes) {
      const problem = `the document is larger than ${this.#maxBytes} bytes`;
      throw invalidCatalog({ path: this.#path, document: this.#ordinal }, problem);
    }
    if (needed > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#kept.length * 2, needed));
      this.#kept.copy(larger, 0, 0, this.#size);
      this.#kept = larger;
    }
    this.#kept.set(bytes, this.#size);
    this.#size = needed;
  }
}

/** `---` and, on the same line, nothing but white space or a comment. */
function isSeparator(line: Buffer): boolean {
  if (line[0] !== DASH || line[1] !== DASH || line[2] !== DASH) return false;
  const rest = line.toString('latin1', 3).trim();
  return rest === '' || rest.startsWith('#');
}
