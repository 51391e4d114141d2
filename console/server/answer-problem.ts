/** A problem as the answer to a request. */
import type { Problem } from '../data/view.ts';
import type { ProblemStatus } from './problem.ts';

export function answerProblem(problem: Problem & { readonly login?: string }, status: ProblemStatus): Response {
  const headers = { 'content-type': 'application/json; charset=utf-8', ...retryHeaders(status) };
  return new Response(`${JSON.stringify(problem)}\n`, { status, headers });
}

/** When to come back, for an answer that is another one later. */
export function retryHeaders(status: ProblemStatus): Readonly<Record<string, string>> {
  return RETRIED.has(status) ? { 'retry-after': '5' } : {};
}

const RETRIED: ReadonlySet<ProblemStatus> = new Set<ProblemStatus>([429, 503]);
