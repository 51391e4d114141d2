/**
 * Builds one index file out of a catalog's files, pushed in one after another. Everything here is synchronous: it is
 * meant for a worker thread (in-worker.ts), and for tools that have nothing else to do (build.ts).
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import { isFields, textField } from '../fields.ts';
import { invalidCatalog, type DocumentPlace } from '../invalid.ts';
import type { CatalogLimits } from '../limits.ts';
import { parseKeys, parseMeaning, type BlobKeys, type Meaning } from '../parse.ts';
import { createDocumentSplitter, type DocumentSplitter, type RawDocument } from '../stream.ts';
import { checkPath, comparePaths, createIgnoreRules, isIgnoreFile } from '../tree.ts';
import { createChunkWriter } from './chunks.ts';
import { sealFile } from './seal.ts';
import { APPLICATION_ID, FILL_PACKAGES, INDEXES, TABLES } from './tables.ts';

/** How much a catalog offers. */
export interface IndexCounts {
  readonly packages: number;
  readonly channels: number;
  readonly bundles: number;
  /** Documents of every schema. */
  readonly blobs: number;
}

/** Takes the files of a catalog; call `abort` where `finish` was not reached. */
export interface IndexBuilder {
  beginFile(path: string): void;
  push(chunk: Uint8Array): void;
  endFile(): void;
  /** Puts the finished index in its place. */
  finish(): IndexCounts;
  /** Removes what was written so far. */
  abort(): void;
}

interface CurrentFile {
  readonly path: string;
  readonly id: number;
  /** Absent for an ignore file, an ignored one, and one that turned out to be defective. */
  splitter?: DocumentSplitter;
  /** The text of an ignore file, as far as it has arrived. */
  patterns?: Uint8Array[];
  patternBytes: number;
}

const MAX_PATTERN_BYTES = 1 << 20;
const MAX_GVK_LENGTH = 512;

export interface BuilderOptions {
  readonly target: string;
  /** Where the index is written until it is whole, in the same folder. */
  readonly partial: string;
  readonly limits: CatalogLimits;
}

/**
 * A builder of the index at `target`; nothing is there before `finish`, which renames the whole file into place.
 *
 * An ignore file may come after the files that it leaves out, as archives have them in any order: a defect in a
 * file is therefore reported by `finish`, and only if the file counts. Throws ReasonedError `CatalogInvalid`.
 */
export function createIndexBuilder({ target, partial, limits }: BuilderOptions): IndexBuilder {
  const database = openEmpty(partial);
  const chunks = createChunkWriter(database);
  const insertFile = database.prepare('INSERT INTO files (id, path, rank) VALUES (?, ?, 0)');
  const insertBlob = database.prepare('INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const insertGvk = database.prepare('INSERT INTO gvks VALUES (?, ?, ?, ?)');
  const insertProvides = database.prepare('INSERT OR IGNORE INTO provides VALUES (?, ?)');
  const rules = createIgnoreRules();
  const gvks = new Map<string, number>();
  const paths = new Map<number, string>();
  const defects = new Map<number, unknown>();
  const lengths = new Map<string, number>();
  let current: CurrentFile | undefined;
  let blobs = 0;
  let totalBytes = 0;
  database.exec('BEGIN');

  function beginFile(path: string): void {
    const id = paths.size + 1;
    if (id > limits.maxFiles) throw invalidCatalog({ path }, `the catalog has more than ${limits.maxFiles} files`);
    checkPath(path);
    paths.set(id, path);
    current = { path, id, patternBytes: 0 };
    if (isIgnoreFile(path)) current.patterns = [];
    else if (!rules.ignores(path)) {
      current.splitter = createDocumentSplitter(path, limits);
      insertFile.run(id, path);
    }
  }

  function push(chunk: Uint8Array): void {
    const file = current!;
    totalBytes += chunk.length;
    if (totalBytes > limits.maxTotalBytes) {
      throw invalidCatalog({ path: file.path }, `the catalog is larger than ${limits.maxTotalBytes} bytes`);
    }
    if (file.patterns !== undefined) {
      file.patternBytes += chunk.length;
      if (file.patternBytes > MAX_PATTERN_BYTES)
        throw invalidCatalog({ path: file.path }, 'the ignore file is too large');
      file.patterns.push(Uint8Array.from(chunk));
    } else if (file.splitter !== undefined) takeAll(file, file.splitter.push(chunk));
  }

  function endFile(): void {
    const file = current!;
    if (file.patterns !== undefined) rules.add(file.path, Buffer.concat(file.patterns).toString('utf8'));
    else if (file.splitter !== undefined) takeAll(file, file.splitter.end());
    chunks.flush(file.id);
    current = undefined;
  }

  /** Takes the documents of one file; a defect ends the file, and is kept for later. */
  function takeAll(file: CurrentFile, documents: Iterable<RawDocument>): void {
    try {
      for (const document of documents) take(file, document);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
      defects.set(file.id, error);
      delete file.splitter;
    }
  }

  function take(file: CurrentFile, { bytes, value, ordinal, longNumbers }: RawDocument): void {
    const keys = parseKeys(value, { path: file.path, document: ordinal });
    if (++blobs > limits.maxDocuments) {
      throw invalidCatalog({ path: file.path }, `the catalog has more than ${limits.maxDocuments} documents`);
    }
    const meaning = parseMeaning(keys, value);
    const place = chunks.add(file.id, bytes);
    const excerpt = meaning.kind === 'other' ? null : longNumbers ? formatJson(meaning) : JSON.stringify(meaning);
    weigh(keys, excerpt, { path: file.path, document: ordinal });
    insertBlob.run(
      blobs,
      file.id,
      place.chunk,
      place.start,
      bytes.length,
      keys.schema,
      keys.package,
      keys.name,
      excerpt,
    );
    if (meaning.kind === 'bundle') provide(meaning, blobs);
  }

  /** What a package means is read as a whole; a hostile one would not fit into memory. */
  function weigh({ package: owner, name }: BlobKeys, excerpt: string | null, place: DocumentPlace): void {
    const key = owner === '' ? name : owner;
    const length = (lengths.get(key) ?? 0) + (excerpt?.length ?? 0);
    lengths.set(key, length);
    if (length <= limits.maxPackageLength) return;
    throw invalidCatalog(place, `the package ${key} states more than ${limits.maxPackageLength} characters`);
  }

  function provide({ bundle }: Meaning & { kind: 'bundle' }, blob: number): void {
    for (const { type, value } of bundle.properties) {
      if (type !== 'olm.gvk' || !isFields(value)) continue;
      const gvk = ['group', 'kind', 'version'].map((name) => textField(value, name) ?? '') as [string, string, string];
      const key = gvk.join('\0');
      if (key.length > MAX_GVK_LENGTH) continue; // no cluster could serve it
      let id = gvks.get(key);
      if (id === undefined) {
        gvks.set(key, (id = gvks.size + 1));
        insertGvk.run(id, ...gvk);
      }
      insertProvides.run(id, blob);
    }
  }

  function finish(): IndexCounts {
    dropIgnored();
    for (const [, defect] of [...defects].sort(([a], [b]) => comparePaths(paths.get(a)!, paths.get(b)!))) throw defect;
    rankFiles();
    database.exec(INDEXES);
    database.exec(FILL_PACKAGES);
    const counts = countAll();
    database.exec('COMMIT');
    database.close();
    sealFile(partial);
    renameSync(partial, target);
    syncFolder(dirname(target));
    return counts;
  }

  function dropIgnored(): void {
    for (const [id, path] of paths) {
      if (!rules.ignores(path)) continue;
      defects.delete(id);
      database.prepare('DELETE FROM provides WHERE blob IN (SELECT id FROM blobs WHERE file = ?)').run(id);
      for (const table of ['blobs', 'chunks']) database.prepare(`DELETE FROM ${table} WHERE file = ?`).run(id);
      database.prepare('DELETE FROM files WHERE id = ?').run(id);
    }
  }

  function rankFiles(): void {
    const rank = database.prepare('UPDATE files SET rank = ? WHERE id = ?');
    const ordered = [...paths].sort(([, a], [, b]) => comparePaths(a, b));
    for (const [position, [id]] of ordered.entries()) rank.run(position, id);
  }

  function countAll(): IndexCounts {
    const counts = database
      .prepare(
        `SELECT (SELECT count(*) FROM packages) AS packages,
          (SELECT count(*) FROM blobs WHERE schema = 'olm.channel') AS channels,
          (SELECT count(*) FROM blobs WHERE schema = 'olm.bundle') AS bundles,
          (SELECT count(*) FROM blobs) AS blobs`,
      )
      .get() as unknown as IndexCounts;
    database.prepare('INSERT INTO facts VALUES (?, ?)').run('counts', JSON.stringify(counts));
    return { ...counts };
  }

  function abort(): void {
    if (database.isOpen) database.close();
    rmSync(partial, { force: true });
  }

  return { beginFile, push, endFile, finish, abort };
}

/** A database that is written once and fast: it is worth nothing until it is whole, so it needs no journal. */
function openEmpty(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -1000; PRAGMA temp_store = MEMORY;
    PRAGMA application_id = ${APPLICATION_ID};`);
  database.exec(TABLES);
  return database;
}

/** Makes the rename durable. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
