/** Collects the problems of one object, each rule once at each node: a list may have the same one in every item. */
import type { Problem } from './problem.ts';
import { readText, takeSteps } from './steps.ts';

export class Problems {
  readonly #found = new Map<string, Problem>();

  add(problem: Problem): void {
    takeSteps(1);
    readText(problem.path.length + problem.message.length);
    this.#found.set(keyOfProblem(problem), problem);
  }

  all(): readonly Problem[] {
    return [...this.#found.values()];
  }
}

/** A node may have several expressions, and each has a message. */
export function keyOfProblem({ rule, path, message }: Problem): string {
  return JSON.stringify(rule === 'validations' ? [rule, path, message] : [rule, path]);
}
