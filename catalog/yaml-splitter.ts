/**
 * Splits a stream of YAML documents at the lines `---`, as Kubernetes tools do, so that one document is parsed at a
 * time and a large file never lies in memory as a whole.
 */
import { invalidCatalog } from './invalid.ts';
import type { Piece, SyntaxSplitter } from './json-splitter.ts';
import type { StreamLimits } from './limits.ts';

const LINE_FEED = 0x0a;
const DASH = 0x2d;

/**
 * A splitter of YAML documents; each piece is the text of one, which may be empty or hold comments only.
 *
 * Throws ReasonedError `CatalogInvalid` for a document that is too large.
 */
export function createYamlSplitter(path: string, limits: StreamLimits): SyntaxSplitter {
  let parts: Uint8Array[] = [];
  let size = 0;
  let line: Uint8Array[] = []; // the beginning of a line whose end has not arrived yet
  let ordinal = 1;

  function* push(chunk: Uint8Array): Generator<Piece, number> {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      yield* take(chunk.subarray(from, at + 1));
      from = at + 1;
    }
    if (from < chunk.length) {
      line.push(chunk.slice(from));
      grow(chunk.length - from);
    }
    return chunk.length;
  }

  function* take(tail: Uint8Array): Generator<Piece> {
    const whole = line.length === 0 ? tail : Buffer.concat([...line, tail]);
    if (line.length > 0) {
      size -= whole.length - tail.length;
      line = [];
    }
    if (isSeparator(whole)) yield* document();
    else {
      grow(whole.length);
      parts.push(Uint8Array.prototype.slice.call(whole));
    }
  }

  function* document(): Generator<Piece> {
    if (parts.length === 0) return;
    const bytes = Buffer.concat(parts);
    parts = [];
    size = 0;
    yield { bytes, longNumbers: false, bulk: [] };
    ordinal += 1;
  }

  function* end(): Generator<Piece> {
    if (line.length > 0) yield* take(new Uint8Array(0));
    yield* document();
  }

  function grow(bytes: number): void {
    size += bytes;
    if (size <= limits.maxDocumentBytes) return;
    throw invalidCatalog({ path, document: ordinal }, `the document is larger than ${limits.maxDocumentBytes} bytes`);
  }

  return { push, end };
}

/** `---` and, on the same line, nothing but white space or a comment. */
function isSeparator(line: Uint8Array): boolean {
  if (line[0] !== DASH || line[1] !== DASH || line[2] !== DASH) return false;
  const rest = Buffer.from(line.buffer, line.byteOffset + 3, line.byteLength - 3)
    .toString('latin1')
    .trim();
  return rest === '' || rest.startsWith('#');
}
