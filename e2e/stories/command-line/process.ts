/** Runs the command line as a process, as a person and a pipeline do. */
import { spawn } from 'node:child_process';
import { programFile } from '../../../scripts/test-programs.ts';
import { COMPILE_CACHE } from '../../lib/shared.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  /** What stdout has got so far. */
  readonly stdout: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Closes the reader of stdout, as `head` does. */
  readonly closePipe: () => void;
  readonly ended: Promise<Ended>;
}

/** The program with a kubeconfig in its environment. */
export function createCommandLine(kubeconfig: string) {
  return {
    start: (...args: readonly string[]): Running => start(kubeconfig, args),
    run: (...args: readonly string[]): Promise<Ended> => start(kubeconfig, args).ended,
  };
}

function start(kubeconfig: string, args: readonly string[]): Running {
  const child = spawn(process.execPath, [programFile('slipway'), ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', KUBECONFIG: kubeconfig, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
  return {
    stdout: () => written.stdout,
    kill: (signal) => void child.kill(signal),
    closePipe: () => void child.stdout.destroy(),
    ended: new Promise((done) => child.once('close', (code, signal) => done({ code, signal, ...written }))),
  };
}
