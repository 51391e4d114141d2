/** Collects the bytes of one document after another, without memory of its own for each. */

const INITIAL_BYTES = 1 << 16;
const RETAINED_BYTES = 1 << 20;
/** Below this length, a loop copies faster than a call. */
const SHORT_RUN = 48;

/** The memory of the file before: a catalog has hundreds of files, and each would leave its memory to be collected. */
let spare: Buffer | undefined;

/** The bytes of the document that is being read. */
export class DocumentBuffer {
  readonly #maxBytes: number;
  #memory: Buffer;
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#memory = spare ?? Buffer.allocUnsafe(INITIAL_BYTES);
    spare = undefined;
  }

  /** How many bytes the document has so far. */
  get size(): number {
    return this.#size;
  }

  /** The bytes of the document; valid until it is cleared. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#size);
  }

  /** A part of the document as text of one byte a character. */
  textBetween(start: number, end: number): string {
    return this.#memory.toString('latin1', start, end);
  }

  /** Appends a part of a chunk; false if the document would become larger than allowed. */
  append(chunk: Uint8Array, from: number, to: number): boolean {
    const length = to - from;
    const needed = this.#size + length;
    if (needed > this.#maxBytes) return false;
    if (needed > this.#memory.length) this.#grow(needed);
    const memory = this.#memory;
    if (length < SHORT_RUN) for (let i = from, at = this.#size; i < to; i += 1) memory[at++] = chunk[i]!;
    else memory.set(chunk.subarray(from, to), this.#size);
    this.#size = needed;
    return true;
  }

  /** Starts the next document, and gives the memory of a very large one back. */
  clear(): void {
    if (this.#memory.length > RETAINED_BYTES) this.#memory = Buffer.allocUnsafe(INITIAL_BYTES);
    this.#size = 0;
  }

  /** Leaves the memory to the buffer of the next file. */
  release(): void {
    spare = this.#memory;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#memory.length * 2, needed));
    this.#memory.copy(larger, 0, 0, this.#size);
    this.#memory = larger;
  }
}
