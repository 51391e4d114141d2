/** Reads about the processes of this machine, of which any may end meanwhile. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether it was stopped by SIGSTOP. */
export function isPaused(pid: number): boolean {
  // the name before the state may have any character in it
  return read(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1))?.startsWith('T') === true;
}

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
