/**
 * Finds the reference data that lies beside a developer's checkout. Users do not have it: a test that needs it
 * is skipped where it is missing, by `describe.skipIf(!hasShared)`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const folder = resolve(root, '../shared');

/** Whether the reference data is there. */
export const hasShared: boolean = existsSync(join(folder, 'corpus', 'dev-set.tar.xz'));

/** Path of a file or folder of the reference data. */
export function sharedPath(...parts: readonly string[]): string {
  return join(folder, ...parts);
}

/** Where things that are built or unpacked once are kept between runs. */
export function cacheFolder(...parts: readonly string[]): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'slipway', ...parts);
}

/** For a process that runs our programs: they start in half the time where what Node makes of the files is kept. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: cacheFolder('compiled') } as const;

/** Folder with the real operator packages: `operators/<package>/<version>/{manifests,metadata}`, unpacked once. */
export function devSet(): string {
  return unpack('dev-set');
}

/** Whether the versions are there on which outside checks found faults. */
export const hasFound: boolean = existsSync(join(folder, 'corpus', 'found-2026-11.tar.xz'));

/** Folder with those versions, as {@link devSet}. */
export function foundSet(): string {
  return unpack('found-2026-11');
}

const unpacked = new Map<string, string>();

function unpack(name: string): string {
  const known = unpacked.get(name);
  if (known !== undefined) return known;
  const archive = sharedPath('corpus', `${name}.tar.xz`);
  const hash = createHash('sha256').update(readFileSync(archive)).digest('hex').slice(0, 16);
  const target = cacheFolder(`${name}-${hash}`);
  unpacked.set(name, target);
  if (existsSync(target)) return target;
  mkdirSync(cacheFolder(), { recursive: true });
  const partial = mkdtempSync(`${target}.`);
  execFileSync('tar', ['-xJf', archive, '-C', partial]);
  try {
    renameSync(partial, target);
  } catch {
    rmSync(partial, { recursive: true, force: true }); // another process was faster
  }
  return target;
}

/** Rows of an `.xz` file with one JSON object a line, such as `conformance/reference/resolve.jsonl.xz`. */
export function sharedRows<Row>(...parts: readonly string[]): Row[] {
  const text = execFileSync('xz', ['-dc', sharedPath(...parts)], { maxBuffer: 1 << 30, encoding: 'utf8' });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
