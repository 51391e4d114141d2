/**
 * The lock of a layout's index: a file beside it, which one process at a time may hold. A process that was killed leaves it behind;
 * it is broken after a minute. One that only stood still for so long finds out that it has lost it.
 */
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { imageInvalid } from './errors.ts';

export interface IndexLock {
  /** Whether it was not broken meanwhile. */
  isHeld(): Promise<boolean>;
  /** Has no effect on the lock of another process. */
  release(): Promise<void>;
}

/** Waits while another process, or this one, adds an image. @throws ImageInvalid if that takes too long */
export async function lockIndex(folder: string): Promise<IndexLock> {
  const path = join(folder, 'index.json.lock');
  const token = randomUUID();
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt += 1) {
    if (await take(path, token)) return lockOf(path, token);
    if (!(await breakStale(path))) await pause(LOCK_PAUSE_MS);
  }
  throw imageInvalid(
    `another program keeps the layout ${folder} locked`,
    true,
    `If there is none, one was killed: try again after a minute, or remove ${path}`,
  );
}

/** Ten seconds; an image is added within milliseconds. */
const LOCK_ATTEMPTS = 500;
const LOCK_PAUSE_MS = 20;
/** A lock that is so old was left by a process that was killed. */
const STALE_LOCK_MS = 60_000;

/** @param token The content of the file, by which its owner knows it */
function take(path: string, token: string): Promise<boolean> {
  return writeFile(path, token, { flag: 'wx' }).then(() => true, heldAsFalse);
}

function lockOf(path: string, token: string): IndexLock {
  const isHeld = async (): Promise<boolean> => (await readFile(path, 'utf8').catch(() => '')) === token;
  return {
    isHeld,
    async release() {
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

/**
 * Removes a lock whose process was killed; true if it is gone. It is moved first, since another process may have done the same
 * and taken a lock of its own: that one is put back.
 */
async function breakStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs < STALE_LOCK_MS) return false;
  const aside = `${path}.${randomUUID()}`;
  if ((await timeOfDisk(aside)) - found.mtimeMs < STALE_LOCK_MS) return false;
  const moved = await rename(path, aside).then(
    () => stat(aside),
    () => undefined,
  );
  if (moved === undefined) return false;
  const isStale = moved.mtimeMs === found.mtimeMs;
  if (!isStale) await link(aside, path).catch(heldAsFalse);
  await rm(aside);
  return isStale;
}

/** The time of the machine that keeps the folder, by a new file: with a network in between its clock is another one. */
async function timeOfDisk(file: string): Promise<number> {
  await writeFile(file, '');
  const { mtimeMs } = await stat(file);
  await rm(file);
  return mtimeMs;
}

function heldAsFalse(error: NodeJS.ErrnoException): false {
  if (error.code !== 'EEXIST') throw error;
  return false;
}
