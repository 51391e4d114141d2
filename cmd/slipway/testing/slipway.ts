/** Runs the command line inside of a test, in a folder of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { run } from '../run.ts';

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Workplace {
  /** Where relative paths begin. */
  readonly folder: string;
  readonly run: (...args: readonly string[]) => Promise<Finished>;
  readonly runWith: (options: RunOptions, ...args: readonly string[]) => Promise<Finished>;
  /** Runs with `-o json`; what stdout holds, whatever the exit code. */
  readonly json: <Data>(...args: readonly string[]) => Promise<Data>;
  /** Writes files below the folder. */
  readonly write: (files: ReadonlyMap<string, string | Uint8Array>, below?: string) => void;
}

export interface RunOptions {
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** Content of stdin. */
  readonly input?: string;
  /** Width of the terminal that the run writes to; a pipe if absent. */
  readonly columns?: number;
  /** Gets the standard output as it is printed. */
  readonly printed?: (text: string) => void;
  /** Gets the progress that a terminal would show. */
  readonly progress?: (text: string) => void;
  /** Name by which the program was started. */
  readonly programName?: string;
}

/** A folder for the tests of one file, removed after them. */
export function useWorkplace(): () => Workplace {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-cli-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => openWorkplace(folder);
}

function openWorkplace(folder: string): Workplace {
  const runWith: Workplace['runWith'] = async (
    {
      variables = {},
      signal = new AbortController().signal,
      input = '',
      columns,
      printed: onPrinted,
      progress,
      programName,
    },
    ...args
  ) => {
    const printed = { stdout: '', stderr: '' };
    const code = await run(args, {
      variables,
      folder,
      home: join(folder, 'home'),
      temporary: tmpdir(),
      print: (text) => {
        printed.stdout += text;
        onPrinted?.(text);
      },
      complain: (text) => void (printed.stderr += text),
      signal,
      readInput: async () => Buffer.from(input),
      ...(columns !== undefined && { columns }),
      ...(progress !== undefined && { progress }),
      ...(programName !== undefined && { programName }),
    });
    return { code, ...printed };
  };
  return {
    folder,
    runWith,
    run: (...args) => runWith({}, ...args),
    async json<Data>(...args: readonly string[]) {
      const { stdout, stderr } = await runWith({}, ...args, '-o', 'json');
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as Data;
    },
    write(files, below = '') {
      for (const [path, content] of files) {
        const full = join(folder, below, path);
        mkdirSync(dirname(full), { recursive: true });
        writeFileSync(full, content);
      }
    },
  };
}
