/** Reads documents out of the compressed chunks of an index, in the order of the catalog's files. */
import type { DatabaseSync } from 'node:sqlite';
import { decompressChunk } from './chunks.ts';
import type { BlobQuery, CatalogIndex, CompressedChunk } from './open.ts';

/** The part of an open index that reads documents; `guarded` wraps what may meet a damaged file. */
export function createChunkReader(
  database: DatabaseSync,
  guarded: <T>(read: () => T) => T,
): Pick<CatalogIndex, 'blobs' | 'size' | 'chunks'> {
  const readChunk = guarded(() => database.prepare('SELECT size, data FROM chunks WHERE id = ?'));
  const readOrder = guarded(() =>
    database.prepare(
      'SELECT chunks.id AS id FROM chunks JOIN files ON files.id = chunks.file ORDER BY files.rank, chunks.id',
    ),
  );

  function* blobs(query: BlobQuery = {}): Generator<Uint8Array> {
    const { where, values } = conditionOf(query);
    const sql = `SELECT chunk, start, length FROM blobs JOIN files ON files.id = blobs.file ${where}
      ORDER BY files.rank, blobs.id`;
    const places = guarded(() => database.prepare(sql).all(...values)) as unknown as readonly Place[];
    let lines = Buffer.alloc(0);
    let loaded = 0;
    for (const { chunk, start, length } of places) {
      if (chunk !== loaded) lines = guarded(() => load(chunk));
      loaded = chunk;
      yield lines.subarray(start, start + length + 1);
    }
  }

  function size(query: BlobQuery = {}): number {
    const { where, values } = conditionOf(query);
    const sql = `SELECT ifnull(sum(length + 1), 0) AS bytes FROM blobs ${where}`;
    return (guarded(() => database.prepare(sql).get(...values)) as { bytes: number }).bytes;
  }

  function* chunks(): Generator<CompressedChunk> {
    for (const { id } of guarded(() => readOrder.all()) as { id: number }[]) yield guarded(() => chunkOf(id));
  }

  function load(id: number): Buffer<ArrayBuffer> {
    const { data, size } = chunkOf(id);
    return decompressChunk(data, size);
  }

  function chunkOf(id: number): CompressedChunk {
    const row = readChunk.get(id) as CompressedChunk | undefined;
    if (row === undefined) throw new Error(`chunk ${id} is missing`);
    return row;
  }

  return { blobs, size, chunks };
}

interface Place {
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
