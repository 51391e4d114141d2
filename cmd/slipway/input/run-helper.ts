/** Runs a program that other tools have stored credentials with. */
import { text } from 'node:stream/consumers';
import { endGroup, spawnGroup } from '../../../kube/kubeconfig/process-group.ts';
import type { Environment } from '../environment.ts';

export interface HelperRun {
  readonly program: string;
  readonly input: string;
  readonly patienceSeconds?: number;
}

const PATIENCE_SECONDS = 60;

/**
 * The exit code of the program and its output. With the program end all programs that it has started.
 *
 * @throws Error if it cannot be started, does not end in time, or the run is aborted
 */
export async function runHelper(
  { variables, signal }: Pick<Environment, 'variables' | 'signal'>,
  { program, input, patienceSeconds = PATIENCE_SECONDS }: HelperRun,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceSeconds * 1000)]);
  const child = spawnGroup(program, ['get'], { env: { ...variables }, stdio: ['pipe', 'pipe', 'ignore'] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`${program} has no pipes`);
  stdin.on('error', () => {}); // a program may end before it has read its input
  stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
    limit.addEventListener('abort', () => {
      endGroup(child);
      stdout.destroy(); // a program that has left the group may hold it open
      reject(signal.aborted ? (signal.reason as Error) : new Error(`it did not end within ${patienceSeconds} s`));
    });
  });
  const [code, output] = await Promise.all([ended, text(stdout)]);
  return { code, output };
}
