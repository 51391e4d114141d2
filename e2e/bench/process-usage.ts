/** What a process has used, as the kernel counts it (Linux). */
import { readFileSync } from 'node:fs';

export interface Usage {
  /** Largest resident size so far, in megabytes. */
  readonly peak: number;
  readonly resident: number;
  /**
   * The part of it that the kernel cannot take back: not the pages of programs, which are read again from their file
   * and which all processes share that run the same program.
   */
  readonly anonymous: number;
  /** Seconds of processor time of all its threads so far. */
  readonly cpu: number;
}

/** Ticks per second in /proc; the kernel has had this value since it first exported one. */
const TICKS = 100;

export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything, so fields are counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const megabytes = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return {
    peak: megabytes('VmHWM'),
    resident: megabytes('VmRSS'),
    anonymous: megabytes('RssAnon'),
    cpu: (Number(fields[11]) + Number(fields[12])) / TICKS,
  };
}
