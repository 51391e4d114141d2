/** Keeps downloads and slow computations between builds: by name, in the user's cache. */
import { mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Path of a file in the cache, whether it is there or not; its folder is. */
export function cachePath(name: string): string {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(base, 'slipway', 'image');
  mkdirSync(folder, { recursive: true });
  return join(folder, name);
}

/** A temporary name beside it to write to, and a function that renames it at once: no reader sees half a file. */
export function partialOf(path: string): { readonly path: string; readonly commit: () => void } {
  const partial = `${path}.${process.pid}.partial`;
  return { path: partial, commit: () => renameSync(partial, path) };
}
