/**
 * Leaves fields that no code reads out of an answer of the API server before it is parsed: the schemas of a CRD and the managers
 * of its fields are most of its bytes, and would be garbage as soon as they are objects. Pure.
 */

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A request whose answer is not read as a whole. */
export interface Unread {
  /** Names of fields, anywhere in an object, whose lists and objects are `null` in the answer. */
  readonly unread?: readonly string[];
}

/**
 * The text of JSON without white space, with `null` for each list and object of these names. Other JSON may stay as it is, and
 * stays valid.
 */
export function textWithout(json: Buffer, fields: readonly string[]): string {
  const searches = fields.flatMap((name) => [
    new FieldSearch(json, `"${name}":[`),
    new FieldSearch(json, `"${name}":{`),
  ]);
  let text = '';
  let from = 0;
  for (;;) {
    const start = Math.min(...searches.map((search) => search.next(from)));
    const end = start === Infinity ? undefined : endOfValue(json, start);
    if (end === undefined) return text + json.toString('utf8', from);
    text += `${json.toString('utf8', from, start)}null`;
    from = end;
  }
}

/** Finds a field in JSON, again and again. */
class FieldSearch {
  readonly #json: Buffer;
  readonly #wanted: Buffer;
  #found = -1;

  constructor(json: Buffer, wanted: string) {
    this.#json = json;
    this.#wanted = Buffer.from(wanted);
  }

  /** The bracket of the first one from a position on, which is never smaller than the one before; Infinity if there is none. */
  next(from: number): number {
    // A field that is absent is searched once, however many others there are.
    if (this.#found < from) this.#found = this.#search(from);
    return this.#found;
  }

  #search(from: number): number {
    let at = this.#json.indexOf(this.#wanted, from);
    // Within a string a backslash is before each quote.
    while (at > 0 && this.#json[at - 1] === BACKSLASH) at = this.#json.indexOf(this.#wanted, at + 1);
    return at < 0 ? Infinity : at + this.#wanted.length - 1;
  }
}

/** The position behind the list or object that begins at a position; undefined if it does not end. */
function endOfValue(json: Buffer, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    switch (json[at]!) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The closing quote of the string that begins at a position; the end of the JSON if there is none. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
