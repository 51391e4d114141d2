/**
 * Finds, among all ways to meet the requirements, the one to prefer: the fewest packages changed, then for one
 * package after another the best option. When the effort runs out, the best found so far is the answer.
 */
import type { Budget } from '../solver/sat.ts';
import type { EncodedPackage, Encoding } from './encode.ts';
import type { Option } from './universe.ts';

/** What is chosen for each package; packages without an option are left out. */
export interface Solution {
  readonly chosen: readonly Option[];
  /** Whether it is known that there is no better one. */
  readonly best: boolean;
}

/** Cells of the counter that bounds the number of changes; a larger one would cost more than it gives. */
const MAX_COUNTER = 500_000;

/** The best solution; undefined where the facts cannot hold together. */
export function findBest(encoding: Encoding, budget: Budget): Solution | 'contradiction' | 'effort' {
  const { solver, facts } = encoding;
  const spend = createSpender(encoding, budget);
  const first = spend([...facts.keys()]);
  if (first === 'unsatisfiable') return 'contradiction';
  if (first === 'unknown') return 'effort';
  for (const fact of facts.keys()) solver.addClause([fact]);
  if (spend([]) === 'unknown') return 'effort';
  const fewest = minimizeChanges(encoding, spend);
  const preferred = preferOptions(encoding, spend);
  return { chosen: chosenOptions(encoding), best: fewest && preferred };
}

/** Asks the solver with what is left of the budget. */
type Spend = (assumptions: readonly number[]) => 'satisfiable' | 'unsatisfiable' | 'unknown';

function createSpender({ solver }: Encoding, { steps, expired }: Budget): Spend {
  let left = steps;
  return (assumptions) => {
    const answer = solver.solve(assumptions, { steps: left, ...(expired !== undefined && { expired }) });
    left = solver.stepsLeft();
    return answer;
  };
}

function chosenOptions({ packages, solver }: Encoding): readonly Option[] {
  return packages.flatMap(({ options }) =>
    options.filter(({ chosen }) => solver.isTrue(chosen)).map(({ option }) => option),
  );
}

/**
 * Bounds the changes by their smallest number. Where the effort runs out before that is known, the changes of the
 * solution at hand are the most that is allowed from then on, and the answer is false.
 */
function minimizeChanges({ packages, solver }: Encoding, spend: Spend): boolean {
  const changes = packages
    .map(({ changed }) => changed)
    .filter((literal) => !solver.isForced(literal) && !solver.isForced(-literal));
  const needed = countNeeded(changes, { solver, spend });
  const count = countTrue(changes, solver);
  const isFewest = needed === count || (needed !== undefined && reduceTo(needed, changes, { solver, spend }));
  if (needed === 0 || !isFewest)
    forbid(
      changes.filter((change) => !holds(change, solver)),
      solver,
    );
  else if (needed === count) atMost(count, changes, solver);
  return isFewest;
}

interface Asking {
  readonly solver: Encoding['solver'];
  readonly spend: Spend;
}

/** Looks for solutions with ever fewer changes, down to a number that is known to be needed. */
function reduceTo(needed: number, changes: readonly number[], { solver, spend }: Asking): boolean {
  let count = countTrue(changes, solver);
  if (changes.length * count > MAX_COUNTER) return false;
  const atLeast = writeCounter(changes, count + 1, solver);
  for (; count > needed; count = countTrue(changes, solver)) {
    const answer = spend([-(atLeast[count - 1] ?? 0)]);
    if (answer === 'unknown') return false;
    if (answer === 'unsatisfiable') break;
  }
  const more = atLeast[count];
  if (more !== undefined) solver.addClause([-more]);
  return true;
}

function atMost(count: number, changes: readonly number[], solver: Encoding['solver']): void {
  const more = changes.length * (count + 1) > MAX_COUNTER ? undefined : writeCounter(changes, count + 1, solver)[count];
  if (more !== undefined) solver.addClause([-more]);
  else
    forbid(
      changes.filter((change) => !holds(change, solver)),
      solver,
    );
}

function forbid(literals: readonly number[], solver: Encoding['solver']): void {
  for (const literal of literals) solver.addClause([-literal]);
}

/** A lower bound of the changes: groups without a common member, each of which needs one. */
function countNeeded(changes: readonly number[], { solver, spend }: Asking): number | undefined {
  let open = changes;
  for (let needed = 0; ; needed++) {
    const answer = spend(open.map((change) => -change));
    if (answer === 'unknown') return undefined;
    if (answer === 'satisfiable') return needed;
    const group = new Set(solver.failedAssumptions());
    open = open.filter((change) => !group.has(-change));
  }
}

function countTrue(literals: readonly number[], solver: Encoding['solver']): number {
  return literals.filter((literal) => holds(literal, solver)).length;
}

function holds(literal: number, solver: Encoding['solver']): boolean {
  return solver.isTrue(Math.abs(literal)) === literal > 0;
}

/** Literals that follow where at least 1, 2, … of the given ones hold. */
function writeCounter(literals: readonly number[], upTo: number, solver: Encoding['solver']): readonly number[] {
  let before: readonly number[] = [];
  for (const literal of literals) {
    const row = Array.from({ length: Math.min(upTo, before.length + 1) }, () => solver.addVariable());
    for (const [index, variable] of row.entries()) {
      const same = before[index];
      if (same !== undefined) solver.addClause([-same, variable]);
      if (index === 0) solver.addClause([-literal, variable]);
      else solver.addClause([-literal, -(before[index - 1] ?? 0), variable]);
    }
    before = row;
  }
  return before;
}

/** Gives each package, in order, the best option that is left; false where the effort ran out. */
function preferOptions(encoding: Encoding, spend: Spend): boolean {
  return encoding.packages.every((one) => preferWithin(one, encoding, spend));
}

function preferWithin({ options }: EncodedPackage, { solver }: Encoding, spend: Spend): boolean {
  for (;;) {
    const index = options.findIndex(({ chosen }) => solver.isTrue(chosen));
    const better = (index < 0 ? options.at(-1) : options[index - 1])?.upToHere;
    const answer = better === undefined ? 'unsatisfiable' : spend([better]);
    if (answer === 'unknown') return false;
    if (answer === 'satisfiable') continue;
    if (better !== undefined) solver.addClause([-better]);
    const chosen = options[index]?.chosen;
    if (chosen !== undefined) solver.addClause([chosen]);
    return true;
  }
}
