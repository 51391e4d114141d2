/** Packs lines into compressed chunks on the way in, and takes them out again. */
import type { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CHUNK_BYTES } from './tables.ts';

/** The place of a line: the chunk, and the position in it at which the line begins. */
export interface ChunkPlace {
  readonly chunk: number;
  readonly start: number;
}

export interface ChunkWriter {
  /** Takes one line, without its line feed. */
  add(file: number, line: Uint8Array): ChunkPlace;
  /** Ends the chunk, so that it has lines of one file only. */
  flush(file: number): void;
}

const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};
const LINE_FEED = 0x0a;

/** Writes into the table `chunks`; the ids count from 1. */
export function createChunkWriter(database: DatabaseSync): ChunkWriter {
  const insert = database.prepare('INSERT INTO chunks VALUES (?, ?, ?, ?)');
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let chunk = 1;
  let size = 0;

  function add(file: number, line: Uint8Array): ChunkPlace {
    const length = line.length + 1;
    if (size + length > buffer.length) flush(file);
    if (length > buffer.length) return addAlone(file, line);
    buffer.set(line, size);
    buffer[size + line.length] = LINE_FEED;
    const place = { chunk, start: size };
    size += length;
    return place;
  }

  function addAlone(file: number, line: Uint8Array): ChunkPlace {
    write(file, Buffer.concat([line, Buffer.of(LINE_FEED)]));
    return { chunk: chunk - 1, start: 0 };
  }

  function flush(file: number): void {
    if (size > 0) write(file, buffer.subarray(0, size));
    size = 0;
  }

  function write(file: number, lines: Uint8Array): void {
    const data = zstdCompressSync(lines, { ...COMPRESSION, chunkSize: largestCompressed(lines.length) });
    insert.run(chunk, file, lines.length, data);
    data.buffer.transfer(0); // gives the memory back at once: the collector would let tens of megabytes pile up
    chunk += 1;
  }

  return { add, flush };
}

/**
 * Bytes that suffice for compressed data, so that it is in one piece, and never one of a pool.
 * @see https://github.com/facebook/zstd/blob/dev/lib/zstd.h
 */
function largestCompressed(size: number): number {
  return Math.max(size + (size >>> 8) + (1 << 10), 1 << 17);
}

/** The lines of a chunk, in memory of their own; `size` is their length before compression. */
export function decompressChunk(data: Uint8Array, size: number): Buffer<ArrayBuffer> {
  return zstdDecompressSync(data, { maxOutputLength: Math.max(size, 1), chunkSize: largestCompressed(size) });
}
