/** The effort that planning may spend. Effort is counted, not timed, so that equal questions end in the same way. */
import type { Effort } from '../../api/cel/effort.ts';
import type { SatSolver } from '../solver/sat.ts';

/** Steps that the solver may still make; everything that holds the object shares them. */
export interface SolverSteps {
  steps: number;
  /** Whether the time is up by the clock; the steps that are left do not count then. */
  readonly expired?: () => boolean;
}

/** The effort that is left for all bundles of one resolution together; a question that is repeated counts again. */
export interface PlanningEffort extends Effort, SolverSteps {
  /** Options that may be considered. */
  options: number;
}

/**
 * The most that all bundles of one resolution may cost together: several times as much as the largest published
 * catalogs need, and some seconds at most.
 */
export const MOST_EFFORT: PlanningEffort = { options: 60_000, steps: 10_000_000, units: 100_000_000 };

/** Whether any part of the effort is used up: results that are found from then on mean nothing. */
export function isSpent(effort: PlanningEffort): boolean {
  return effort.options < 0 || effort.steps <= 0 || effort.units <= 0 || effort.expired?.() === true;
}

/** Asks the solver, with the rest of the effort or of a part of it. */
export type Spend = (assumptions: readonly number[], preferences?: readonly number[]) => ReturnType<SatSolver['solve']>;

/** Asks the solver questions that together take `most` steps at most; the steps are taken off the effort. */
export function createSpender(solver: SatSolver, effort: SolverSteps, most: number): Spend {
  let left = most;
  const { expired } = effort;
  return (assumptions, preferences) => {
    const steps = Math.min(left, effort.steps);
    const answer = solver.solve(assumptions, { steps, ...(expired !== undefined && { expired }) }, preferences);
    const used = steps - solver.stepsLeft();
    left -= used;
    effort.steps -= used;
    return answer;
  };
}
