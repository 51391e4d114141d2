/**
 * Cuts a zstd stream at the ends of its frames. Tools write one frame per file or per chunk, and the decoder of Node
 * stops for good if one write contains the end of a frame and bytes after it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8878#section-3.1
 */

const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const BLOCK_RLE = 1;

/**
 * The same bytes, in pieces none of which crosses the end of a frame. @throws the error of `damaged`, for bytes that
 * are no frame
 */
export async function* alignFrames(
  source: AsyncIterable<Uint8Array>,
  damaged: () => Error,
): AsyncGenerator<Uint8Array> {
  const input = createInput(source, damaged);
  for (let magic = await input.takeUpTo(4); magic.length > 0; magic = await input.takeUpTo(4)) {
    if (magic.length < 4) throw damaged();
    const kind = magic.readUInt32LE();
    if (kind === FRAME) yield* frame(input, magic);
    else if ((kind & 0xfffffff0) >>> 0 === SKIPPABLE)
      yield* input.pass((await input.take(4)).readUInt32LE(), { quiet: true });
    else throw damaged();
  }
}

async function* frame(input: Input, magic: Buffer): AsyncGenerator<Uint8Array> {
  const descriptor = await input.take(1);
  const header = await input.take(headerLength(descriptor[0] ?? 0));
  yield Buffer.concat([magic, descriptor, header]);
  const checksum = (descriptor[0] ?? 0) & 4 ? 4 : 0;
  for (;;) {
    const blockHeader = await input.take(3);
    const word = blockHeader.readUIntLE(0, 3);
    const isLast = (word & 1) === 1;
    const length = ((word >> 1) & 3) === BLOCK_RLE ? 1 : word >> 3;
    yield blockHeader;
    yield* input.pass(length + (isLast ? checksum : 0));
    if (isLast) return;
  }
}

/** Bytes of the frame header after its descriptor: window, dictionary and content size, each where flagged. */
function headerLength(descriptor: number): number {
  const single = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const content = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (single ? 0 : 1) + dictionary + content;
}

interface Input {
  /** Exactly so many bytes. */
  take(count: number): Promise<Buffer>;
  /** Fewer at the end of the source. */
  takeUpTo(count: number): Promise<Buffer>;
  /** Hands so many bytes on as they come; quiet: drops them. */
  pass(count: number, options?: { readonly quiet: boolean }): AsyncGenerator<Uint8Array>;
}

function createInput(source: AsyncIterable<Uint8Array>, damaged: () => Error): Input {
  const chunks = source[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();
  const some = async (count: number): Promise<Uint8Array | undefined> => {
    while (held.length === 0) {
      const next = await chunks.next();
      if (next.done === true) return undefined;
      held = next.value;
    }
    const part = held.subarray(0, count);
    held = held.subarray(part.length);
    return part;
  };
  const takeUpTo = async (count: number): Promise<Buffer> => {
    const parts: Uint8Array[] = [];
    for (let left = count; left > 0;) {
      const part = await some(left);
      if (part === undefined) break;
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  };
  return {
    takeUpTo,
    async take(count) {
      const bytes = await takeUpTo(count);
      if (bytes.length < count) throw damaged();
      return bytes;
    },
    async *pass(count, { quiet } = { quiet: false }) {
      for (let left = count; left > 0;) {
        const part = await some(left);
        if (part === undefined) throw damaged();
        left -= part.length;
        if (!quiet) yield part;
      }
    },
  };
}
