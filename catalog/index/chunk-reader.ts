/** Reads documents out of the compressed chunks of an index, in the order of the catalog's files. */
import type { DatabaseSync } from 'node:sqlite';
import { decompressChunk } from './chunks.ts';
import type { BlobQuery, CatalogIndex } from './open.ts';

/** The part of an open index that reads documents; `guarded` wraps what may meet a damaged file. */
export function createChunkReader(
  database: DatabaseSync,
  guarded: <T>(read: () => T) => T,
): Pick<CatalogIndex, 'blobs' | 'chunks'> {
  const readChunk = guarded(() => database.prepare('SELECT size, data FROM chunks WHERE id = ?'));

  function* blobs(query: BlobQuery = {}): Generator<Uint8Array> {
    const wanted = (['schema', 'package', 'name'] as const).filter((key) => (query[key] ?? '') !== '');
    const rows = guarded(() =>
      database
        .prepare(
          `SELECT chunk, start, length FROM blobs JOIN files ON files.id = blobs.file
           ${wanted.length === 0 ? '' : 'WHERE'} ${wanted.map((key) => `blobs.${key} = ?`).join(' AND ')}
           ORDER BY files.rank, blobs.id`,
        )
        .all(...wanted.map((key) => query[key]!)),
    ) as unknown as readonly { chunk: number; start: number; length: number }[];
    let lines: Buffer = Buffer.alloc(0);
    let loaded = 0;
    for (const { chunk, start, length } of rows) {
      if (chunk !== loaded) lines = guarded(() => load(chunk));
      loaded = chunk;
      yield lines.subarray(start, start + length + 1);
    }
  }

  function load(chunk: number): Buffer {
    const row = readChunk.get(chunk) as { size: number; data: Uint8Array } | undefined;
    if (row === undefined) throw new Error(`chunk ${chunk} is missing`);
    return decompressChunk(row.data, row.size);
  }

  function* chunks(): Generator<{ data: Uint8Array; size: number }> {
    const ids = guarded(() =>
      database
        .prepare(
          'SELECT chunks.id AS id FROM chunks JOIN files ON files.id = chunks.file ORDER BY files.rank, chunks.id',
        )
        .all(),
    ) as unknown as readonly { id: number }[];
    for (const { id } of ids)
      yield guarded(() => ({ ...readChunk.get(id) }) as unknown as { data: Uint8Array; size: number });
  }

  return { blobs, chunks };
}
