/** The candidates for an unfinished command line: from the definitions, and names from the cluster. */
import type { Command } from 'commander';
import type { Environment } from '../environment.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { questionOf, type CompletionQuestion } from './question.ts';

/**
 * Prints one candidate a line. The code that asks the cluster is loaded only if names are wanted; a cluster that does
 * not answer adds no names, and is no failure.
 */
export async function complete(environment: Environment, program: Command, words: readonly string[]): Promise<Outcome> {
  const question = questionOf(program, words);
  const names = await namesFor(environment, question);
  const candidates = candidatesOf(question, names);
  return { data: { candidates }, text: candidates.map((one) => `${one}\n`).join('') };
}

async function namesFor(environment: Environment, question: CompletionQuestion): Promise<readonly string[]> {
  if (question.noun === undefined) return [];
  const { lookUp } = await import('./look-up.ts');
  return lookUp(environment, question, question.noun).catch(() => []);
}

/** Those that begin with the unfinished word, each once, without characters that a shell acts on. */
export function candidatesOf(
  { partial, known, prefix }: CompletionQuestion,
  names: readonly string[],
): readonly string[] {
  const fitting = [...known, ...names].filter(
    (one) => one.startsWith(partial) && SAFE.test(one) && cleanLine(one) === one,
  );
  return [...new Set(fitting)].sort().map((one) => `${prefix}${one}`);
}

/** Names of Kubernetes, versions, options and channels; a catalog may contain any text. */
const SAFE = /^[\w./+*:@-]+$/;
