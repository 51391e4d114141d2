/** Has the API server call webhooks, a few at a time, and waits a moment for those that do not answer at once. */
import { setTimeout as pause } from 'node:timers/promises';
import { isAnswer } from '../../../apply/api-failure.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { questionObject, readAnswer, type Answer, type ProbeQuestion } from './probe-objects.ts';

export interface AskOptions {
  readonly uid: string;
  readonly questions: readonly ProbeQuestion[];
  /** How long to repeat a call that is not answered: nodes need a moment to find a Pod that has just become ready. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** A webhook that did not answer. */
export interface Unanswered {
  readonly question: ProbeQuestion;
  /** The API server's message; undefined if it has not called the webhook yet. */
  readonly because?: string;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** Calls at the same time. */
const AT_ONCE = 4;

/**
 * The first question that is not answered in time; undefined if all are answered. The configuration must have been
 * written. Throws the errors of the client.
 */
export async function ask(cluster: Pick<Cluster, 'create'>, options: AskOptions): Promise<Unanswered | undefined> {
  const { questions } = options;
  const until = Date.now() + options.patienceMs;
  for (let first = 0; first < questions.length; first += AT_ONCE) {
    const some = questions.slice(first, first + AT_ONCE);
    const unanswered = await Promise.all(some.map((_, index) => insist(cluster, first + index, { ...options, until })));
    const found = unanswered.find((one) => one !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function insist(
  cluster: Pick<Cluster, 'create'>,
  index: number,
  { until, ...options }: AskOptions & { readonly until: number },
): Promise<Unanswered | undefined> {
  const question = options.questions[index] as ProbeQuestion;
  for (let milliseconds = FIRST_PAUSE_MS; ; milliseconds = Math.min(milliseconds * 2, LONGEST_PAUSE_MS)) {
    const answer = await askOnce(cluster, index, options);
    if (answer.kind === 'answered') return undefined;
    if (Date.now() + milliseconds > until)
      return { question, ...(answer.kind === 'silent' && { because: answer.because }) };
    await pause(milliseconds, undefined, { signal: options.signal });
  }
}

async function askOnce(
  cluster: Pick<Cluster, 'create'>,
  index: number,
  { uid, questions, signal }: Pick<AskOptions, 'uid' | 'questions' | 'signal'>,
): Promise<Answer> {
  const question = questions[index] as ProbeQuestion;
  try {
    await cluster.create(questionObject(uid, question, index), { dryRun: true }, signal);
    return readAnswer(index, question, undefined);
  } catch (error) {
    signal.throwIfAborted();
    if (!isAnswer(error)) throw error;
    return readAnswer(index, question, (error as Error).message);
  }
}
