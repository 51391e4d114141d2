/**
 * Bundles the programs before the stories, for scripts/test-programs.ts, once for the same sources: it takes as much of the processor as
 * half a story.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { programFiles, PROGRAMS } from '../../scripts/build/programs.ts';
import { writeFiles } from '../../scripts/build/write-files.ts';
import { repositoryFiles } from '../../scripts/source-files.ts';
import { BUNDLES_VARIABLE } from '../../scripts/test-programs.ts';
import { cacheFolder } from './shared.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Files that no program has in it. */
const OTHERS = /^(docs|e2e)\/|^Makefile$|\.test\.ts$|\.md$/;
const KEPT_MS = 24 * 3600 * 1000;

export default async function bundlePrograms(): Promise<void> {
  const all = cacheFolder('programs');
  mkdirSync(all, { recursive: true });
  const target = join(all, hashOfSources());
  if (!existsSync(target)) await writeBundles(all, target);
  const now = new Date();
  utimesSync(target, now, now);
  removeOld(all);
  process.env[BUNDLES_VARIABLE] = target;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const path of repositoryFiles())
    if (!OTHERS.test(path)) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}

/** The folder appears complete or not at all. */
async function writeBundles(all: string, target: string): Promise<void> {
  const partial = mkdtempSync(join(all, '.new-'));
  for (const [name, main] of Object.entries(PROGRAMS)) {
    await writeFiles(join(partial, name), await programFiles(name, main));
  }
  try {
    renameSync(partial, target);
  } catch {
    rmSync(partial, { recursive: true, force: true }); // another run was faster
  }
}

/** Bundles that no run has used for a day. */
function removeOld(all: string): void {
  for (const name of readdirSync(all)) {
    const path = join(all, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
