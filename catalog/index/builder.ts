/**
 * Builds one index file out of a catalog's files, pushed in one after another. Everything here is synchronous: it is
 * meant for a worker thread (in-worker.ts), and for tools that have nothing else to do (build.ts).
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import { textField } from '../fields.ts';
import { isRecord } from '../../api/untyped.ts';
import { invalidCatalog, type DocumentPlace } from '../invalid.ts';
import type { CatalogLimits } from '../limits.ts';
import { parseKeys, parseMeaning, type BlobKeys, type Meaning } from '../parse.ts';
import { DocumentSplitter, type RawDocument } from '../stream.ts';
import { checkPath, comparePaths, createIgnoreRules, isIgnoreFile } from '../tree.ts';
import { createChunkWriter, type ChunkWriter } from './chunks.ts';
import { LeftOutByFile, type LeftOut, type NotOffered } from './left-out.ts';
import { sealFile } from './seal.ts';
import { APPLICATION_ID, FILL_PACKAGES, INDEXES, TABLES } from './tables.ts';
import { weigh } from './weigh.ts';

/** How much a catalog offers. */
export interface IndexCounts {
  readonly packages: number;
  readonly channels: number;
  readonly bundles: number;
  /** Documents of every schema. */
  readonly blobs: number;
  /** Absent if every value could be parsed. */
  readonly leftOut?: LeftOut;
  /** Tags of repositories that are versions and are not offered; absent if there are none. */
  readonly notOffered?: NotOffered;
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

/** Kept for an ignored file, and reported if an ignore file behind it says that it counts: its content is gone by then. */
const INCLUDED_LATE = 'the file comes before the .indexignore that includes it again';
const HINT_INCLUDED_LATE = 'Put the pattern into the .indexignore that leaves the file out';

export interface BuilderOptions {
  readonly target: string;
  /** The path of the unfinished index, in the same folder. */
  readonly partial: string;
  readonly limits: CatalogLimits;
  /** Kept with the counts. */
  readonly notOffered?: NotOffered | undefined;
}

/**
 * Builds the index at `target`; nothing is there before `finish`, which renames the whole file into place. If `finish`
 * is not reached, the caller calls `abort`.
 *
 * An ignore file may come after the files that it leaves out, because archives have files in any order. So `finish`
 * reports the defect of a file, and only if the file counts. Throws ReasonedError `CatalogInvalid`.
 */
export class IndexBuilder {
  readonly #target: string;
  readonly #partial: string;
  readonly #limits: CatalogLimits;
  readonly #notOffered: NotOffered | undefined;
  readonly #database: DatabaseSync;
  readonly #chunks: ChunkWriter;
  readonly #insertFile: StatementSync;
  readonly #insertBlob: StatementSync;
  readonly #insertGvk: StatementSync;
  readonly #insertProvides: StatementSync;
  readonly #rules = createIgnoreRules();
  /** Ids of the kinds met so far, by their three parts. */
  readonly #gvks = new Map<string, number>();
  /** Paths of the files by id. */
  readonly #paths = new Map<number, string>();
  /** The first error of each defective file, by id. */
  readonly #defects = new Map<number, unknown>();
  readonly #leftOut = new LeftOutByFile();
  /** Bytes of memory that each package takes so far. */
  readonly #weights = new Map<string, number>();
  /** The file that is being pushed. */
  #current: CurrentFile | undefined;
  /** Documents so far, which is the id of the last one. */
  #blobs = 0;
  /** Bytes of all files so far. */
  #totalBytes = 0;

  constructor({ target, partial, limits, notOffered }: BuilderOptions) {
    this.#target = target;
    this.#partial = partial;
    this.#limits = limits;
    this.#notOffered = notOffered;
    this.#database = openEmpty(partial);
    this.#chunks = createChunkWriter(this.#database);
    this.#insertFile = this.#database.prepare('INSERT INTO files (id, path, rank) VALUES (?, ?, 0)');
    this.#insertBlob = this.#database.prepare('INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#insertGvk = this.#database.prepare('INSERT INTO gvks VALUES (?, ?, ?, ?)');
    this.#insertProvides = this.#database.prepare('INSERT OR IGNORE INTO provides VALUES (?, ?)');
    this.#database.exec('BEGIN');
  }

  beginFile(path: string): void {
    const id = this.#paths.size + 1;
    if (id > this.#limits.maxFiles)
      throw invalidCatalog({ path }, `the catalog has more than ${this.#limits.maxFiles} files`);
    checkPath(path);
    this.#paths.set(id, path);
    this.#current = { path, id, patternBytes: 0 };
    if (isIgnoreFile(path)) this.#current.patterns = [];
    else if (this.#rules.ignores(path)) {
      this.#defects.set(id, invalidCatalog({ path }, INCLUDED_LATE, HINT_INCLUDED_LATE));
    } else {
      this.#current.splitter = new DocumentSplitter(path, this.#limits);
      this.#insertFile.run(id, path);
    }
  }

  push(chunk: Uint8Array): void {
    const file = this.#current!;
    this.#totalBytes += chunk.length;
    if (this.#totalBytes > this.#limits.maxTotalBytes) {
      throw invalidCatalog({ path: file.path }, `the catalog is larger than ${this.#limits.maxTotalBytes} bytes`);
    }
    if (file.patterns !== undefined) {
      file.patternBytes += chunk.length;
      if (file.patternBytes > MAX_PATTERN_BYTES)
        throw invalidCatalog({ path: file.path }, 'the ignore file is too large');
      file.patterns.push(Uint8Array.from(chunk));
    } else if (file.splitter !== undefined) this.#takeAll(file, file.splitter.push(chunk));
  }

  endFile(): void {
    const file = this.#current!;
    if (file.patterns !== undefined) this.#rules.add(file.path, Buffer.concat(file.patterns).toString('utf8'));
    else if (file.splitter !== undefined) this.#takeAll(file, file.splitter.end());
    this.#chunks.flush(file.id);
    this.#current = undefined;
  }

  /** Takes the documents of one file; a defect ends the file, and is kept for later. */
  #takeAll(file: CurrentFile, documents: Iterable<RawDocument>): void {
    try {
      for (const document of documents) this.#take(file, document);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
      this.#defects.set(file.id, error);
      delete file.splitter;
    }
  }

  #take(file: CurrentFile, { bytes, value, ordinal, longNumbers }: RawDocument): void {
    const keys = parseKeys(value, { path: file.path, document: ordinal });
    if (++this.#blobs > this.#limits.maxDocuments) {
      throw invalidCatalog({ path: file.path }, `the catalog has more than ${this.#limits.maxDocuments} documents`);
    }
    const meaning = parseMeaning(keys, value);
    this.#leftOut.note(file.id, keys, meaning);
    const place = this.#chunks.add(file.id, bytes);
    const excerpt = meaning.kind === 'other' ? null : longNumbers ? formatJson(meaning) : JSON.stringify(meaning);
    if (excerpt !== null) this.#weigh(keys, meaning, { path: file.path, document: ordinal });
    this.#insertBlob.run(
      this.#blobs,
      file.id,
      place.chunk,
      place.start,
      bytes.length,
      keys.schema,
      keys.package,
      keys.name,
      excerpt,
    );
    if (meaning.kind === 'bundle') this.#provide(meaning, this.#blobs);
  }

  /** Bounds each package: it is read as a whole, and a hostile one would not fit into memory. */
  #weigh({ package: owner, name }: BlobKeys, meaning: Meaning, place: DocumentPlace): void {
    const key = owner === '' ? name : owner;
    const weight = (this.#weights.get(key) ?? 0) + weigh(meaning);
    this.#weights.set(key, weight);
    if (weight <= this.#limits.maxPackageBytes) return;
    throw invalidCatalog(place, `the package ${key} takes more than ${this.#limits.maxPackageBytes} bytes of memory`);
  }

  #provide({ bundle }: Meaning & { kind: 'bundle' }, blob: number): void {
    for (const { type, value } of bundle.properties) {
      if (type !== 'olm.gvk' || !isRecord(value)) continue;
      const gvk = ['group', 'kind', 'version'].map((name) => textField(value, name) ?? '') as [string, string, string];
      const key = gvk.join('\0');
      if (key.length > MAX_GVK_LENGTH) continue; // no cluster could serve it
      let id = this.#gvks.get(key);
      if (id === undefined) {
        this.#gvks.set(key, (id = this.#gvks.size + 1));
        this.#insertGvk.run(id, ...gvk);
      }
      this.#insertProvides.run(id, blob);
    }
  }

  finish(): IndexCounts {
    this.#dropIgnored();
    for (const [, defect] of [...this.#defects].sort(([a], [b]) =>
      comparePaths(this.#paths.get(a)!, this.#paths.get(b)!),
    ))
      throw defect;
    const ordered = this.#orderedFiles();
    this.#rankFiles(ordered);
    this.#database.exec(INDEXES);
    this.#database.exec(FILL_PACKAGES);
    const counts = this.#countAll(ordered);
    this.#database.exec('COMMIT');
    this.#database.close();
    sealFile(this.#partial);
    renameSync(this.#partial, this.#target);
    syncFolder(dirname(this.#target));
    return counts;
  }

  #dropIgnored(): void {
    for (const [id, path] of this.#paths) {
      if (!this.#rules.ignores(path)) continue;
      this.#defects.delete(id);
      this.#leftOut.drop(id);
      this.#database.prepare('DELETE FROM provides WHERE blob IN (SELECT id FROM blobs WHERE file = ?)').run(id);
      for (const table of ['blobs', 'chunks']) this.#database.prepare(`DELETE FROM ${table} WHERE file = ?`).run(id);
      this.#database.prepare('DELETE FROM files WHERE id = ?').run(id);
    }
  }

  #rankFiles(ordered: readonly number[]): void {
    const rank = this.#database.prepare('UPDATE files SET rank = ? WHERE id = ?');
    for (const [position, id] of ordered.entries()) rank.run(position, id);
  }

  #orderedFiles(): readonly number[] {
    return [...this.#paths].sort(([, a], [, b]) => comparePaths(a, b)).map(([id]) => id);
  }

  #countAll(ordered: readonly number[]): IndexCounts {
    const found = this.#database
      .prepare(
        `SELECT (SELECT count(*) FROM packages) AS packages,
          (SELECT count(*) FROM blobs WHERE schema = 'olm.channel') AS channels,
          (SELECT count(*) FROM blobs WHERE schema = 'olm.bundle') AS bundles,
          (SELECT count(*) FROM blobs) AS blobs`,
      )
      .get() as unknown as IndexCounts;
    const leftOut = this.#leftOut.total(ordered);
    const notOffered = this.#notOffered;
    const counts = {
      ...found,
      ...(leftOut !== undefined && { leftOut }),
      ...(notOffered !== undefined && { notOffered }),
    };
    this.#database.prepare('INSERT INTO facts VALUES (?, ?)').run('counts', JSON.stringify(counts));
    return counts;
  }

  abort(): void {
    if (this.#database.isOpen) this.#database.close();
    rmSync(this.#partial, { force: true });
  }
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
