/**
 * Finds, among all ways to meet the requirements, the one to prefer: the fewest packages changed, then for one
 * package after another the best option. When the effort runs out, the best found so far is the answer.
 */
import type { Budget } from '../solver/sat.ts';
import type { Encoding } from './encode.ts';
import type { Option } from './universe.ts';

/** What is chosen for each package; packages without an option are left out. */
export interface Solution {
  readonly chosen: readonly Option[];
  /** Whether it is known that there is no better one. */
  readonly best: boolean;
}

/** Asks the solver with what is left of a budget. */
export type Spend = (
  assumptions: readonly number[],
  preferences?: readonly number[],
) => 'satisfiable' | 'unsatisfiable' | 'unknown';

/** A budget that all questions to one encoding share. */
export function createSpender({ solver }: Encoding, { steps, expired }: Budget): Spend {
  let left = steps;
  return (assumptions, preferences) => {
    const answer = solver.solve(assumptions, { steps: left, ...(expired !== undefined && { expired }) }, preferences);
    left = solver.stepsLeft();
    return answer;
  };
}

/** The best solution; else whether the facts cannot hold together or the effort ran out. */
export function findBest(encoding: Encoding, spend: Spend): Solution | 'contradiction' | 'effort' {
  const { solver, facts } = encoding;
  const isSettled = avoidedChanges(encoding).length === 0;
  const first = spend([...facts.keys()], isSettled ? preferencesOf(encoding) : []);
  if (first === 'unsatisfiable') return 'contradiction';
  if (first === 'unknown') return 'effort';
  if (isSettled && facts.size === 0) return { chosen: chosenOptions(encoding), best: true };
  if (facts.size > 0) {
    for (const fact of facts.keys()) solver.addClause([fact]);
    if (spend([]) === 'unknown') return 'effort';
  }
  const fewest = minimizeChanges(encoding, spend);
  const preferred = spend([], preferencesOf(encoding)) === 'satisfiable';
  return { chosen: chosenOptions(encoding), best: fewest && preferred };
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
 * Allows only solutions with the fewest changes. Where the effort runs out before that number is known, the changes
 * of the solution at hand are all that is allowed from then on, and the answer is false.
 *
 * Some changes of which one at least is needed are replaced by others: "this one, and one after it as well". Of those
 * exactly one less is made, so each round counts one change, until no change that is left is needed.
 *
 * @see https://doi.org/10.1609/aaai.v28i1.9124 "Maximum Satisfiability Using Core-Guided MaxSAT Resolution"
 */
function minimizeChanges(encoding: Encoding, spend: Spend): boolean {
  const { solver } = encoding;
  const changes = avoidedChanges(encoding);
  const avoided = new Set(changes);
  while ([...avoided].some((change) => holds(change, solver))) {
    const answer = spend([...avoided].map((change) => -change));
    if (answer === 'unknown') {
      for (const change of changes) if (!holds(change, solver)) solver.addClause([-change]);
      return false;
    }
    if (answer === 'satisfiable') break;
    const needed = solver.failedAssumptions().map((literal) => -literal);
    for (const change of needed) avoided.delete(change);
    for (const more of allowOne(needed, solver)) avoided.add(more);
  }
  for (const change of avoided) solver.addClause([-change]);
  return true;
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
