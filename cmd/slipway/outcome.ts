/** What a command hands back: data for programs, text for people, and the exit code. */

/** Every exit code, with its meaning; docs/cli.md lists them. */
export const EXIT_CODES = {
  0: 'Done; nothing is wrong with what was looked at.',
  1: 'It could not be done; stderr says why, and what to do about it.',
  2: 'It was done, and there are findings: errors, or with `--strict` warnings; or what was asked about is not chosen.',
  130: 'It was interrupted (SIGINT).',
  143: 'It was terminated (SIGTERM).',
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

export interface Outcome {
  /** What `-o json` prints. Its shape is stable: fields are added, never renamed or removed. */
  readonly data: unknown;
  /** What is printed else; it ends with a line break, unless it is empty. */
  readonly text: string;
  /** 0 where absent. */
  readonly exitCode?: ExitCode;
}
