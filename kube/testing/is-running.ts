/** Programs that a test has started. */
import { execFileSync } from 'node:child_process';

/** Whether a process is there, and is more than an entry that its parent has not read. */
export function isRunning(pid: string): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
