/**
 * Adds a note to an ELF executable, mapped into memory when it is started. The table of segments keeps its size, so that
 * nothing in the file moves: the entry of the table itself, which position-dependent executables do not need, becomes the new
 * segment, and the entry of the notes of the compiler names the new note. Pure.
 * @see https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.pheader.html
 */

const [PT_LOAD, PT_NOTE, PT_PHDR] = [1, 4, 6];
const ET_EXEC = 2;
const ENTRY_BYTES = 56;
/** The largest page of the architectures, and a distance from other segments that suits huge pages. */
const [PAGE, DISTANCE] = [0x1_0000n, 0x20_0000n];
const READABLE = 4;

interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: bigint;
  readonly address: bigint;
  readonly fileSize: bigint;
  readonly memorySize: bigint;
  readonly align: bigint;
}

/** The executable with a note of that name. Throws a plain Error if the executable is of another form. */
export function addNote(executable: Buffer, name: string, content: Uint8Array): Buffer {
  checkHeader(executable);
  const table = Number(executable.readBigUInt64LE(32));
  const count = executable.readUInt16LE(56);
  const segments = Array.from({ length: count }, (_, index) => readSegment(executable, table + index * ENTRY_BYTES));
  const note = encodeNote(name, content);
  const start = roundUp(BigInt(executable.length), PAGE);
  const changed = withNote(segments, { start, size: BigInt(note.length) });
  const result = Buffer.concat([executable, Buffer.alloc(Number(start) - executable.length), note]);
  for (const [index, segment] of changed.entries()) writeSegment(result, table + index * ENTRY_BYTES, segment);
  return result;
}

function checkHeader(executable: Buffer): void {
  const isElf64 = executable.readUInt32BE(0) === 0x7f_45_4c_46 && executable[4] === 2 && executable[5] === 1;
  if (!isElf64) throw new Error('it is no ELF file of 64 bits, little endian');
  if (executable.readUInt16LE(16) !== ET_EXEC) throw new Error('the executable is position-independent');
  if (executable.readUInt16LE(54) !== ENTRY_BYTES) throw new Error('its table of segments has another form');
}

/** The segments with the new one behind the last of its type, as the kernel wants them by address. */
function withNote(
  segments: readonly Segment[],
  { start, size }: { readonly start: bigint; readonly size: bigint },
): readonly Segment[] {
  const notes = segments.filter(({ type }) => type === PT_NOTE);
  const loads = segments.filter(({ type }) => type === PT_LOAD);
  if (notes.length === 0 || loads.length === 0 || !segments.some(({ type }) => type === PT_PHDR))
    throw new Error('it has no segment that can be replaced');
  const end = loads
    .map(({ address, memorySize }) => address + memorySize)
    .reduce((most, one) => (one > most ? one : most), 0n);
  const place = {
    flags: READABLE,
    offset: start,
    address: roundUp(end, DISTANCE) + DISTANCE,
    fileSize: size,
    memorySize: size,
  };
  const load = { ...place, type: PT_LOAD, align: PAGE } satisfies Segment;
  const note = { ...place, type: PT_NOTE, align: 4n } satisfies Segment;
  return segments.flatMap((segment) => {
    if (segment.type === PT_PHDR) return [];
    if (segment === notes[0]) return [note];
    return segment === loads.at(-1) ? [segment, load] : [segment];
  });
}

/** Name and content, each at a multiple of four bytes. */
function encodeNote(name: string, content: Uint8Array): Buffer {
  const named = Buffer.from(`${name}\0`);
  const header = Buffer.alloc(12);
  header.writeUInt32LE(named.length, 0);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, padded(named), padded(content)]);
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function roundUp(value: bigint, unit: bigint): bigint {
  return ((value + unit - 1n) / unit) * unit;
}

function readSegment(file: Buffer, at: number): Segment {
  return {
    type: file.readUInt32LE(at),
    flags: file.readUInt32LE(at + 4),
    offset: file.readBigUInt64LE(at + 8),
    address: file.readBigUInt64LE(at + 16),
    fileSize: file.readBigUInt64LE(at + 32),
    memorySize: file.readBigUInt64LE(at + 40),
    align: file.readBigUInt64LE(at + 48),
  };
}

function writeSegment(
  file: Buffer,
  at: number,
  { type, flags, offset, address, fileSize, memorySize, align }: Segment,
): void {
  file.writeUInt32LE(type, at);
  file.writeUInt32LE(flags, at + 4);
  for (const [index, value] of [offset, address, address, fileSize, memorySize, align].entries())
    file.writeBigUInt64LE(value, at + 8 + index * 8);
}
