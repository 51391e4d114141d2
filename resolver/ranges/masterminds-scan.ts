/**
 * Scans the text of a Masterminds range. The library does this with regular expressions that take time squared
 * or cubed in a backtracking engine; here each character is looked at a bounded number of times.
 */

/** `v1.2.x-rc.1+build` as written in a constraint; a number that is missing is undefined. */
export interface Pattern {
  readonly text: string;
  readonly numbers: readonly [string, string | undefined, string | undefined];
  readonly prerelease: string | undefined;
  /** Position after the last character. */
  readonly end: number;
}

/** Reads the longest version pattern at a position; undefined where none begins there. */
export function scanPattern(text: string, start: number): Pattern | undefined {
  const first = text[start] === 'v' ? start + 1 : start;
  const majorEnd = skip(text, first, isNumberPart);
  if (majorEnd === first) return undefined;
  const minorEnd = skipAfter(text, majorEnd, { mark: '.', member: isNumberPart });
  const patchEnd = minorEnd === majorEnd ? majorEnd : skipAfter(text, minorEnd, { mark: '.', member: isNumberPart });
  const prereleaseEnd = skipIdentifiers(text, patchEnd, '-');
  const end = skipIdentifiers(text, prereleaseEnd, '+');
  const part = (from: number, to: number): string | undefined => (to > from ? text.slice(from + 1, to) : undefined);
  return {
    text: text.slice(start, end),
    numbers: [text.slice(first, majorEnd), part(majorEnd, minorEnd), part(minorEnd, patchEnd)],
    prerelease: part(patchEnd, prereleaseEnd),
    end,
  };
}

/** `1.2 - 1.4` becomes `>= 1.2, <= 1.4 `, wherever it stands, even inside a longer word, as the library does. */
export function rewriteHyphens(text: string): string {
  let rewritten = text;
  for (let from = 0; ;) {
    const range = findHyphenRange(text, from);
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

function findHyphenRange(text: string, from: number): HyphenRange | undefined {
  for (let dash = text.indexOf('-', from); dash >= 0; dash = text.indexOf('-', dash + 1)) {
    const lowEnd = skipSpacesBack(text, dash, from);
    const highStart = skipSpaces(text, dash + 1);
    if (lowEnd === dash || highStart === dash + 1) continue;
    const high = scanPattern(text, highStart);
    const low = high === undefined ? undefined : findPatternBefore(text, from, lowEnd);
    if (high !== undefined && low !== undefined)
      return { start: low.start, end: skipSpaces(text, high.end), low: low.text, high: high.text };
  }
  return undefined;
}

/** The earliest pattern that ends exactly at `end`, with the white space before it. */
function findPatternBefore(
  text: string,
  from: number,
  end: number,
): { readonly start: number; readonly text: string } | undefined {
  let wordStart = end;
  while (wordStart > from && !isSpace(text[wordStart - 1])) wordStart--;
  for (let start = wordStart; start < end; start++) {
    const pattern = scanPattern(text, start);
    if (pattern?.end !== end) continue;
    return { start: start === wordStart ? skipSpacesBack(text, wordStart, from) : start, text: pattern.text };
  }
  return undefined;
}

/** Position of the first character that is not white space. */
export function skipSpaces(text: string, start: number): number {
  return skip(text, start, isSpace);
}

function skipSpacesBack(text: string, end: number, from: number): number {
  let at = end;
  while (at > from && isSpace(text[at - 1])) at--;
  return at;
}

function skip(text: string, start: number, member: (character: string | undefined) => boolean): number {
  let at = start;
  while (member(text[at])) at++;
  return at;
}

/** Skips a mark and the members after it; nothing where the mark or a member is missing. */
function skipAfter(
  text: string,
  start: number,
  { mark, member }: { readonly mark: string; readonly member: (character: string | undefined) => boolean },
): number {
  if (text[start] !== mark) return start;
  const end = skip(text, start + 1, member);
  return end === start + 1 ? start : end;
}

/** Skips `-rc.1` or `+build.5`. */
function skipIdentifiers(text: string, start: number, mark: string): number {
  let end = skipAfter(text, start, { mark, member: isIdentifierPart });
  for (let last = start; end > last;) {
    last = end;
    end = skipAfter(text, end, { mark: '.', member: isIdentifierPart });
  }
  return end;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\f' || character === '\r';
}

/** The library's character class has a bar in it, by mistake; such a number is refused later. */
function isNumberPart(character: string | undefined): boolean {
  return character !== undefined && /[0-9xX*|]/.test(character);
}

function isIdentifierPart(character: string | undefined): boolean {
  return character !== undefined && /[0-9A-Za-z-]/.test(character);
}
