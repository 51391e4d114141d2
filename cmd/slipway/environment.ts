/** The parts of the outside world that a run of the command line may use; main.ts takes them from the process. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. */
  readonly folder: string;
  readonly home: string;
  readonly temporary: string;
  /** Writes the requested output to stdout, and no other text. */
  readonly print: (text: string) => void;
  /** Writes to stderr: what went wrong, and what to do about it. */
  readonly complain: (text: string) => void;
  /** Reads stdin to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Width of the terminal that stdout is; absent if stdout is a pipe or a file. */
  readonly columns?: number;
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal;
}
