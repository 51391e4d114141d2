/** Reads documents out of the compressed chunks of an index, in the order of the catalog's files. */
import type { DatabaseSync } from 'node:sqlite';
import { decompressChunk } from './chunks.ts';

/** Which documents to read; a key that is absent or empty matches every document. */
export interface BlobQuery {
  readonly schema?: string;
  readonly package?: string;
  readonly name?: string;
}

/** The part of an open index that reads documents. */
export interface ChunkReader {
  /** Documents as lines of JSON with their line feed, in the order of the catalog's files. */
  blobs(query?: BlobQuery): Generator<Uint8Array>;
  /** Bytes of the lines that {@link blobs} gives for the query. */
  size(query?: BlobQuery): number;
}

/** Reads from the table `chunks`; `guarded` wraps every access that may meet a damaged file. */
export function createChunkReader(database: DatabaseSync, guarded: <T>(read: () => T) => T): ChunkReader {
  const readChunk = guarded(() => database.prepare('SELECT size, data FROM chunks WHERE id = ?'));

  function* blobs(query: BlobQuery = {}): Generator<Uint8Array> {
    const { where, values } = conditionOf(query);
    const sql = `SELECT chunk, start, length FROM blobs JOIN files ON files.id = blobs.file ${where}
      ORDER BY files.rank, blobs.id`;
    const places = guarded(() => database.prepare(sql).all(...values)) as unknown as readonly LinePlace[];
    let lines: Buffer<ArrayBuffer> | undefined;
    let loaded = 0;
    try {
      for (const { chunk, start, length } of places) {
        if (chunk !== loaded) {
          release(lines);
          lines = guarded(() => load(chunk));
        }
        loaded = chunk;
        yield Uint8Array.from(lines!.subarray(start, start + length + 1));
      }
    } finally {
      release(lines);
    }
  }

  function size(query: BlobQuery = {}): number {
    const { where, values } = conditionOf(query);
    const sql = `SELECT ifnull(sum(length + 1), 0) AS bytes FROM blobs ${where}`;
    return (guarded(() => database.prepare(sql).get(...values)) as { bytes: number }).bytes;
  }

  function load(id: number): Buffer<ArrayBuffer> {
    const row = readChunk.get(id) as { readonly data: Uint8Array; readonly size: number } | undefined;
    if (row === undefined) throw new Error(`chunk ${id} is missing`);
    return decompressChunk(row.data, row.size);
  }

  return { blobs, size };
}

/** Gives the memory back at once: one answer may need all chunks, which the collector would let pile up. */
function release(lines: Buffer<ArrayBuffer> | undefined): void {
  lines?.buffer.transfer(0);
}

interface LinePlace {
  readonly chunk: number;
  readonly start: number;
  readonly length: number;
}

function conditionOf(query: BlobQuery): { readonly where: string; readonly values: readonly string[] } {
  const wanted = (['schema', 'package', 'name'] as const).filter((key) => (query[key] ?? '') !== '');
  return {
    where: wanted.length === 0 ? '' : `WHERE ${wanted.map((key) => `blobs.${key} = ?`).join(' AND ')}`,
    values: wanted.map((key) => query[key]!),
  };
}
