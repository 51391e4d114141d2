/** The result of a command: data for programs, text for people, and the exit code. */

/** Every exit code, with its meaning; docs/cli.md lists them. */
export const EXIT_CODES = {
  0: 'Done, without findings that count.',
  1: 'It could not be done; stderr has the cause and the remedy.',
  2: 'It was done, and there are findings: errors, or warnings with `--strict`, or those of the table by command.',
  3: '`wait`, `adopt run`, `adopt undo`: the time was up before the outcome was known.',
  130: 'It was interrupted (SIGINT).',
  143: 'It was terminated (SIGTERM).',
} as const;

/**
 * The findings that give exit code 2, by command.
 * @unshipped The generators of docs/cli.md and of the man pages print them.
 */
export const FINDINGS: Readonly<Record<string, string>> = {
  'adopt plan': 'An operator cannot be handed over.',
  'adopt run --all': 'An operator cannot be handed over.',
  'bundle test': 'A step fails.',
  'catalog add, remove, promote': 'The edit brings an error, and nothing is written.',
  'crd diff': 'Existing objects could be hurt.',
  doctor: 'There are errors, or nothing could be checked.',
  'mirror verify': 'Content is missing.',
  outdated: 'A newer version exists.',
  plan: 'A rule of `--deny` is hit.',
  search: 'No package is found.',
  try: 'The operator does not become ready.',
  verify: 'No signature is trusted.',
  wait: 'The Subscription has failed.',
  'why, why-not': 'The version is not chosen.',
};

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
