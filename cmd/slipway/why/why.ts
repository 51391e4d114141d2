/** `slipway why` and `slipway why-not`: the same answer, from catalogs that are named or from a Subscription. */
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { printAnswer, type WhyAnswer } from '../../../report/why-answer.ts';
import { isOffline, parseSubject, type WhyFlags } from './flags.ts';
import type { WhySubject } from '../../../report/why-status.ts';

export function why(environment: Environment, text: string, flags: WhyFlags): Promise<Outcome> {
  return answer(environment, parseSubject(text), flags);
}

export async function whyNot(environment: Environment, text: string, flags: WhyFlags): Promise<Outcome> {
  const subject = parseSubject(text);
  if (subject.version === undefined)
    throw invalidInput(
      `${JSON.stringify(text)} names no version`,
      'Write PACKAGE@VERSION, or ask `slipway why PACKAGE`',
    );
  return answer(environment, subject, flags);
}

async function answer(environment: Environment, subject: WhySubject, flags: WhyFlags): Promise<Outcome> {
  if (isOffline(flags)) {
    const { answerOffline } = await import('./offline.ts');
    return outcomeOf(await answerOffline(environment, subject, flags));
  }
  const { answerFromCluster } = await import('./cluster.ts');
  return outcomeOf(await answerFromCluster(environment, subject, flags));
}

/** The outcome of an answer; the exit code is 2 if the version is not chosen. */
function outcomeOf(answer: WhyAnswer): Outcome {
  return { data: answer, text: printAnswer(answer), exitCode: answer.chosen ? 0 : 2 };
}
