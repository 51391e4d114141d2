/**
 * Finds quoted texts and bracketed collections in a YAML text, the lines in which they continue, and the escapes, tabs and
 * comments about them that Go alone accepts. It knows only the necessary part of the grammar: which characters of a line
 * are quotes and brackets, and which belong to plain texts, blocks and comments. It reports no faults; lenient.ts has the
 * parser confirm the result. Linear in the length of the text.
 */

/** A quoted text or outermost collection in brackets. */
export interface Construct {
  /** Position of its first character. */
  readonly start: number;
  /** Position behind its last character. */
  readonly end: number;
  readonly quoted: boolean;
  /** The starts of the lines in which it continues, without those that end a document. */
  readonly lines: readonly number[];
  /** Backslashes before a single quote, in double quotes. */
  readonly escapes: readonly number[];
  /** Tabs between its key and its first bracket, and between values in brackets. */
  readonly tabs: readonly number[];
  /** Comments in brackets that follow a bracket, a comma or a quoted text without a space. */
  readonly comments: readonly number[];
  /** Column of the key or dash that it belongs to; -1 at the top. */
  readonly parent: number;
}

/** More constructs and places in them than any published text has, by far; each takes a hundred times its bytes in memory. */
const MOST_PLACES = 250_000;

/** All of them, in their order; undefined if there are too many. The text is one document. */
export function findConstructs(text: string): readonly Construct[] | undefined {
  const state: ContinuationState = { text, found: [], columns: [], room: { left: MOST_PLACES } };
  for (let at = 0; at < text.length;) {
    const content = skipSpaces(text, at);
    at = isEnd(text, content) || text[content] === '#' ? nextLine(text, content) : readLine(state, at, content);
  }
  return state.room.left < 0 ? undefined : state.found;
}

interface ContinuationState {
  readonly text: string;
  readonly found: Construct[];
  /** Of the keys and dashes that enclose the place that is read, from the outermost one on. */
  readonly columns: number[];
  readonly room: PlacesLeft;
}

interface PlacesLeft {
  /** How many places may still be noted; less than 0 if some were not. */
  left: number;
}

/** Reads a line of a block and its continuation lines; returns the start of the next line. */
function readLine({ text, found, columns, room }: ContinuationState, lineStart: number, content: number): number {
  enclose(columns, content - lineStart);
  let token = content;
  for (let at = content; ;) {
    const character = text[at];
    if (isEnd(text, at) || (character === '#' && isSpace(text[at - 1]))) return nextLine(text, at);
    if (isProperty(character)) {
      at = skipSpaces(text, skipWord(text, at));
    } else if (isIndicator(character) && isSpaceOrEnd(text, at + 1)) {
      columns.push(at - lineStart);
      at = skipSpaces(text, at + 1);
      token = at;
    } else if (character === '|' || character === '>') {
      return skipDeeper(text, nextLine(text, at), columns.at(-1) ?? -1);
    } else {
      const construct = readConstruct(text, at, { parent: columns.at(-1) ?? -1, room });
      if (construct !== undefined && takes(room)) found.push(construct);
      const end = construct?.end ?? endOfPlain(text, at);
      const colon = skipSpaces(text, end);
      if (text[colon] !== ':' || !isSpaceOrEnd(text, colon + 1)) {
        return construct === undefined ? skipPlain(text, end, columns.at(-1) ?? -1) : nextLine(text, end);
      }
      columns.push(token - lineStart);
      at = skipSpaces(text, colon + 1);
      token = at;
    }
  }
}

/** Leaves the columns that enclose something in this column. */
function enclose(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) >= column) columns.pop();
}

/** The places of one construct that lenient.ts may change. */
interface Places {
  readonly lines: number[];
  readonly escapes: number[];
  readonly tabs: number[];
  readonly comments: number[];
  readonly room: PlacesLeft;
}

/** Whether there is room for one more. */
function takes(room: PlacesLeft): boolean {
  room.left -= 1;
  return room.left >= 0;
}

function note(places: Places, kind: 'lines' | 'escapes' | 'tabs' | 'comments', at: number): void {
  if (takes(places.room)) places[kind].push(at);
}

function readConstruct(
  text: string,
  start: number,
  { parent, room }: { readonly parent: number; readonly room: PlacesLeft },
): Construct | undefined {
  const character = text[start];
  const noted = { lines: [], escapes: [], tabs: [], comments: [] };
  const places: Places = { ...noted, room };
  if (isQuote(character)) return { start, end: endOfQuoted(text, start, places), quoted: true, ...noted, parent };
  if (character !== '[' && character !== '{') return undefined;
  addTabsBehindKey(text, start, places);
  return { start, end: endOfBrackets(text, start, places), quoted: false, ...noted, parent };
}

/** Adds the tabs directly before this position, if they follow the colon of a key. */
function addTabsBehindKey(text: string, start: number, places: Places): void {
  let at = start;
  while (isSpace(text[at - 1])) at -= 1;
  if (text[at - 1] !== ':') return;
  for (; at < start; at += 1) if (text[at] === '\t') note(places, 'tabs', at);
}

function endOfQuoted(text: string, start: number, places: Places): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\n') addLine(text, at + 1, places);
    else if (character === '\\' && quote === '"' && !isEnd(text, at + 1)) {
      if (text[at + 1] === "'") note(places, 'escapes', at);
      at += 1;
    } else if (character !== quote) continue;
    else if (quote === "'" && text[at + 1] === "'") at += 1;
    else return at + 1;
  }
  return text.length;
}

function endOfBrackets(text: string, start: number, places: Places): number {
  let depth = 0;
  let place: BracketPlace = 'start';
  for (let at = start; at < text.length;) {
    const character = text[at];
    if (character === '\n') addLine(text, at + 1, places);
    else if (character === '\t' && place !== 'plain') note(places, 'tabs', at);
    else if (character === '#' && isComment(text, at, place)) {
      if (!isSpaceOrEnd(text, at - 1)) note(places, 'comments', at);
      at = endOfLine(text, at);
      continue;
    } else if (isQuote(character) && place === 'start') {
      at = endOfQuoted(text, at, places);
      place = 'end';
      continue;
    } else if (isProperty(character) && place === 'start') {
      at = skipWord(text, at, ',[]{}');
      continue;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth === 0) return at + 1;
    if (!isSpaceOrEnd(text, at)) place = placeBehind(text, at, place);
    at += 1;
  }
  return text.length;
}

/** In brackets: before a value, in one without quotes, or behind one. */
type BracketPlace = 'start' | 'plain' | 'end';

function placeBehind(text: string, at: number, place: BracketPlace): BracketPlace {
  const character = text[at]!;
  if (character === ':' && place === 'plain' && !isSpaceOrEnd(text, at + 1)) return 'plain';
  if ('[{,:?'.includes(character)) return 'start';
  return character === ']' || character === '}' ? 'end' : 'plain';
}

function isComment(text: string, at: number, place: BracketPlace): boolean {
  return isSpaceOrEnd(text, at - 1) || place === 'end' || '[{,'.includes(text[at - 1]!);
}

function addLine(text: string, start: number, places: Places): void {
  if (!isEnd(text, skipSpaces(text, start)) && !isDocumentEnd(text, start)) note(places, 'lines', start);
}

/** A line of three dots ends a document wherever it stands, for Go in the middle of a text, which is a fault. */
function isDocumentEnd(text: string, start: number): boolean {
  return (text.startsWith('...', start) || text.startsWith('---', start)) && isSpaceOrEnd(text, start + 3);
}

/** A plain text ends at its line's end, a comment, or the colon of a key. */
function endOfPlain(text: string, start: number): number {
  let at = start;
  for (; text[at] !== '\n' && at < text.length; at += 1) {
    if (text[at] === ':' && isSpaceOrEnd(text, at + 1)) break;
    if (text[at] === '#' && isSpace(text[at - 1])) break;
  }
  return at;
}

/** A plain text goes on in lines that are deeper than its parent, unless a comment has ended it. */
function skipPlain(text: string, end: number, parent: number): number {
  const next = nextLine(text, end);
  return text[end] === '#' ? next : skipDeeper(text, next, parent, '#');
}

/** Skips lines that are deeper than a column, and empty ones; to the first of them that starts with `stop`. */
function skipDeeper(text: string, start: number, column: number, stop?: string): number {
  let at = start;
  while (at < text.length) {
    const content = skipIndentation(text, at);
    const isEmpty = isEnd(text, skipSpaces(text, content));
    if (!isEmpty && (content - at <= column || text[content] === stop)) break;
    at = nextLine(text, content);
  }
  return at;
}

/** Tabs are white space, but no indentation. */
function skipIndentation(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ') at += 1;
  return at;
}

function skipSpaces(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at += 1;
  return at;
}

function skipWord(text: string, start: number, stops = ''): number {
  let at = start + 1;
  while (!isSpaceOrEnd(text, at) && !stops.includes(text[at]!)) at += 1;
  return at;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function nextLine(text: string, at: number): number {
  return Math.min(text.length, endOfLine(text, at) + 1);
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}

/** Starts an anchor, a tag or an alias, which end at a space. */
function isProperty(character: string | undefined): boolean {
  return character === '&' || character === '!' || character === '*';
}

function isIndicator(character: string | undefined): boolean {
  return character === '-' || character === '?' || character === ':';
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isEnd(text: string, at: number): boolean {
  const character = text[at];
  return character === undefined || character === '\n' || character === '\r';
}

function isSpaceOrEnd(text: string, at: number): boolean {
  return isSpace(text[at]) || isEnd(text, at);
}
