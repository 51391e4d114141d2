/**
 * Reads an index file: packages for the resolver, and documents as published for clients of the catalog. Memory does
 * not grow with the catalog, because every answer is read from the file.
 */
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ReasonedError } from '../../api/errors.ts';
import { parseJson } from '../../api/json.ts';
import type { CatalogBundle, CatalogPackage, Channel, Deprecation, GroupVersionKind } from '../model.ts';
import type { Meaning } from '../parse.ts';
import type { IndexCounts } from './builder.ts';
import { createChunkReader, type ChunkReader } from './chunk-reader.ts';
import { isSealed } from './seal.ts';
import { APPLICATION_ID } from './tables.ts';

/** A package at a glance. */
export interface PackageSummary {
  readonly name: string;
  /** Empty if the catalog names none. */
  readonly defaultChannel: string;
  readonly description?: string;
  readonly channels: number;
  readonly bundles: number;
}

/** An open index. Every method throws ReasonedError `CatalogUnavailable` if the file turns out to be damaged. */
export interface CatalogIndex extends ChunkReader {
  readonly path: string;
  /** When it was built. */
  readonly modified: Date;
  readonly counts: IndexCounts;
  /** All packages, by name. */
  packages(): readonly PackageSummary[];
  /** Everything about one package; undefined if the catalog has nothing under that name. */
  package(name: string): CatalogPackage | undefined;
  /** The packages with a bundle that provides an API, in the order of the catalog. */
  providersOf(api: GroupVersionKind): readonly string[];
  close(): void;
}

/**
 * Opens an index read-only; `verify: false` skips the check of the whole file (30 ms for a large catalog).
 *
 * Throws ReasonedError `CatalogUnavailable` if the file is missing, damaged or of another layout: it is to be
 * built again.
 */
export function openIndex(path: string, { verify = true }: { readonly verify?: boolean } = {}): CatalogIndex {
  const database = guarded(path, () => {
    if (verify && !isSealed(path)) throw new Error('its checksum does not match');
    const opened = new DatabaseSync(path, { readOnly: true });
    opened.exec('PRAGMA cache_size = -1000');
    if (factOf(opened.prepare('PRAGMA application_id')) !== APPLICATION_ID) throw new Error('it has another layout');
    return opened;
  });
  const { counts, statements } = guarded(path, () => ({
    counts: JSON.parse(
      factOf(database.prepare("SELECT value FROM facts WHERE key = 'counts'")) as string,
    ) as IndexCounts,
    statements: prepareAll(database),
  }));

  return {
    path,
    modified: guarded(path, () => statSync(path).mtime),
    counts,
    packages: () => guarded(path, () => statements.packages.all().map(summaryOf)),
    package: (name) => guarded(path, () => assemble(name, statements)),
    providersOf: ({ kind, group, version }) =>
      guarded(path, () => statements.providers.all(kind, group, version).map((row) => row['package'] as string)),
    ...createChunkReader(database, <T>(read: () => T) => guarded(path, read)),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

interface Statements {
  readonly packages: StatementSync;
  readonly package: StatementSync;
  readonly members: StatementSync;
  readonly providers: StatementSync;
}

function prepareAll(database: DatabaseSync): Statements {
  return {
    packages: database.prepare('SELECT name, channels, bundles, meaning FROM packages ORDER BY name'),
    package: database.prepare('SELECT meaning FROM packages WHERE name = ?'),
    members: database.prepare(
      `SELECT name, meaning FROM blobs
       WHERE package = ? AND schema IN ('olm.channel', 'olm.bundle', 'olm.deprecations') ORDER BY id`,
    ),
    providers: database.prepare(
      `SELECT blobs.package AS package
       FROM gvks JOIN provides ON provides.gvk = gvks.id JOIN blobs ON blobs.id = provides.blob
       WHERE gvks.kind = ? AND gvks.grp = ? AND gvks.version = ? GROUP BY blobs.package ORDER BY min(blobs.id)`,
    ),
  };
}

function summaryOf(row: Record<string, unknown>): PackageSummary {
  const { name, channels, bundles, meaning } = row as {
    name: string;
    channels: number;
    bundles: number;
    meaning: string | null;
  };
  return { name, ...packageFacts(meaning), channels, bundles };
}

function packageFacts(meaning: string | null): Pick<PackageSummary, 'defaultChannel' | 'description'> {
  if (meaning === null) return { defaultChannel: '' };
  const { defaultChannel, description } = JSON.parse(meaning) as Meaning & { kind: 'package' };
  return { defaultChannel, ...(description !== undefined && { description }) };
}

/** The problems of the package's own document. */
function packageProblems(name: string, meaning: string | null): readonly string[] {
  return meaning === null ? [] : parseExcerpt(meaning).problems.map((problem) => `package ${name}: ${problem}`);
}

function assemble(name: string, statements: Statements): CatalogPackage | undefined {
  const row = statements.package.get(name) as { meaning: string | null } | undefined;
  if (row === undefined) return undefined;
  const channels: Channel[] = [];
  const bundles = new Map<string, CatalogBundle>();
  const deprecations: Deprecation[] = [];
  const problems = [...packageProblems(name, row.meaning)];
  for (const member of statements.members.iterate(name) as Iterable<unknown> as Iterable<{
    name: string;
    meaning: string;
  }>) {
    const meaning = parseExcerpt(member.meaning);
    problems.push(...meaning.problems.map((problem) => `${meaning.kind} ${member.name}: ${problem}`));
    if (meaning.kind === 'channel') channels.push(meaning.channel);
    else if (meaning.kind === 'deprecations') deprecations.push(...meaning.deprecations);
    else if (meaning.kind === 'bundle') {
      if (bundles.has(member.name))
        problems.push(`bundle ${member.name}: it is there more than once; the first one counts`);
      else bundles.set(member.name, meaning.bundle);
    }
  }
  return {
    name,
    ...packageFacts(row.meaning),
    channels,
    bundles: [...bundles.values()],
    deprecations,
    ...(problems.length > 0 && { problems }),
  };
}

function parseExcerpt(text: string): Meaning {
  return (/\d{16}/.test(text) ? parseJson(text) : JSON.parse(text)) as Meaning;
}

function factOf(statement: StatementSync): unknown {
  return Object.values(statement.get() ?? {})[0];
}

/** Runs a read; any failure of the file means that the index is to be built again. */
function guarded<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ReasonedError) throw cause;
    throw new ReasonedError({
      reason: 'CatalogUnavailable',
      retry: 'backoff',
      message: `the index ${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: 'It is built again from the catalog image',
      cause,
    });
  }
}
