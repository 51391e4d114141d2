/**
 * Programs that end with all programs that they have started: each leads a process group of its own. Without that, a
 * program that was ended in time left its own children behind.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/** Groups whose program, or a child of it, still holds an output open. */
const living = new Set<ChildProcess>();
let listens = false;

/** Starts a program as the leader of a group. Its group ends at the latest when this process exits. */
export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  living.add(child);
  child.once('close', () => living.delete(child));
  child.once('error', () => living.delete(child));
  if (!listens) process.on('exit', () => living.forEach(endGroup));
  listens = true;
  return child;
}

/** Kills the program and all programs of its group. */
export function endGroup(child: ChildProcess): void {
  living.delete(child);
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL'); // no group, as on Windows, or none of it is left
  }
}
