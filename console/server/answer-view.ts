/** Answers the question of a view for one person: filters what they may see, reads what the view asks for, and shows it. */
import { isProblem } from '../data/view.ts';
import type { Asked, Ask } from '../data/ask.ts';
import type { Log } from '../../kube/log.ts';
import type { ViewAnswer } from './live/encode.ts';
import type { MatchedView } from './match-view.ts';
import type { Person } from './person.ts';
import { problemOf, statusOfError, statusOfReason } from './problem.ts';
import { visibleTo, type VisibleParts } from './visible.ts';

export interface AnswerParts extends VisibleParts {
  /** Reads what a view asks for, as the person; a read that fails is part of the answer. */
  readonly carryOut: (person: Person, ask: Ask, signal: AbortSignal) => Promise<Asked>;
  readonly readOnly: boolean;
  /** Namespace of the manager. */
  readonly systemNamespace: string;
  readonly now: () => Date;
  readonly log: Log;
}

/** Never rejects: a failure is an answer too. */
export async function answerView(
  person: Person,
  { view, parameters }: MatchedView,
  parts: AnswerParts,
  signal: AbortSignal,
): Promise<ViewAnswer> {
  try {
    const { readOnly, systemNamespace, now } = parts;
    const seen = await visibleTo(person, parts, { kinds: view.reads, parameters }, signal);
    const visible = { ...seen, readOnly, systemNamespace, now: now() };
    const ask = view.ask?.(visible, parameters);
    const asked = ask === undefined ? {} : await parts.carryOut(person, ask, signal);
    const shown = view.show(visible, parameters, asked);
    return isProblem(shown) ? { problem: shown, status: statusOfReason(shown.reason) } : { model: shown };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.reason === 'InternalError' && !signal.aborted)
      parts.log.error({ err: error, view: view.path }, 'a view failed by a defect');
    return { problem, status: statusOfError(error) };
  }
}
