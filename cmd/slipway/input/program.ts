/** Runs a program of the author, such as kubectl or helm, and reads its output. */
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import type { Environment } from '../environment.ts';
import { invalidInput } from './invalid.ts';

export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  /** Further variables of its environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Remedy if the program is not installed. */
  readonly ifMissing: string;
}

const MAX_OUTPUT_BYTES = 64 << 20;
const LAST_LINES = 5;

/** Its stdout. @throws ReasonedError InputInvalid, with the last lines of its stderr, if it fails */
export async function runProgram(
  { variables, folder, signal }: Environment,
  { program, args, variables: further = {}, ifMissing }: ProgramRun,
): Promise<Uint8Array> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...variables, ...further },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  try {
    const [code, output, errors] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
    if (code !== 0) throw failed(program, args, errors.toString());
    if (output.length > MAX_OUTPUT_BYTES) throw invalidInput(`${program} prints more than ${MAX_OUTPUT_BYTES} bytes`);
    return output;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw invalidInput(`the program ${program} is not installed, or not on the PATH`, ifMissing, error);
  }
}

function failed(program: string, args: readonly string[], errors: string): Error {
  const last = errors.trim().split('\n').slice(-LAST_LINES).join('; ');
  return invalidInput(
    `${program} ${args[0] ?? ''} fails: ${last}`,
    `Run ${[program, ...args].join(' ')} to see all of it`,
  );
}
