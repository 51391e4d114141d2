/** The files of this repository as tests about the repository itself see them: tracked, or about to be. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { posix, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

const LARGEST_TEXT = 4 << 20;

/** Paths relative to the root, sorted; what git ignores is left out. */
export function repositoryFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(resolve(root, path)));
  return [...new Set(paths)].sort();
}

/** The text of a file; undefined for one that is binary or too large to be written by hand. */
export function readText(path: string): string | undefined {
  const file = resolve(root, path);
  if (!statSync(file).isFile() || statSync(file).size > LARGEST_TEXT) return undefined;
  const text = readFileSync(file, 'utf8');
  return text.includes('\0') ? undefined : text;
}

/** Whether a path is a source file: TypeScript, with elements of pages in it or without. */
export function isSource(path: string): boolean {
  return /\.tsx?$/.test(path);
}

/** A module named by an import: a path inside the repository, or the name of a package. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly isOwn: boolean;
}

/** The imports of one source file, type imports and dynamic ones included. */
export function importsOf(path: string, text: string): readonly Import[] {
  const specifiers = text.matchAll(
    /^\s*(?:import|export)\s+(?:[^'"`;=]*?\bfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  );
  return [...specifiers].map(([, stated, dynamic]) => {
    const specifier = stated ?? dynamic ?? '';
    const isOwn = specifier.startsWith('.');
    return { from: path, to: isOwn ? posix.join(posix.dirname(path), specifier) : specifier, isOwn };
  });
}
