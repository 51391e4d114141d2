/** A problem as the answer to a request. */
import type { Problem } from '../data/view.ts';
import type { ProblemStatus } from './problem.ts';

export function answerProblem(problem: Problem & { readonly login?: string }, status: ProblemStatus): Response {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...(RETRIED.has(status) && { 'retry-after': '5' }),
  };
  return new Response(`${JSON.stringify(problem)}\n`, { status, headers });
}

/** A client that comes back later may have an answer. */
const RETRIED: ReadonlySet<ProblemStatus> = new Set<ProblemStatus>([429, 503]);
