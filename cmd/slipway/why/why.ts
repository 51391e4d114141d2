/** `slipway why` and `slipway why-not`: the same answer, from catalogs that are named or from a Subscription. */
import type { Environment } from '../environment.ts';
import { invalidInput } from '../input/invalid.ts';
import type { Outcome } from '../outcome.ts';
import { outcomeOf } from './answer.ts';
import { isOffline, parseSubject, type WhySubject, type WhyFlags } from './flags.ts';

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
