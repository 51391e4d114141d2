/** Reads about the processes of this machine, of which any may end meanwhile. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Whether it was stopped by SIGSTOP. A process that waits for a processor stops only when it gets one. The kernel reads the
 * state before the signals, so a process that stops in between shows neither: the second look shows that it has stopped.
 */
export function isPaused(pid: number): boolean {
  return looksPaused(pid) || looksPaused(pid);
}

function looksPaused(pid: number): boolean {
  const status = read(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  const pending = [...status.matchAll(/^(?:SigPnd|ShdPnd):\t([0-9a-f]+)$/gm)].map(([, mask]) => BigInt(`0x${mask}`));
  return /^State:\tT/m.test(status) || pending.some((mask) => (mask & SIGSTOP) !== 0n);
}

/** Its bit in the masks of pending signals. @see https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
const SIGSTOP = 1n << BigInt(constants.signals.SIGSTOP - 1);

/** Whether a process beside those named works inside the folder: managers of tests do. */
export function isWorkedIn(folder: string, besides: ReadonlySet<number>): boolean {
  const others = readdirSync('/proc').map(Number).filter((pid) => pid > 0 && !besides.has(pid)); // prettier-ignore
  return others.some((pid) => read(() => readlinkSync(`/proc/${pid}/cwd`))?.startsWith(`${folder}/`));
}

/** Undefined if the process has ended. */
function read<T>(file: () => T): T | undefined {
  try {
    return file();
  } catch {
    return undefined;
  }
}
