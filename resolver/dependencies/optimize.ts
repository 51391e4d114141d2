/**
 * Finds, among all ways to meet the requirements, the one to prefer: the fewest packages changed, then for one
 * package after another the best option. When the effort runs out, the best found so far is the answer.
 */
import { createSpender, type SolverSteps, type Spend } from './effort.ts';
import type { EncodedUniverse } from './encode.ts';
import type { Option } from './model.ts';

/** The chosen option of each package; packages without a chosen option are left out. */
export interface Solution {
  readonly chosen: readonly Option[];
  /** Whether the search has shown that no solution is better. */
  readonly best: boolean;
}

/**
 * The best solution; `contradiction` if there is none, `effort` if the effort ran out before one was found. The search
 * for the fewest changes counts upwards, so it has no solution until it ends. It may take half of the effort; if it does
 * not end within that, the other half must find any solution.
 */
export function findBest(encoding: EncodedUniverse, effort: SolverSteps): Solution | 'contradiction' | 'effort' {
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
function preferencesOf({ packages }: EncodedUniverse): readonly number[] {
  return packages.flatMap(({ options }) => options.map(({ chosen }) => chosen));
}

/** Changes that are neither forced nor ruled out, as far as the solver knows without a search. */
function avoidedChanges({ packages, solver }: EncodedUniverse): readonly number[] {
  return packages
    .map(({ changed }) => changed)
    .filter((literal) => !solver.isForced(literal) && !solver.isForced(-literal));
}

function chosenOptions({ packages, solver }: EncodedUniverse): readonly Option[] {
  return packages.flatMap(({ options }) =>
    options.filter(({ chosen }) => solver.isTrue(chosen)).map(({ option }) => option),
  );
}

/**
 * Allows only solutions with the fewest changes, and finds one; `settled` if every change is forced or ruled out, so
 * that no search is needed.
 *
 * Each round finds a set of changes of which at least one is needed, and replaces them by others: "this one, and one
 * after it as well". A solution makes exactly one less of the new ones, so each round counts one change. The rounds end
 * when none of the remaining changes is needed.
 *
 * @see https://doi.org/10.1609/aaai.v28i1.9124 "Maximum Satisfiability Using Core-Guided MaxSAT Resolution"
 */
function minimizeChanges(encoding: EncodedUniverse, spend: Spend): ReturnType<Spend> | 'settled' {
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

/** Forbids every change that the current solution does not make. */
function leaveOthersAlone(encoding: EncodedUniverse): void {
  for (const change of avoidedChanges(encoding)) {
    if (!holds(change, encoding.solver)) encoding.solver.addClause([-change]);
  }
}

/** Demands one of some changes. Returns literals, as many of which are forced as changes are made beyond the first. */
function allowOne(needed: readonly number[], solver: EncodedUniverse['solver']): readonly number[] {
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

function holds(literal: number, solver: EncodedUniverse['solver']): boolean {
  return solver.isTrue(Math.abs(literal)) === literal > 0;
}
