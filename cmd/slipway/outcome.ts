/** The result of a command: data for programs, text for people, and the exit code. */

/** Every exit code, with its meaning; docs/cli.md lists them. */
export const EXIT_CODES = {
  0: 'Done, without findings that count.',
  1: 'It could not be done; stderr says why, and what to do about it.',
  2: 'It was done, and there are findings: errors, or with `--strict` warnings; for `why` and `why-not`: the version is not chosen; for `outdated`: a newer version exists; for `wait`: it has failed; for `plan`: a rule of `--deny` is hit; for `crd diff`: existing objects could be hurt; for `catalog add`, `remove` and `promote`: the edit brings an error, and nothing is written; for `bundle test`: a step fails; for `try`: the operator does not become ready; for `verify`: no signature is trusted; for `mirror verify`: something is missing; for `adopt plan` and `adopt run --all`: an operator cannot be handed over.',
  3: '`wait`, `adopt run`, `adopt undo`: the time was up before the outcome was known.',
  130: 'It was interrupted (SIGINT).',
  143: 'It was terminated (SIGTERM).',
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

export interface Outcome {
  /** What `-o json` prints. Its shape is stable: fields are added, never renamed or removed. */
  readonly data: unknown;
  /** The text for people; it ends with a line break, unless it is empty. */
  readonly text: string;
  /** Whether the output was printed as it came, so that nothing follows it in any format. */
  readonly isPrinted?: true;
  /** 0 where absent. */
  readonly exitCode?: ExitCode;
}

/** One of several causes of a failure, with its own remedy. */
export interface Detail {
  readonly message: string;
  readonly advice: string;
}

/** An error that has several causes; they are printed one below the other. */
export interface Detailed {
  readonly details: readonly Detail[];
}
