/**
 * Scans the text of a Masterminds range. The library uses regular expressions, which take squared or cubed time in a
 * backtracking engine; this scan reads each character a bounded number of times.
 */

/** `v1.2.x-rc.1+build` as written in a constraint; a number that is missing is undefined. */
export interface Pattern {
  readonly text: string;
  readonly numbers: readonly [string, string | undefined, string | undefined];
  readonly prerelease: string | undefined;
  /** Position after the last character. */
  readonly end: number;
}

/** A text with the ends of everything that a pattern is made of, so that a pattern is found without looking again. */
export interface Scan {
  readonly text: string;
  /** By position: the end of the digits and wildcards that begin there; the position itself if none do. */
  readonly numberEnd: Uint16Array;
  /** The same for identifiers and the dots between them. */
  readonly identifiersEnd: Uint16Array;
}

/** Reads each character once, from the last to the first. The text is shorter than 2^16. */
export function scan(text: string): Scan {
  const numberEnd = new Uint16Array(text.length + 2);
  const identifierEnd = new Uint16Array(text.length + 2);
  const identifiersEnd = new Uint16Array(text.length + 2);
  numberEnd[text.length] = identifierEnd[text.length] = identifiersEnd[text.length] = text.length;
  for (let at = text.length - 1; at >= 0; at--) {
    const kind = KINDS[text.charCodeAt(at)] ?? 0;
    numberEnd[at] = (kind & NUMBER) > 0 ? endAt(numberEnd, at + 1) : at;
    identifierEnd[at] = (kind & IDENTIFIER) > 0 ? endAt(identifierEnd, at + 1) : at;
    const end = endAt(identifierEnd, at);
    const isContinued = end > at && text.charCodeAt(end) === DOT && endAt(identifierEnd, end + 1) > end + 1;
    identifiersEnd[at] = isContinued ? endAt(identifiersEnd, end + 1) : end;
  }
  return { text, numberEnd, identifiersEnd };
}

const NUMBER = 1;
const IDENTIFIER = 2;
const SPACE = 4;
const DOT = 0x2e;

/**
 * The patterns that each ASCII character may be part of. The class of digits in the library contains a bar, by mistake.
 */
const KINDS: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return (
    (/[0-9xX*|]/.test(character) ? NUMBER : 0) |
    (/[0-9A-Za-z-]/.test(character) ? IDENTIFIER : 0) |
    (/[ \t\n\f\r]/.test(character) ? SPACE : 0)
  );
});

/** The longest version pattern at a position; undefined if none begins there. */
export function patternAt(scanned: Scan, start: number): Pattern | undefined {
  const found = findEnds(scanned, start);
  if (found === undefined) return undefined;
  const { first, ends } = found;
  const [majorEnd, minorEnd, patchEnd, prereleaseEnd, end] = ends;
  const { text } = scanned;
  const part = (from: number, to: number): string | undefined => (to > from ? text.slice(from + 1, to) : undefined);
  return {
    text: text.slice(start, end),
    numbers: [text.slice(first, majorEnd), part(majorEnd, minorEnd), part(minorEnd, patchEnd)],
    prerelease: part(patchEnd, prereleaseEnd),
    end,
  };
}

interface Ends {
  /** Position of the first number. */
  readonly first: number;
  /**
   * Positions after the major, minor and patch number, the pre-release and the build; a missing part ends at the end of
   * the part before it.
   */
  readonly ends: readonly [number, number, number, number, number];
}

function findEnds({ text, numberEnd, identifiersEnd }: Scan, start: number): Ends | undefined {
  const first = text.charAt(start) === 'v' ? start + 1 : start;
  const after = (end: number, mark: string, table: Uint16Array): number =>
    text.charAt(end) === mark && endAt(table, end + 1) > end + 1 ? endAt(table, end + 1) : end;
  const majorEnd = endAt(numberEnd, first);
  if (majorEnd <= first) return undefined;
  const minorEnd = after(majorEnd, '.', numberEnd);
  const patchEnd = minorEnd === majorEnd ? majorEnd : after(minorEnd, '.', numberEnd);
  const prereleaseEnd = after(patchEnd, '-', identifiersEnd);
  return { first, ends: [majorEnd, minorEnd, patchEnd, prereleaseEnd, after(prereleaseEnd, '+', identifiersEnd)] };
}

/** `1.2 - 1.4` becomes `>= 1.2, <= 1.4 `, wherever it stands, even inside a longer word, as the library does. */
export function rewriteHyphens(text: string): string {
  if (!text.includes('-')) return text;
  const scanned = scan(text);
  let rewritten = text;
  for (let from = 0; ;) {
    const range = findHyphenRange(scanned, from);
    if (range === undefined) return rewritten;
    rewritten = rewritten.replace(text.slice(range.start, range.end), () => `>= ${range.low}, <= ${range.high} `);
    from = range.end;
  }
}

interface HyphenRange {
  readonly start: number;
  readonly end: number;
  readonly low: string;
  readonly high: string;
}

function findHyphenRange(scanned: Scan, from: number): HyphenRange | undefined {
  const { text } = scanned;
  for (let dash = text.indexOf('-', from); dash >= 0; dash = text.indexOf('-', dash + 1)) {
    if (!isSpace(text, dash - 1) || !isSpace(text, dash + 1)) continue;
    const lowEnd = skipSpacesBack(text, dash, from);
    if (lowEnd === dash) continue;
    const high = patternAt(scanned, skipSpaces(text, dash + 1));
    const low = high === undefined ? undefined : findPatternBefore(scanned, from, lowEnd);
    if (high !== undefined && low !== undefined)
      return { start: low.start, end: skipSpaces(text, high.end), low: low.text, high: high.text };
  }
  return undefined;
}

/** The earliest pattern that ends exactly at `end`, with the white space before it. */
function findPatternBefore(
  scanned: Scan,
  from: number,
  end: number,
): { readonly start: number; readonly text: string } | undefined {
  const { text } = scanned;
  let wordStart = end;
  while (wordStart > from && !isSpace(text, wordStart - 1)) wordStart--;
  for (let start = wordStart; start < end; start++) {
    if (findEnds(scanned, start)?.ends[4] !== end) continue;
    return {
      start: start === wordStart ? skipSpacesBack(text, wordStart, from) : start,
      text: text.slice(start, end),
    };
  }
  return undefined;
}

/** Position of the first character that is not white space. */
export function skipSpaces(text: string, start: number): number {
  let at = start;
  while (isSpace(text, at)) at++;
  return at;
}

function skipSpacesBack(text: string, end: number, from: number): number {
  let at = end;
  while (at > from && isSpace(text, at - 1)) at--;
  return at;
}

function isSpace(text: string, at: number): boolean {
  return ((KINDS[text.charCodeAt(at)] ?? 0) & SPACE) > 0;
}

function endAt(table: Uint16Array, at: number): number {
  return table[at] ?? at;
}
