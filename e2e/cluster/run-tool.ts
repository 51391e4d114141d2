/** Runs a command-line tool to its end. */
import { spawn } from 'node:child_process';
import { basename } from 'node:path';

export interface ToolRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | undefined;
}

/** Resolves to the tool's stdout; throws with its stderr if its exit code is not 0. */
export function runTool(program: string, { args, env, stdin }: ToolRun): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on('data', (chunk: Buffer) => output.stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.stderr.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(text(output.stdout));
      else
        reject(
          new Error(
            `${basename(program)} ${args.join(' ')} ended with exit code ${code}: ${text(output.stderr).trim()}`,
          ),
        );
    });
    child.stdin.on('error', () => {}); // a tool may end before it has read everything
    child.stdin.end(stdin);
  });
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString();
}
