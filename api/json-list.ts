/**
 * Parses a list in JSON while its bytes arrive, one item at a time: neither the bytes nor the text of a large list are in memory
 * as a whole. Pure.
 */
import { parseJson } from './json.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** One list, of which the bytes so far have been read. */
export class JsonList {
  readonly #items: unknown[] = [];
  readonly #mostItems: number;
  /** Bytes of the current item that earlier chunks brought. */
  #parts: Buffer[] = [];
  /** Brackets that are open; 1 between two items. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isOver = false;
  #isDefective = false;

  /** @param mostItems A list of more items counts as defective. */
  constructor(mostItems: number) {
    this.#mostItems = mostItems;
  }

  /** The items, as {@link parseJson} reads them; undefined if the bytes were not exactly one list in JSON. */
  get items(): readonly unknown[] | undefined {
    return this.#isOver && !this.#isDefective ? this.#items : undefined;
  }

  /** Takes the next bytes, which may change afterwards. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = 0; at < bytes.length && !this.#isDefective; at += 1) {
      if (this.#isInString) {
        at = this.#endOfString(bytes, at);
        continue;
      }
      const byte = bytes[at];
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++this.#depth > 1) continue;
        this.#begin(bytes.subarray(0, at), byte);
        from = at + 1;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (--this.#depth > 0) continue;
        this.#end(bytes.subarray(from, at), byte);
        from = at + 1;
      } else if (byte === COMMA && this.#depth === 1) {
        this.#take(bytes.subarray(from, at));
        from = at + 1;
      }
    }
    this.#keep(bytes.subarray(from));
  }

  /** The last position that belongs to the string, which may go on in the next chunk. */
  #endOfString(bytes: Buffer, start: number): number {
    const { length } = bytes;
    let at = this.#isEscaped ? start + 1 : start;
    for (; at < length && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
    this.#isInString = at >= length;
    this.#isEscaped = at > length;
    return at;
  }

  #begin(before: Buffer, bracket: number): void {
    this.#isDefective ||= this.#isOver || bracket !== OPEN_LIST || !isBlank(before);
  }

  #end(rest: Buffer, bracket: number): void {
    this.#isDefective ||= this.#isOver || this.#depth < 0 || bracket !== CLOSE_LIST;
    this.#isOver = true;
    const isEmpty = this.#items.length === 0 && [...this.#parts, rest].every(isBlank);
    if (!isEmpty) this.#take(rest);
  }

  #take(rest: Buffer): void {
    const text = Buffer.concat([...this.#parts, rest]).toString('utf8');
    this.#parts = [];
    if (this.#isDefective) return;
    this.#isDefective = this.#items.length === this.#mostItems || !this.#parse(text);
  }

  #parse(text: string): boolean {
    try {
      this.#items.push(parseJson(text));
      return true;
    } catch {
      return false;
    }
  }

  /** Keeps a copy: the chunk may be one of many views of the same memory. */
  #keep(rest: Buffer): void {
    if (this.#depth > 0 && !this.#isDefective) this.#parts.push(Buffer.from(rest));
    else if (!isBlank(rest)) this.#isDefective = true;
  }
}

/** Whether there is only white space of JSON. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}
