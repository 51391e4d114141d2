/** Runs a program of the machine to its end. */
import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Resolves to its stdout. Throws with its stderr if it fails, and with `need` if it is not installed. */
export function run(
  program: string,
  args: readonly string[],
  { need, ...options }: RunOptions & { readonly need: string },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on('data', (chunk: Buffer) => output.stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.stderr.push(chunk));
    child.once('error', (cause: NodeJS.ErrnoException) =>
      reject(cause.code === 'ENOENT' ? new Error(`${program} is missing: ${need}`, { cause }) : cause),
    );
    child.once('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(output.stdout));
      const said = Buffer.concat(output.stderr).toString('utf8').trim();
      return reject(new Error(`${program} ${args[0] ?? ''} ended with exit code ${code}: ${said}`));
    });
  });
}
