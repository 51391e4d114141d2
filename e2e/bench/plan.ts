/**
 * Measures the plan of an upgrade beside its budgets: of a small operator, and of the largest real one, from the objects of
 * both versions to the plan with its hash. The time is that of the thread, the fastest of a few rounds.
 */
import { planChange } from '../../plan/plan.ts';
import type { PlanInput, PlannedSide } from '../../plan/input.ts';
import type { Row } from './budgets.ts';
import { largeOperator, objectsOf, smallOperator, type BenchOperator, type BenchVersion } from './operators.ts';

const ROUNDS = 5;

/** Budgets in milliseconds. */
const MEASURED: readonly { readonly what: string; readonly operator: () => BenchOperator; readonly budget: number }[] =
  [
    { what: 'plan: upgrade of a small operator', operator: smallOperator, budget: 50 },
    { what: 'plan: upgrade of one with large CRDs', operator: largeOperator, budget: 2000 },
  ];

export function benchPlan(): readonly Row[] {
  return MEASURED.map(({ what, operator, budget }) => ({ what, unit: 'ms', measured: measure(operator()), budget }));
}

function measure(operator: BenchOperator): number {
  const times = Array.from({ length: ROUNDS }, () => {
    // prepared in each round, since the hashes of objects are kept with them
    const input = inputOf(operator);
    const started = performance.now();
    planChange(input);
    return performance.now() - started;
  });
  return Math.min(...times);
}

function inputOf(operator: BenchOperator): PlanInput {
  const { name, from, to } = operator;
  const side = (version: BenchVersion): PlannedSide => ({
    bundle: `${name}.v${version.version}`,
    version: version.version,
    objects: objectsOf(operator, version),
    properties: [],
  });
  return { package: name, subscription: `${name}/${name}`, from: side(from), to: side(to) };
}
