/** Runs the command line inside of this process, in a folder. */
import { tmpdir } from 'node:os';
import { run } from '../../cmd/slipway/run.ts';

export interface SlipwayRun {
  readonly code: number;
  /** Everything that it printed and complained. */
  readonly text: string;
}

export async function runSlipway(
  folder: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<SlipwayRun> {
  let text = '';
  const write = (more: string): void => void (text += more);
  const code = await run([...args], {
    variables,
    folder,
    home: folder,
    temporary: tmpdir(),
    print: write,
    complain: write,
    readInput: async () => Buffer.alloc(0),
    signal: new AbortController().signal,
  });
  return { code, text };
}
