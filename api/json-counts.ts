/**
 * Counts the values of a JSON text while its bytes arrive, before it is parsed: a text of a few megabytes may become hundreds
 * in memory. Pure.
 */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The counts of one text, of which the bytes so far have been read. White space counts as a value of a list or map. */
export class JsonCounts {
  #bytes = 0;
  #containers = 0;
  #entries = 0;
  /** Whether nothing has come yet in the list or map that was opened last. */
  #isFresh = false;
  #isInString = false;
  #isEscaped = false;

  get bytes(): number {
    return this.#bytes;
  }

  /** Lists and maps. */
  get containers(): number {
    return this.#containers;
  }

  /** Items of lists and values of maps: all values but the outermost. */
  get entries(): number {
    return this.#entries;
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#isInString) this.#passString(byte);
      else this.#pass(byte);
    }
  }

  #passString(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #pass(byte: number | undefined): void {
    if (this.#isFresh && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT) this.#entries += 1;
    this.#isFresh = byte === OPEN_LIST || byte === OPEN_OBJECT;
    if (this.#isFresh) this.#containers += 1;
    else if (byte === COMMA) this.#entries += 1;
    else if (byte === QUOTE) this.#isInString = true;
  }
}
