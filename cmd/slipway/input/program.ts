/** Runs a program of the author, such as kubectl or helm, and reads its output. */
import { buffer } from 'node:stream/consumers';
import { endGroup, spawnGroup } from '../../../kube/kubeconfig/process-group.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

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

/**
 * Its stdout. With the program end all programs that it has started, also if the run is aborted.
 *
 * @throws ReasonedError InputInvalid, with the last lines of its stderr, if it fails; the signal's reason if it is aborted
 */
export async function runProgram(
  { variables, folder, signal }: Environment,
  { program, args, variables: further = {}, ifMissing }: ProgramRun,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  const env = { ...variables, ...further };
  const child = spawnGroup(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error(`${program} has no pipes`);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
    signal.addEventListener('abort', () => {
      endGroup(child);
      for (const pipe of [stdout, stderr]) pipe.destroy(); // a program that has left the group may hold them open
      reject(signal.reason as Error);
    });
  });
  try {
    const [code, output, errors] = await Promise.all([ended, buffer(stdout), buffer(stderr)]);
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
