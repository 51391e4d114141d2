/** One run of the command line: arguments in, exit code out; all output goes through the environment. */
import type { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Environment } from './environment.ts';
import type { Detail, Detailed, ExitCode, Outcome } from './outcome.ts';
import { cleanLine } from '../../report/clean.ts';
import { isTemplate, templateOf, type OutputFlags } from './flags.ts';
import { buildProgram, CommanderError } from './program.ts';

/** Never rejects: whatever goes wrong becomes a text on stderr and an exit code. */
export async function run(args: readonly string[], environment: Environment): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const program = buildProgram(async (flags, action) => {
    const outcome = await action(environment);
    if (outcome.isPrinted !== true) environment.print(await formatOutcome(outcome, flags, environment));
    exitCode = outcome.exitCode ?? 0;
  }, environment);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    if (environment.signal.aborted) return interrupted(environment);
    const further = isReasoned(error) ? await hintOf(error, args) : undefined;
    environment.complain(`${describeFailure(error, further)}${await describeConnection(error)}`);
    return 1;
  }
}

async function formatOutcome(
  { data, text }: Outcome,
  { output }: OutputFlags,
  { columns }: Environment,
): Promise<string> {
  if (isTemplate(output)) return (await import('./output/template.ts')).formatTemplate(templateOf(output), data);
  if (output === 'json') return (await import('../../report/data.ts')).formatData(data);
  if (output !== 'text' || columns === undefined) return text;
  return (await import('./output/layout.ts')).wrapText(text, columns);
}

/** As shells report it: 128 and the number of the signal. A reader that is gone has read enough. */
function interrupted({ complain, signal }: Environment): ExitCode {
  if ((signal.reason as NodeJS.ErrnoException).code === 'EPIPE') return 0;
  const isTerminated = (signal.reason as Error).message === 'SIGTERM';
  complain(isTerminated ? 'slipway: terminated\n' : 'slipway: interrupted\n');
  return isTerminated ? 143 : 130;
}

/** A remedy that depends on the words of the command line. */
async function hintOf(error: ReasonedError, args: readonly string[]): Promise<string | undefined> {
  if (error.reason !== 'RegistryUnavailable') return undefined;
  return (await import('./registry-hints.ts')).registryHint(error, args);
}

/**
 * An error in words for a terminal: what failed, and what to do about it.
 *
 * @param remedy Precedes the error's own.
 */
export function describeFailure(error: unknown, remedy?: string): string {
  if (isReasoned(error)) {
    const hint = remedy ?? HINTS.get(error.reason) ?? error.hint;
    const advice = hint === undefined ? '' : `  ${cleanLine(hint)}\n`;
    const details = (error as Partial<Detailed>).details ?? [];
    return `slipway: ${error.reason}: ${cleanLine(error.message)}\n${advice}${details.map(describeDetail).join('')}`;
  }
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code !== undefined && /^E[A-Z]+$/.test(code)) {
    const advice = SYSTEM_ADVICE.get(code);
    return `slipway: ${cleanLine(message)}\n${advice === undefined ? '' : `  ${advice}\n`}`;
  }
  return `slipway: this is a defect of slipway, please report it\n${(stack ?? String(error)).split('\n').map(cleanLine).join('\n')}\n`;
}

function describeDetail({ message, advice }: Detail): string {
  return `  ${cleanLine(message)}\n    ${cleanLine(advice)}\n`;
}

/** For the API server, whose message is for conditions and so names no port: the address that was tried. */
export async function describeConnection(error: unknown): Promise<string> {
  if (!isReasoned(error) || error.reason !== 'ApiUnavailable') return '';
  const broken = (error.cause as Partial<Error> | undefined)?.cause;
  if (!(broken instanceof Error)) return '';
  const { describeConnectionFailure } = await import('../../api/connection-failure.ts');
  const { message, hint } = describeConnectionFailure(broken);
  return `  ${cleanLine(message)}\n${hint === undefined ? '' : `  ${cleanLine(hint)}\n`}`;
}

/** By the code of an error of the operating system. */
const SYSTEM_ADVICE: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'The disk is full: free space, or write to another file system'],
  ['EDQUOT', 'The disk quota is used up: free space, or write to another file system'],
  ['EACCES', 'Check the permissions of the file, or write to another folder'],
  ['EPERM', 'Check the permissions of the file, or write to another folder'],
  ['EROFS', 'The file system is read-only: write to another folder'],
  ['EMFILE', 'Too many files are open: raise the limit with ulimit -n'],
]);

/** The remedy at a terminal, if the error's own hint is for a cluster. */
const HINTS: ReadonlyMap<Reason, string> = new Map([
  ['RegistryDenied', 'Log in to the registry, or name a file with credentials by --registry-config'],
  ['RegistryThrottled', 'Repeat the command later; who is logged in to the registry often has a higher limit'],
]);

/** By its name, so that the class need not be loaded to print help. */
function isReasoned(error: unknown): error is ReasonedError {
  return error instanceof Error && error.name === 'ReasonedError';
}
