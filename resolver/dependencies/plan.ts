/**
 * Decides what must be installed or upgraded before a bundle can be: (bundle, catalogs, cluster) → steps in order,
 * or the smallest set of facts for which there is no way. resolve.ts calls it for bundles that depend on something,
 * or that something installed depends on.
 *
 *   gather what can matter → clauses → the best solution → steps, each after what it needs itself
 */
import type { Conflict, DependencyStep } from '../decision.ts';
import { minimize } from '../minimize.ts';
import { encode, type Encoding, type Group, type Policy } from './encode.ts';
import { isSpent, nothingKnown, type Known, type PlanningEffort } from './known.ts';
import { createSpender, findBest } from './optimize.ts';
import type { Option } from './options.ts';
import { takesPart, type Requirement } from './requirements.ts';
import { gatherUniverse, type DependencyQuestion, type Universe } from './universe.ts';

/** What is to be done, or why it cannot be. */
export type DependencyPlan =
  | { readonly kind: 'possible'; readonly steps: readonly DependencyStep[]; readonly best: boolean }
  | { readonly kind: 'impossible'; readonly because: readonly Conflict[] };

/**
 * What all bundles of one resolution may cost together: several times what the largest catalogs that there are take,
 * and some seconds at most. It is counted, not timed, so that the same question ends in the same way.
 */
export const MOST_EFFORT: PlanningEffort = { options: 60_000, steps: 10_000_000, units: 100_000_000 };

/** Enough to bring hundreds of facts down to those that matter, within a fraction of a second. */
const EXPLANATION_STEPS = 1_000_000;

/** How often packages are read because a plan makes use of them, until all are. */
const ROUNDS = 3;

/**
 * The steps that come before a bundle. Equal questions give equal plans, unless they end by the clock. Of all
 * plans: nothing is uninstalled, the fewest packages change, and each gets the best version, in the order in which
 * they are met.
 * @param known What was found out for other bundles of the same resolution, and what is left of its effort.
 */
export function planDependencies(
  question: DependencyQuestion,
  policy: Policy,
  known = nothingKnown({ ...MOST_EFFORT }),
): DependencyPlan {
  const universe = gatherUniverse(question, known, { thorough: false });
  const solution = universe === undefined ? 'effort' : solve(universe, policy, known);
  if (universe === undefined || solution === 'effort') return giveUp(known);
  if (solution === 'contradiction') return explain(universe, { question, policy, known });
  return { kind: 'possible', steps: orderSteps(universe, solution.chosen), best: solution.best };
}

/** The best solution that needs nothing which has not been read. */
function solve(universe: Universe, policy: Policy, known: Known): ReturnType<typeof findBest> {
  for (let round = 1; ; round++) {
    const encoding = encode(universe, policy, 'nothing');
    const solution = isSpent(known) ? 'effort' : findBest(encoding, known.effort);
    if (typeof solution === 'string') return solution;
    const unread = solution.chosen.filter((option) => option.unread === true);
    if (unread.length === 0) return solution;
    const all = round < ROUNDS ? unread : [...universe.packages.values()].flatMap(({ options }) => options);
    const names = all.filter((option) => option.unread === true).map((option) => option.package);
    if (!universe.read(names)) return 'effort';
  }
}

function giveUp(known: Known): DependencyPlan {
  const why = known.effort.options >= 0 && isSpent(known) ? 'tooLong' : 'tooLarge';
  return { kind: 'impossible', because: [{ kind: 'effort', why }] };
}

interface Circumstances {
  readonly question: DependencyQuestion;
  readonly policy: Policy;
  readonly known: Known;
}

/**
 * The facts without any one of which there would be a way; where that takes too long, some more of them. First the
 * packages are found that take part, then single facts about these: there are many thousands about all of them.
 */
function explain(found: Universe, { question, policy, known }: Circumstances): DependencyPlan {
  const universe = found.isThorough() ? found : gatherUniverse(question, known, { thorough: true });
  if (universe === undefined) return giveUp(known);
  if (universe === found) for (const { active } of found.packages.values()) known.effort.options -= active.size;
  const groups = isSpent(known) ? undefined : findGroups(universe, policy, known);
  const because = groups === undefined ? undefined : findFacts(encode(universe, policy, groups), known);
  return because === undefined ? giveUp(known) : { kind: 'impossible', because };
}

/** Groups of facts that cannot hold together. */
function findGroups(universe: Universe, policy: Policy, { effort }: Known): ReadonlySet<Group> | undefined {
  const { solver, groups } = encode(universe, policy, 'groups');
  const spend = createSpender(solver, effort, effort.steps);
  if (spend([...groups.keys()]) !== 'unsatisfiable') return undefined;
  return new Set(solver.failedAssumptions().flatMap((variable) => groups.get(variable) ?? []));
}

/** The facts of an encoding that cannot hold together, as few as can be found. */
function findFacts({ solver, facts }: Encoding, { effort }: Known): readonly Conflict[] | undefined {
  const spend = createSpender(solver, effort, EXPLANATION_STEPS);
  const holds = (part: ReadonlySet<number>): ReadonlySet<number> | undefined =>
    spend([...part]) === 'unsatisfiable' ? new Set(solver.failedAssumptions()) : undefined;
  const failed = holds(new Set(facts.keys()));
  if (failed === undefined) return undefined;
  const minimal = minimize(new Set([...failed].sort((a, b) => b - a)), holds) ?? new Set<number>();
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
      for (const other of candidates) {
        const isMet = (part: Requirement): boolean => universe.isMetBy(other, part);
        if (other !== option && takesPart(requirement, isMet)) found.add(other);
      }
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

function describeStep(option: Option, universe: Universe, neededBy: readonly string[]): readonly DependencyStep[] {
  const { bundle, catalog, channel, path } = option;
  if (bundle === undefined) return [];
  const kind = universe.packages.get(option.package)?.installed === undefined ? 'install' : 'upgrade';
  return [{ kind, package: option.package, bundle, catalog, channel: path.at(-1)?.channel ?? channel, path, neededBy }];
}
