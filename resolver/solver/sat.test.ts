import { Cadical } from 'cadical-wasm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { SatSolver, type SatAnswer } from './sat.ts';

const PLENTY = { steps: 10_000_000 };

interface Problem {
  readonly variables: number;
  readonly clauses: readonly (readonly number[])[];
  readonly assumptions: readonly number[];
}

/** Small enough to have both answers about equally often. */
const problem: fc.Arbitrary<Problem> = fc.integer({ min: 1, max: 40 }).chain((variables) => {
  const literal = fc
    .tuple(fc.integer({ min: 1, max: variables }), fc.boolean())
    .map(([name, is]) => (is ? name : -name));
  return fc.record({
    variables: fc.constant(variables),
    clauses: fc.array(fc.array(literal, { minLength: 1, maxLength: 4, size: 'max' }), {
      minLength: 1,
      maxLength: 5 * variables,
      size: 'max',
    }),
    assumptions: fc.array(literal, { maxLength: 5 }),
  });
});

test('answers, solutions and failed assumptions of the solver agree with an established solver', async () => {
  const counts: Record<SatAnswer, number> = { satisfiable: 0, unsatisfiable: 0, unknown: 0 };
  const samples = fc.sample(problem, { numRuns: runsOf(1500) });
  for (const one of samples) {
    const solver = load(one);
    const answer = solver.solve(one.assumptions, PLENTY);
    counts[answer]++;
    using oracle = await Cadical.create();
    for (const clause of one.clauses) oracle.addClause([...clause]);
    expect({ ...one, answer }).toEqual({ ...one, answer: oracle.solve({ assumptions: [...one.assumptions] }) });
    if (answer === 'satisfiable')
      expect(
        one.clauses.concat(one.assumptions.map((literal) => [literal])).filter((clause) => !holds(solver, clause)),
      ).toEqual([]);
    else expect(oracle.solve({ assumptions: [...solver.failedAssumptions()] })).toBe('unsatisfiable');
  }
  expect(counts.unknown).toBe(0);
  expect(Math.min(counts.satisfiable, counts.unsatisfiable)).toBeGreaterThan(runsOf(300));
});

test('clauses may be added between calls of the solver, and a call does not affect the next one', () => {
  fc.assert(
    fc.property(problem, problem, (first, second) => {
      const both = {
        ...first,
        variables: Math.max(first.variables, second.variables),
        clauses: [...first.clauses, ...second.clauses],
      };
      const solver = load({ ...both, clauses: first.clauses });
      solver.solve(first.assumptions, PLENTY);
      for (const clause of second.clauses) solver.addClause(clause);
      expect(solver.solve(second.assumptions, PLENTY)).toBe(load(both).solve(second.assumptions, PLENTY));
    }),
    { numRuns: runsOf(300) },
  );
});

test('the solver ends a long search when the budget is used up, and says so', () => {
  const solver = load(pigeons(9));
  expect(solver.solve([], { steps: 5000 })).toBe('unknown');
  let asked = 0;
  expect(solver.solve([], { steps: 1e12, expired: () => ++asked > 2 })).toBe('unknown');
  expect(asked).toBe(3);
});

test('the solver survives many conflicts: more pigeons than holes', () => {
  expect(load(pigeons(6)).solve([], PLENTY)).toBe('unsatisfiable');
});

test('the solver first tries the favoured value of a variable', () => {
  const solver = new SatSolver();
  const [a, b] = [solver.addVariable(true), solver.addVariable()];
  solver.addClause([a, b]);
  expect(solver.solve([], PLENTY)).toBe('satisfiable');
  expect([solver.isTrue(a), solver.isTrue(b)]).toEqual([true, false]);
});

function load({ variables, clauses }: Omit<Problem, 'assumptions'>): SatSolver {
  const solver = new SatSolver();
  for (let variable = 0; variable < variables; variable++) solver.addVariable();
  for (const clause of clauses) solver.addClause(clause);
  return solver;
}

function holds(solver: SatSolver, clause: readonly number[]): boolean {
  return clause.some((literal) => solver.isTrue(Math.abs(literal)) === literal > 0);
}

function pigeons(holes: number): Omit<Problem, 'assumptions'> {
  const inHole = (pigeon: number, hole: number): number => pigeon * holes + hole + 1;
  const clauses: number[][] = [];
  for (let pigeon = 0; pigeon <= holes; pigeon++)
    clauses.push(Array.from({ length: holes }, (_, hole) => inHole(pigeon, hole)));
  for (let hole = 0; hole < holes; hole++)
    for (let a = 0; a <= holes; a++) for (let b = 0; b < a; b++) clauses.push([-inHole(a, hole), -inHole(b, hole)]);
  return { variables: (holes + 1) * holes, clauses };
}
