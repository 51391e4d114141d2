/**
 * Finds, among all ways to meet the requirements, the one to prefer: the fewest packages changed, then for one
 * package after another the best option. When the effort runs out, the best found so far is the answer.
 */
import type { SatSolver } from '../solver/sat.ts';
import type { Encoding } from './encode.ts';
import type { Option } from './options.ts';

/** What is chosen for each package; packages without an option are left out. */
export interface Solution {
  readonly chosen: readonly Option[];
  /** Whether it is known that there is no better one. */
  readonly best: boolean;
}

/** Asks the solver with what is left of the effort, or of a part of it. */
export type Spend = (
  assumptions: readonly number[],
  preferences?: readonly number[],
) => 'satisfiable' | 'unsatisfiable' | 'unknown';

/** Steps that may be made, by all who share the object. */
export interface Steps {
  steps: number;
  /** Whether it has taken too long by the clock; what is left counts for nothing then. */
  readonly expired?: () => boolean;
}

/** Questions that together take so many steps at most, which are taken off the effort. */
export function createSpender(solver: SatSolver, effort: Steps, most: number): Spend {
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

/**
 * The best solution; else whether there is none, or the effort ran out. Half of what is left may go into the fewest
 * changes, which are looked for from below: where that does not do, there is no solution yet, and the rest has to find
 * any.
 */
export function findBest(encoding: Encoding, effort: Steps): Solution | 'contradiction' | 'effort' {
  const { solver } = encoding;
  const fewest = minimizeChanges(encoding, createSpender(solver, effort, Math.floor(effort.steps / 2)));
  if (fewest === 'unsatisfiable') return 'contradiction';
  const spend = createSpender(solver, effort, effort.steps);
  if (fewest === 'unknown') {
    const any = spend([]);
    if (any !== 'satisfiable') return any === 'unknown' ? 'effort' : 'contradiction';
    leaveOthersAlone(encoding);
  }
  const preferred = spend([], preferencesOf(encoding));
  if (preferred === 'unsatisfiable') return 'contradiction';
  if (preferred === 'unknown' && fewest === 'settled') return 'effort';
  return { chosen: chosenOptions(encoding), best: fewest !== 'unknown' && preferred === 'satisfiable' };
}

/** For each package, in order, the best option that is left. */
function preferencesOf({ packages }: Encoding): readonly number[] {
  return packages.flatMap(({ options }) => options.map(({ chosen }) => chosen));
}

/** Changes that could be made or not, as far as is known without searching. */
function avoidedChanges({ packages, solver }: Encoding): readonly number[] {
  return packages
    .map(({ changed }) => changed)
    .filter((literal) => !solver.isForced(literal) && !solver.isForced(-literal));
}

function chosenOptions({ packages, solver }: Encoding): readonly Option[] {
  return packages.flatMap(({ options }) =>
    options.filter(({ chosen }) => solver.isTrue(chosen)).map(({ option }) => option),
  );
}

/**
 * Allows only solutions with the fewest changes, and finds one; `settled` where there is nothing to choose, and nothing
 * was looked for.
 *
 * Some changes of which one at least is needed are replaced by others: "this one, and one after it as well". Of those
 * exactly one less is made, so each round counts one change, until no change that is left is needed.
 *
 * @see https://doi.org/10.1609/aaai.v28i1.9124 "Maximum Satisfiability Using Core-Guided MaxSAT Resolution"
 */
function minimizeChanges(encoding: Encoding, spend: Spend): ReturnType<Spend> | 'settled' {
  const { solver } = encoding;
  const avoided = new Set(avoidedChanges(encoding));
  if (avoided.size === 0) return 'settled';
  for (;;) {
    for (const change of avoided) if (solver.isForced(change) || solver.isForced(-change)) avoided.delete(change);
    const answer = spend([...avoided].map((change) => -change));
    if (answer === 'satisfiable') for (const change of avoided) solver.addClause([-change]);
    if (answer !== 'unsatisfiable') return answer;
    const needed = solver.failedAssumptions().map((literal) => -literal);
    if (needed.length === 0) return answer;
    for (const change of needed) avoided.delete(change);
    for (const more of allowOne(needed, solver)) avoided.add(more);
  }
}

/** The changes of the solution at hand are all that is allowed. */
function leaveOthersAlone(encoding: Encoding): void {
  for (const change of avoidedChanges(encoding)) {
    if (!holds(change, encoding.solver)) encoding.solver.addClause([-change]);
  }
}

/** Says that one of some changes is made, and gives literals of which as many follow as are made beyond that. */
function allowOne(needed: readonly number[], solver: Encoding['solver']): readonly number[] {
  solver.addClause(needed);
  const more: number[] = [];
  let later = needed.at(-1) ?? 0;
  for (const change of needed.slice(0, -1).reverse()) {
    const also = solver.addVariable();
    const fromHere = solver.addVariable();
    solver.addClause([-change, -later, also]);
    solver.addClause([-change, fromHere]);
    solver.addClause([-later, fromHere]);
    more.push(also);
    later = fromHere;
  }
  return more;
}

function holds(literal: number, solver: Encoding['solver']): boolean {
  return solver.isTrue(Math.abs(literal)) === literal > 0;
}
