/**
 * Decides what must be installed or upgraded before a bundle can be: (bundle, catalogs, cluster) → steps in order,
 * or the smallest set of facts for which there is no way. resolve.ts calls it for bundles that depend on something,
 * or that something installed depends on.
 *
 *   gather what can matter → clauses → the best solution → steps, each after what it needs itself
 */
import type { Conflict, DependencyStep } from '../decision.ts';
import { minimize } from '../minimize.ts';
import type { Budget } from '../solver/sat.ts';
import { encode, type Encoding, type Policy } from './encode.ts';
import { createSpender, findBest } from './optimize.ts';
import type { Requirement } from './requirements.ts';
import {
  gatherUniverse,
  meets,
  nothingKnown,
  type DependencyQuestion,
  type Option,
  type Universe,
} from './universe.ts';

/** What is to be done, or why it cannot be. */
export type DependencyPlan =
  | { readonly kind: 'possible'; readonly steps: readonly DependencyStep[]; readonly best: boolean }
  | { readonly kind: 'impossible'; readonly because: readonly Conflict[] };

/** Enough for the largest catalogs there are, within about a second. */
export const DEFAULT_BUDGET: Budget = { steps: 20_000_000 };

/** Enough to bring hundreds of facts down to those that matter, within a fraction of a second. */
const EXPLANATION_STEPS = 1_000_000;

/**
 * The steps that come before a bundle. Equal questions give equal plans, unless the budget ends by the clock. Of all
 * plans: nothing is uninstalled, the fewest packages change, and each gets the best version, in the order in which
 * they are met.
 */
export function planDependencies(
  question: DependencyQuestion,
  policy: Policy,
  budget = DEFAULT_BUDGET,
): DependencyPlan {
  const shared = { ...question, known: question.known ?? nothingKnown() };
  const plan = planWithin(gatherUniverse(shared), { policy, budget, explained: false });
  return plan.kind === 'possible' || plan.because.length > 0
    ? plan
    : planWithin(gatherUniverse(shared, true), { policy, budget, explained: true });
}

interface Terms {
  readonly policy: Policy;
  readonly budget: Budget;
  readonly explained: boolean;
}

function planWithin(universe: Universe | undefined, { policy, budget, explained }: Terms): DependencyPlan {
  if (universe === undefined) return { kind: 'impossible', because: [{ kind: 'effort', why: 'tooLarge' }] };
  const encoding = encode(universe, policy, { explained });
  const spend = createSpender(encoding, budget);
  const solution = findBest(encoding, spend);
  if (solution === 'effort') return { kind: 'impossible', because: [{ kind: 'effort', why: 'tooLong' }] };
  if (solution === 'contradiction') return { kind: 'impossible', because: explainContradiction(encoding, budget) };
  return { kind: 'possible', steps: orderSteps(universe, solution.chosen), best: solution.best };
}

/** The facts without any one of which there would be a way; where that takes too long, some more of them. */
function explainContradiction(encoding: Encoding, budget: Budget): readonly Conflict[] {
  const { solver, facts } = encoding;
  const spend = createSpender(encoding, { ...budget, steps: Math.min(budget.steps, EXPLANATION_STEPS) });
  const failed = solver.failedAssumptions().toSorted((a, b) => b - a);
  const holds = (part: ReadonlySet<number>): ReadonlySet<number> | undefined =>
    spend([...part]) === 'unsatisfiable' ? new Set(solver.failedAssumptions()) : undefined;
  const minimal = minimize(new Set(failed), holds) ?? new Set<number>();
  return [...facts].filter(([variable]) => minimal.has(variable)).map(([, describe]) => describe());
}

/** Each step after those that it needs itself; a circle is entered at the package that is met first. */
function orderSteps(universe: Universe, chosen: readonly Option[]): readonly DependencyStep[] {
  const needs = findNeeds(universe, chosen);
  const neededBy = new Map<Option, string[]>(chosen.map((option) => [option, []]));
  for (const option of chosen) for (const other of needs.get(option) ?? []) neededBy.get(other)?.push(option.package);
  return orderByNeed([universe.root, ...chosen], needs).flatMap((option) =>
    option === universe.root ? [] : describeStep(option, universe, neededBy.get(option) ?? []),
  );
}

/** What each option needs of the others, in their order. */
function findNeeds(universe: Universe, chosen: readonly Option[]): ReadonlyMap<Option, readonly Option[]> {
  const byPackage = new Map(chosen.map((option) => [option.package, option]));
  const places = new Map(chosen.map((option, place) => [option, place]));
  const needsOf = (option: Option): readonly Option[] => {
    const parsed = universe.requirementsOf(option);
    const found = new Set<Option>();
    for (const requirement of parsed.ok ? parsed.value : []) {
      const named = requirement.kind === 'package' ? byPackage.get(requirement.package) : undefined;
      const candidates = requirement.kind === 'package' ? (named === undefined ? [] : [named]) : chosen;
      for (const other of candidates) if (other !== option && takesPart(other, requirement, true)) found.add(other);
    }
    return [...found].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  };
  return new Map(chosen.map((option) => [option, needsOf(option)]));
}

/** Depth first, each after what it needs; without recursion, as a chain may be long. */
function orderByNeed(options: readonly Option[], needs: ReadonlyMap<Option, readonly Option[]>): readonly Option[] {
  const ordered = new Set<Option>();
  const entered = new Set<Option>();
  const stack = options.toReversed();
  for (let option = stack.at(-1); option !== undefined; option = stack.at(-1)) {
    const open = entered.has(option) ? [] : (needs.get(option) ?? []).filter((other) => !entered.has(other));
    entered.add(option);
    if (open.length > 0) stack.push(...open.toReversed());
    else {
      stack.pop();
      ordered.add(option);
    }
  }
  return [...ordered];
}

function takesPart(option: Option, requirement: Requirement, wanted: boolean): boolean {
  if (!('of' in requirement)) return wanted && meets(option, requirement);
  const inner = requirement.kind === 'not' ? !wanted : wanted;
  return requirement.of.some((part) => takesPart(option, part, inner));
}

function describeStep(option: Option, universe: Universe, neededBy: readonly string[]): readonly DependencyStep[] {
  const { bundle, catalog, channel, path } = option;
  if (bundle === undefined) return [];
  const kind = universe.packages.get(option.package)?.installed === undefined ? 'install' : 'upgrade';
  return [{ kind, package: option.package, bundle, catalog, channel: path.at(-1)?.channel ?? channel, path, neededBy }];
}
