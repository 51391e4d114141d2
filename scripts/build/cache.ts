/** Downloads, and what takes long to compute, kept between builds: by name, in the user's cache. */
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

/** A name beside it to write to, and what puts it in its place at once: nobody sees half a file. */
export function partialOf(path: string): { readonly path: string; readonly commit: () => void } {
  const partial = `${path}.${process.pid}.partial`;
  return { path: partial, commit: () => renameSync(partial, path) };
}
