/**
 * Decides which packages are installed or upgraded before a bundle: (bundle, catalogs, cluster) → steps in order, or
 * the smallest set of facts that rule every plan out. ask.ts calls it for bundles that depend on something, or that an
 * installed package depends on.
 *
 *   gather the packages that can matter → clauses → the best solution → steps, each after its own dependencies
 */
import type { Conflict, DependencyStep } from '../decision.ts';
import { minimize } from '../minimize.ts';
import { hopsOf } from '../paths.ts';
import { createSpender, isSpent } from './effort.ts';
import { encode, type EncodedUniverse } from './encode.ts';
import type { FactGroup } from './facts.ts';
import { PlanningMemory } from './memory.ts';
import type { DependencyQuestion, Option, Policy, Universe } from './model.ts';
import { findBest } from './optimize.ts';
import { takesPart, type Requirement } from './requirements.ts';
import { gatherUniverse } from './universe.ts';

/** The steps of a plan, or the facts that rule every plan out. */
export type DependencyPlan =
  | { readonly kind: 'possible'; readonly steps: readonly DependencyStep[]; readonly best: boolean }
  | { readonly kind: 'impossible'; readonly because: readonly Conflict[] };

/** Enough to reduce hundreds of facts to those that matter, within a fraction of a second. */
const EXPLANATION_STEPS = 1_000_000;

/** How many rounds read only the packages that a plan uses; the next round reads all of them. */
const ROUNDS = 3;

/**
 * The steps that come before a bundle. Equal questions give equal plans, unless a search ends by the clock. No plan
 * uninstalls anything. The best plan changes the fewest packages, and then gives each package its best version, in the
 * order in which the search met them.
 * @param memory Shared by all bundles of one resolution, with the effort that is left for it.
 */
export function planDependencies(
  question: DependencyQuestion,
  policy: Policy,
  memory = new PlanningMemory(),
): DependencyPlan {
  const universe = gatherUniverse(question, memory, { thorough: false });
  const solution = universe === undefined ? 'effort' : solve(universe, policy, memory);
  if (universe === undefined || solution === 'effort') return giveUp(memory);
  if (solution === 'contradiction') return explain(universe, { question, policy, memory });
  return { kind: 'possible', steps: orderSteps(universe, solution.chosen), best: solution.best };
}

/** The best solution among packages that have been read; reads those that a solution uses, and searches again. */
function solve(universe: Universe, policy: Policy, memory: PlanningMemory): ReturnType<typeof findBest> {
  for (let round = 1; ; round++) {
    const encoding = encode(universe, policy, 'none');
    const solution = isSpent(memory.effort) ? 'effort' : findBest(encoding, memory.effort);
    if (typeof solution === 'string') return solution;
    const unread = solution.chosen.filter((option) => option.unread === true);
    if (unread.length === 0) return solution;
    const all = round < ROUNDS ? unread : [...universe.packages.values()].flatMap(({ options }) => options);
    const names = all.filter((option) => option.unread === true).map((option) => option.package);
    if (!universe.read(names)) return 'effort';
  }
}

function giveUp(memory: PlanningMemory): DependencyPlan {
  const why = memory.effort.options >= 0 && isSpent(memory.effort) ? 'tooLong' : 'tooLarge';
  return { kind: 'impossible', because: [{ kind: 'effort', why }] };
}

interface PlanFacts {
  readonly question: DependencyQuestion;
  readonly policy: Policy;
  readonly memory: PlanningMemory;
}

/**
 * The facts that rule every plan out: without any one of them there would be a plan, unless reducing them takes too
 * long. The first search finds the packages that take part, the second one single facts about these: all packages
 * together have many thousands of facts.
 */
function explain(found: Universe, { question, policy, memory }: PlanFacts): DependencyPlan {
  const universe = found.isThorough() ? found : gatherUniverse(question, memory, { thorough: true });
  if (universe === undefined) return giveUp(memory);
  if (universe === found) for (const { active } of found.packages.values()) memory.effort.options -= active.size;
  const groups = isSpent(memory.effort) ? undefined : findGroups(universe, policy, memory);
  const because = groups === undefined ? undefined : findFacts(encode(universe, policy, groups), memory);
  return because === undefined ? giveUp(memory) : { kind: 'impossible', because };
}

/** Groups of facts that cannot hold together; undefined if the effort runs out. */
function findGroups(
  universe: Universe,
  policy: Policy,
  { effort }: PlanningMemory,
): ReadonlySet<FactGroup> | undefined {
  const { solver, groups } = encode(universe, policy, 'groups');
  const spend = createSpender(solver, effort, effort.steps);
  if (spend([...groups.keys()]) !== 'unsatisfiable') return undefined;
  return new Set(solver.failedAssumptions().flatMap((variable) => groups.get(variable) ?? []));
}

/** The facts of an encoding that cannot hold together, as few as possible; undefined if the effort runs out. */
function findFacts({ solver, facts }: EncodedUniverse, { effort }: PlanningMemory): readonly Conflict[] | undefined {
  const spend = createSpender(solver, effort, EXPLANATION_STEPS);
  const holds = (part: ReadonlySet<number>): ReadonlySet<number> | undefined =>
    spend([...part]) === 'unsatisfiable' ? new Set(solver.failedAssumptions()) : undefined;
  const failed = holds(new Set(facts.keys()));
  if (failed === undefined) return undefined;
  const minimal = minimize(new Set([...failed].sort((a, b) => b - a)), holds) ?? new Set<number>();
  return [...facts].filter(([variable]) => minimal.has(variable)).map(([, describe]) => describe());
}

/** Orders steps so that each follows its own dependencies; a circle is entered at the package that was met first. */
function orderSteps(universe: Universe, chosen: readonly Option[]): readonly DependencyStep[] {
  const needs = findNeeds(universe, chosen);
  const neededBy = new Map<Option, string[]>(chosen.map((option) => [option, []]));
  for (const option of chosen) for (const other of needs.get(option) ?? []) neededBy.get(other)?.push(option.package);
  return orderByNeed([universe.root, ...chosen], needs).flatMap((option) =>
    option === universe.root ? [] : describeStep(option, universe, neededBy.get(option) ?? []),
  );
}

/** The other options that each option needs, in their order. */
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

/** Depth first, each option after its dependencies; without recursion, because a chain may be long. */
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
  const { bundle, catalog, way } = option;
  if (bundle === undefined) return [];
  const installed = universe.packages.get(option.package)?.installed;
  const kind = installed === undefined ? 'install' : 'upgrade';
  const path = way === undefined || installed === undefined ? [] : hopsOf(way, installed.bundle);
  const channel = way?.entry.channel ?? option.channel;
  return [{ kind, package: option.package, bundle, catalog, channel, path, neededBy }];
}
