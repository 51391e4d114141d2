/** Lets one process at a time do a thing, by a file that names the process that does it. */
import { linkSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, readIdentity, writeIdentity } from './process-identity.ts';

const LOOK_AGAIN_MS = 500;

export interface LockOptions {
  /** Called while another process holds the lock, again and again. */
  readonly onWait?: () => void;
}

/**
 * Runs the action while holding the lock. The lock of a process that has ended is taken over; two that take it
 * over in the same moment may both go on, so the action has to bear that (it renames what it made into place).
 */
export async function withLock<Result>(
  file: string,
  { onWait }: LockOptions,
  action: () => Promise<Result>,
): Promise<Result> {
  while (!tryLock(file)) {
    onWait?.();
    await delay(LOOK_AGAIN_MS);
  }
  try {
    return await action();
  } finally {
    rmSync(file, { force: true });
  }
}

/** The file appears with its content in one step, so no process ever reads half a name. */
function tryLock(file: string): boolean {
  const mine = `${file}.${process.pid}`;
  writeIdentity(mine, identify(process.pid)!);
  try {
    linkSync(mine, file);
    return true;
  } catch {
    const holder = readIdentity(file);
    if (holder !== undefined && !isAlive(holder)) rmSync(file, { force: true });
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}
