/**
 * Says which process is meant, beyond doubt: a pid together with the time the process started and the boot it
 * belongs to. Whatever is killed by a number from a file goes through here, so that a recycled pid is never hit.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** A process as the kernel knows it; `started` is in clock ticks since the boot named by `boot`. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
}

/** The process that runs under the pid now; undefined if there is none, or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = startTime(pid);
  return started === undefined ? undefined : { pid, started, boot: bootId() };
}

/** Whether this very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === bootId() && startTime(identity.pid) === identity.started;
}

/** Sends the signal if this very process still runs; returns whether it did. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, name);
  } catch {
    return false; // it ended in between
  }
}

/** Writes `pid started boot` as one line. */
export function writeIdentity(file: string, { pid, started, boot }: ProcessIdentity): void {
  writeFileSync(file, `${pid} ${started} ${boot}\n`);
}

/** Reads a file that writeIdentity wrote; undefined if the file is missing or has another content. */
export function readIdentity(file: string): ProcessIdentity | undefined {
  const [, pid, started, boot] = /^(\d+) (\d+) (\S+)\n$/.exec(readText(file) ?? '') ?? [];
  if (pid === undefined || started === undefined || boot === undefined) return undefined;
  return { pid: Number(pid), started, boot };
}

/** Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets, so counting begins behind it. */
function startTime(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
