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
 * A splitter of YAML documents; each piece is the text of one, which may be empty or hold comments only.
 *
 * Throws ReasonedError `CatalogInvalid` for a document that is too large.
 */
export function createYamlSplitter(path: string, limits: StreamLimits): SyntaxSplitter {
  let kept = Buffer.allocUnsafe(INITIAL_BYTES);
  let size = 0;
  let line = 0; // where the last line begins; at times beyond what is kept of the chunk
  let ordinal = 1;

  function* push(chunk: Uint8Array): Generator<Piece, number> {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) {
      const first = line < size ? kept[line] : chunk[from + line - size];
      if (first === DASH) {
        keep(chunk.subarray(from, at + 1));
        from = at + 1;
        yield* endLine();
      } else line = size + at + 1 - from;
    }
    keep(chunk.subarray(from));
    return chunk.length;
  }

  function* end(): Generator<Piece> {
    yield* endLine();
    yield* document(size);
  }

  function* endLine(): Generator<Piece> {
    if (isSeparator(kept.subarray(line, size))) yield* document(line);
    else line = size;
  }

  /** The bytes up to this position are a document; what is kept beyond belongs to none. */
  function* document(to: number): Generator<Piece> {
    if (to > 0) {
      yield { bytes: kept.subarray(0, to), longNumbers: false, bulk: [] };
      ordinal += 1;
    }
    kept = Buffer.allocUnsafe(INITIAL_BYTES);
    size = 0;
    line = 0;
  }

  function keep(bytes: Uint8Array): void {
    const needed = size + bytes.length;
    if (needed > limits.maxDocumentBytes) {
      const what = `the document is larger than ${limits.maxDocumentBytes} bytes`;
      throw invalidCatalog({ path, document: ordinal }, what);
    }
    if (needed > kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(kept.length * 2, needed));
      kept.copy(larger, 0, 0, size);
      kept = larger;
    }
    kept.set(bytes, size);
    size = needed;
  }

  return { push, end };
}

/** `---` and, on the same line, nothing but white space or a comment. */
function isSeparator(line: Buffer): boolean {
  if (line[0] !== DASH || line[1] !== DASH || line[2] !== DASH) return false;
  const rest = line.toString('latin1', 3).trim();
  return rest === '' || rest.startsWith('#');
}
