/** The parts of the outside world that a run of the command line may use; main.ts takes them from the process. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. */
  readonly folder: string;
  readonly home: string;
  readonly temporary: string;
  /** Writes the requested output to stdout, and no other text. A command that watches writes as changes arrive. */
  readonly print: (text: string) => void;
  /** Writes to stderr: what went wrong, and what to do about it. */
  readonly complain: (text: string) => void;
  /** Reads stdin to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Writes a line of progress to stderr; absent if stderr is no terminal. */
  readonly progress?: (text: string) => void;
  /** Width of the terminal that stdout is; absent if stdout is a pipe or a file. */
  readonly columns?: number;
  /** The command as the user types it, for help: `kubectl slipway` as a plugin; absent, `slipway`. */
  readonly programName?: string;
  /** Aborted if the run must end early: by a signal to the process, or because the reader of stdout is gone. */
  readonly signal: AbortSignal;
}
