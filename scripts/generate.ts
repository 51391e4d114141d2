/**
 * Writes every file of generated.ts: CRDs, manifests and pages that are made from others. With `--check` it writes nothing, and
 * fails with the names of the files that are stale.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { renderGenerated } from './generated.ts';

const root = resolve(import.meta.dirname, '..');
const stale = [...renderGenerated()].filter(([path, text]) => text !== read(path));

if (process.argv.includes('--check')) {
  for (const [path] of stale) process.stderr.write(`${path} is stale: run make generate\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) write(path, text);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(resolve(root, path), 'utf8');
  } catch {
    return undefined;
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(resolve(root, path)), { recursive: true });
  writeFileSync(resolve(root, path), text);
  process.stdout.write(`wrote ${path}\n`);
}
