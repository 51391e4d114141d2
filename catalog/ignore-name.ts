/** Names with wildcards, as Go's `filepath.Match` reads them; a pattern that is malformed there matches no name. */

export type NameMatcher = (name: string) => boolean;

/** A star, or a test for one character. */
type NamePiece = '*' | ((code: number) => boolean);

/** The test for one name of a path. It takes no longer than the product of both lengths. */
export function compileName(pattern: string): NameMatcher {
  const pieces = parsePieces(Array.from(pattern));
  if (pieces === undefined) return () => false;
  return (name) => matchPieces(pieces, codesOf(name));
}

function codesOf(text: string): readonly number[] {
  return Array.from(text, codeOf);
}

function codeOf(character: string): number {
  return character.codePointAt(0)!;
}

/** After a mismatch only the last star takes one character more: the ones before it never need to. */
function matchPieces(pieces: readonly NamePiece[], name: readonly number[]): boolean {
  let piece = 0;
  let position = 0;
  let retry: { readonly piece: number; position: number } | undefined;
  while (position < name.length || piece < pieces.length) {
    const next = pieces[piece];
    if (next === '*') {
      retry = { piece: ++piece, position };
    } else if (next !== undefined && position < name.length && next(name[position]!)) {
      piece += 1;
      position += 1;
    } else if (retry !== undefined && retry.position < name.length) {
      retry.position += 1;
      ({ piece, position } = retry);
    } else return false;
  }
  return true;
}

function parsePieces(pattern: readonly string[]): readonly NamePiece[] | undefined {
  const pieces: NamePiece[] = [];
  for (let at = 0; at < pattern.length;) {
    const read = parsePiece(pattern, at);
    if (read === undefined) return undefined;
    pieces.push(read.piece);
    at = read.end;
  }
  return pieces;
}

interface ReadPart<Value> {
  readonly piece: Value;
  readonly end: number;
}

function parsePiece(pattern: readonly string[], at: number): ReadPart<NamePiece> | undefined {
  const character = pattern[at]!;
  if (character === '*') return { piece: '*', end: at + 1 };
  if (character === '?') return { piece: () => true, end: at + 1 };
  if (character === '[') return parseClass(pattern, at + 1);
  const literal = character === '\\' ? pattern[at + 1] : character;
  if (literal === undefined) return undefined;
  const wanted = codeOf(literal);
  return { piece: (code) => code === wanted, end: at + (character === '\\' ? 2 : 1) };
}

/** `[a-z_]`, and with `^` all others; `!` has no meaning there, and no class is empty. */
function parseClass(pattern: readonly string[], start: number): ReadPart<NamePiece> | undefined {
  const isNegated = pattern[start] === '^';
  const ranges: (readonly [low: number, high: number])[] = [];
  let at = isNegated ? start + 1 : start;
  while (pattern[at] !== ']' || ranges.length === 0) {
    const low = parseBound(pattern, at);
    if (low === undefined) return undefined;
    const high = pattern[low.end] === '-' ? parseBound(pattern, low.end + 1) : low;
    if (high === undefined) return undefined;
    ranges.push([low.piece, high.piece]);
    at = high.end;
  }
  const isIn = (code: number): boolean => ranges.some(([low, high]) => low <= code && code <= high);
  return { piece: (code) => isIn(code) !== isNegated, end: at + 1 };
}

/** One character of a class, of which more has to follow. */
function parseBound(pattern: readonly string[], at: number): ReadPart<number> | undefined {
  const isEscaped = pattern[at] === '\\';
  const character = pattern[isEscaped ? at + 1 : at];
  if (character === undefined || (!isEscaped && (character === '-' || character === ']'))) return undefined;
  const end = at + (isEscaped ? 2 : 1);
  return end < pattern.length ? { piece: codeOf(character), end } : undefined;
}
