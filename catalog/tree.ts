/**
 * The files of a catalog: a folder's content in memory, or files as they arrive out of an archive, and which of
 * them `.indexignore` leaves out.
 */
import { compareText } from '../api/compare-text.ts';
import { isAbout, parsePatterns, patternLines, type IgnorePattern } from './ignore-pattern.ts';
import { invalidCatalog } from './invalid.ts';

/** One regular file; the path is relative to the catalog's folder, with slashes. */
export interface CatalogFile {
  readonly path: string;
  /** In order, whole or in chunks; taken once, before the next file. */
  readonly content: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export type CatalogFiles = Iterable<CatalogFile> | AsyncIterable<CatalogFile>;

/** Name of the files that hold patterns for the folder they are in and below. */
const IGNORE_FILE = '.indexignore';

/** The files of a map from path to bytes, in the order of {@link comparePaths}. */
export function* filesOf(files: ReadonlyMap<string, Uint8Array>): Generator<CatalogFile> {
  for (const path of [...files.keys()].sort(comparePaths)) yield { path, content: files.get(path)! };
}

/**
 * The files of a map that are part of the catalog: without ignored files and without the ignore files themselves.
 * Throws ReasonedError `CatalogInvalid` for malformed paths and patterns.
 */
export function* catalogFilesOf(
  files: ReadonlyMap<string, Uint8Array>,
): Generator<{ path: string; content: Uint8Array }> {
  const rules = createIgnoreRules();
  for (const path of files.keys()) checkPath(path);
  for (const [path, content] of files) if (isIgnoreFile(path)) rules.add(path, Buffer.from(content).toString('utf8'));
  for (const path of [...files.keys()].sort(comparePaths)) {
    if (!isIgnoreFile(path) && !rules.ignores(path)) yield { path, content: files.get(path)! };
  }
}

/** Throws ReasonedError `CatalogInvalid` for a path that leads nowhere, out of the folder, or very deep. */
export function checkPath(path: string): void {
  const parts = path.split('/', MAX_FOLDERS + 2);
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw invalidCatalog({ path }, 'the path is malformed');
  }
  if (parts.length > MAX_FOLDERS + 1) {
    throw invalidCatalog({ path }, `the file is in more than ${MAX_FOLDERS} folders`);
  }
}

const MAX_FOLDERS = 32;

/** The content of a file as chunks. */
export function chunksOf(content: CatalogFile['content']): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return content instanceof Uint8Array ? [content] : content;
}

/** Which files are left out, as far as the ignore files are known. */
export interface IgnoreRules {
  /**
   * Takes the content of the ignore file at this path. Throws ReasonedError `CatalogInvalid` if all patterns
   * together would take long to match.
   */
  add(path: string, content: string): void;
  /** Whether the file at this path is left out. */
  ignores(path: string): boolean;
}

/**
 * Rules that grow with the ignore files that are found. Of all patterns that are about a file, the last one counts, in
 * the order in which opm walks the tree; so an ignore file deeper in the tree overrules those above it.
 */
export function createIgnoreRules(): IgnoreRules {
  const files: IgnoreFile[] = [];
  let count = 0;
  return {
    add(path, content) {
      count += countPatterns(path, content);
      if (count > MAX_PATTERNS) throw invalidCatalog({ path }, `the catalog has more than ${MAX_PATTERNS} patterns`);
      files.push({ path, patterns: parsePatterns(content, path.split('/').slice(0, -1)) });
      files.sort((a, b) => comparePaths(a.path, b.path));
    },
    ignores(path) {
      const names = path.split('/');
      for (const { patterns } of files.toReversed()) {
        const last = patterns.findLast((pattern) => isAbout(pattern, names));
        if (last !== undefined) return !last.includes;
      }
      return false;
    },
  };
}

interface IgnoreFile {
  readonly path: string;
  readonly patterns: readonly IgnorePattern[];
}

/** Every file is matched against every pattern, so hostile ones could take for ever. */
const MAX_PATTERNS = 1000;
const MAX_PATTERN_LENGTH = 256;
/** A pattern with so many of its kind is slow on deep paths. */
const MAX_WILDCARDS = 8;

function countPatterns(path: string, content: string): number {
  const patterns = patternLines(content);
  for (const pattern of patterns) {
    const wildcards = pattern.match(/[*?[]+/g)?.length ?? 0;
    if (pattern.length <= MAX_PATTERN_LENGTH && wildcards <= MAX_WILDCARDS) continue;
    throw invalidCatalog({ path }, `the pattern "${pattern.slice(0, 40)}…" is too long or has too many wildcards`);
  }
  return patterns.length;
}

/** Whether the path is that of an ignore file, in any folder. */
export function isIgnoreFile(path: string): boolean {
  return path === IGNORE_FILE || path.endsWith(`/${IGNORE_FILE}`);
}

/** Order in which the reference tools walk a tree: folder by folder, each sorted by name. */
export function comparePaths(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  for (let i = 0; i < left.length && i < right.length; i += 1) {
    if (left[i] !== right[i]) return compareText(left[i]!, right[i]!);
  }
  return left.length - right.length;
}
