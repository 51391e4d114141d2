import { Cadical } from 'cadical-wasm';
import { expect, test } from 'vitest';
import type { Conflict, DependencyStep } from '../decision.ts';
import {
  areRivals,
  demandsOf,
  isAllowed,
  kindsOf,
  plainProblem,
  type Item,
  type PlainProblem,
} from '../testing/plain-planner.ts';
import { byExtent } from '../../e2e/lib/sample.ts';
import { randomQuestion } from '../testing/random-catalogs.ts';
import { kindKey, type Requirement } from './requirements.ts';
import { parseBundleVersion } from '../version.ts';
import { PlanningMemory } from './memory.ts';
import type { DependencyQuestion, Option, Policy } from './model.ts';
import { meets } from './options.ts';
import { planDependencies } from './plan.ts';
import { gatherUniverse } from './universe.ts';

const LARGE = { packages: 8, versions: 4, kinds: 3, installed: 3 };
const SMALL = { packages: 6, versions: 3, kinds: 3, installed: 2 };

/** Of the random catalogs one of that many is tried: the first ones, as each is drawn by its number. */
const EVERY = byExtent({ all: 1, sample: 16 });

test('random catalogs, 10,000 of them in all: there is a plan exactly if an established solver finds one, and it holds', async () => {
  const counts = { possible: 0, impossible: 0, stepsTaken: 0 };
  for (let seed = 1; seed <= 10_000 / EVERY; seed++) {
    const policy: Policy = seed % 7 === 0 ? 'Require' : 'Install';
    const question = randomQuestion(seed, LARGE);
    const problem = plainProblem(question, policy);
    const plan = planDependencies(question, policy);
    const possible = await isPossible(problem);
    if ((plan.kind === 'possible') !== possible) expect({ seed, plan }).toEqual({ seed, possible });
    counts[plan.kind]++;
    if (plan.kind === 'impossible') continue;
    counts.stepsTaken += plan.steps.length;
    if (!isAllowed(problem, choiceOf(problem, plan.steps))) expect({ seed, plan }).toBe('allowed');
  }
  process.stdout.write(`dependency plans: ${JSON.stringify(counts)}\n`);
  expect(Math.min(counts.possible, counts.impossible, counts.stepsTaken)).toBeGreaterThan(900 / EVERY);
}, 240_000);

test('no other plan is better: all are tried if there are few', () => {
  let compared = 0;
  for (let seed = 1; seed <= 1500 / EVERY; seed++) {
    const question = randomQuestion(seed, SMALL);
    const plan = planDependencies(question, 'Install');
    const best = bestByTrying(question);
    if (plan.kind === 'impossible') expect({ seed, best }).toEqual({ seed, best: undefined });
    else {
      compared++;
      const names = plan.steps.map(({ catalog, bundle }) => `${catalog}/${bundle.name}`).sort();
      expect({ seed, names, best: plan.best }).toEqual({ seed, names: best, best: true });
    }
  }
  expect(compared).toBeGreaterThan(300 / EVERY);
});

test('a refusal is minimal: its facts cannot hold together, and without any one of them they can', async () => {
  const sizes: Record<number, number> = {};
  for (let seed = 1; seed <= 1500 / EVERY; seed++) {
    const policy: Policy = seed % 7 === 0 ? 'Require' : 'Install';
    const question = randomQuestion(seed, LARGE);
    const plan = planDependencies(question, policy);
    if (plan.kind === 'possible') continue;
    const keys = plan.because.map(keyOf);
    sizes[keys.length] = (sizes[keys.length] ?? 0) + 1;
    const only = (kept: readonly string[]): Promise<boolean> =>
      isPossible(plainProblem(question, policy, (key) => kept.includes(key)));
    expect({ seed, keys, possible: await only(keys) }).toEqual({ seed, keys, possible: false });
    for (const key of keys) {
      const possible = await only(keys.filter((one) => one !== key));
      if (!possible) expect({ seed, keys, without: key, possible }).toBe('possible');
    }
  }
  process.stdout.write(`dependency refusals by number of facts: ${JSON.stringify(sizes)}\n`);
  expect(Object.keys(sizes).length).toBeGreaterThan(2);
}, 120_000);

test('a plan installs only what is needed', () => {
  for (let seed = 1; seed <= 3000 / EVERY; seed++) {
    const plan = planDependencies(randomQuestion(seed, LARGE), 'Install');
    if (plan.kind === 'impossible') continue;
    const names = plan.steps.map((step) => step.package);
    expect(new Set(names).size).toBe(names.length);
    const idle = plan.steps.filter((step) => step.kind === 'install' && step.neededBy.length === 0);
    expect({ seed, idle }).toEqual({ seed, idle: [] });
  }
});

test('each step follows its own dependencies, except in circles', () => {
  let compared = 0;
  for (let seed = 1; seed <= 5000 / EVERY; seed++) {
    const plan = planDependencies(randomQuestion(seed, { ...LARGE, installed: 0 }), 'Install');
    if (plan.kind === 'impossible') continue;
    const { steps } = plan;
    const names = steps.map((step) => step.package);
    if (steps.some(({ bundle }) => JSON.stringify(bundle.properties).includes('p0'))) continue;
    compared += steps.length > 1 ? 1 : 0;
    const early = steps.filter(({ neededBy }, at) =>
      neededBy.some((name) => names.includes(name) && names.indexOf(name) < at && !isCircle(steps, name)),
    );
    expect({ seed, early }).toEqual({ seed, early: [] });
  }
  expect(compared).toBeGreaterThan(50 / EVERY);
});

/** Whether a package needs, by way of others, itself. */
function isCircle(steps: readonly DependencyStep[], name: string): boolean {
  const needing = (one: string): readonly string[] => steps.find((step) => step.package === one)?.neededBy ?? [];
  const seen = new Set(needing(name));
  for (const one of seen) for (const other of needing(one)) seen.add(other);
  return seen.has(name);
}

function keyOf(fact: Conflict): string {
  switch (fact.kind) {
    case 'requires':
      return `requires ${fact.package} ${JSON.stringify(fact.need)}`;
    case 'keeps':
    case 'barred':
      return `${fact.kind} ${fact.package}`;
    case 'provider':
      return `provider ${kindKey(fact.gvk)}`;
    case 'mustBeThere':
      return 'policy';
    default:
      throw new Error(`unexpected fact ${fact.kind}`);
  }
}

function choiceOf({ items, root, current }: PlainProblem, steps: readonly DependencyStep[]): readonly Item[] {
  const taken = steps.map((step) => items.find(({ id }) => id === `${step.catalog}/${step.bundle.name}`));
  const changed = new Set([root.package, ...steps.map((step) => step.package)]);
  return [root, ...taken.filter((item) => item !== undefined), ...current.filter((item) => !changed.has(item.package))];
}

/** All clauses that the plain meaning has, given to an established solver. */
async function isPossible(problem: PlainProblem): Promise<boolean> {
  const { items, root, kept, served } = problem;
  using solver = await Cadical.create();
  solver.ensureVars(items.length);
  let last = items.length;
  const name = (item: Item): number => items.indexOf(item) + 1;
  const equals = (parts: readonly number[]): number => {
    const literal = ++last;
    solver.addClause([-literal, ...parts]);
    for (const part of parts) solver.addClause([literal, -part]);
    return literal;
  };
  const holds = (requirement: Requirement): number => {
    if (requirement.kind === 'any') return equals(requirement.of.map(holds));
    if (requirement.kind === 'all') return -equals(requirement.of.map((part) => -holds(part)));
    if (requirement.kind === 'not') return -equals(requirement.of.map(holds));
    if (requirement.kind === 'gvk' && served.has(kindKey(requirement.gvk))) return -equals([]);
    return equals(items.filter((item) => meets(asOption(item), requirement)).map(name));
  };
  solver.addClause([name(root)]);
  for (const one of kept) solver.addClause(items.filter((item) => item.package === one).map(name));
  for (const a of items) {
    for (const requirement of demandsOf(a, problem)) solver.addClause([-name(a), holds(requirement)]);
    for (const b of items) {
      if (name(a) < name(b) && (a.package === b.package || areRivals(a, b, problem)))
        solver.addClause([-name(a), -name(b)]);
    }
  }
  return solver.solve() === 'satisfiable';
}

function asOption(item: Item): Parameters<typeof meets>[0] {
  const version = parseBundleVersion(item.version);
  return {
    package: item.package,
    version: version.ok ? version.value : undefined,
    properties: item.properties,
    kinds: new Set(kindsOf(item)),
  };
}

/** Tries every combination: the fewest changes, then for one package after another the option that comes first. */
function bestByTrying(question: DependencyQuestion): readonly string[] | undefined {
  const problem = plainProblem(question, 'Install');
  const universe = gatherUniverse(question, new PlanningMemory(), { thorough: false });
  universe?.read([...universe.packages.keys()]);
  const order = [...(universe?.packages.keys() ?? [])];
  const packages = [...new Set([...order, ...problem.items.map((item) => item.package)])];
  const ranks = new Map(
    [...(universe?.packages.values() ?? [])].flatMap(({ options }) =>
      options.map((option, rank): [string, number] => [idOf(option), rank]),
    ),
  );
  let best: { readonly chosen: readonly Item[]; readonly cost: readonly number[] } | undefined;
  const visit = (at: number, chosen: readonly Item[]): void => {
    const name = packages[at];
    if (name === undefined) {
      const cost = [
        chosen.filter((item) => !item.current).length,
        ...packages.map((one) => ranks.get(chosen.find((item) => item.package === one)?.id ?? '') ?? 1000),
      ];
      if ((best === undefined || isBefore(cost, best.cost)) && isAllowed(problem, chosen)) best = { chosen, cost };
      return;
    }
    for (const item of problem.items) if (item.package === name) visit(at + 1, [...chosen, item]);
    if (name !== problem.root.package && !problem.kept.includes(name)) visit(at + 1, chosen);
  };
  visit(0, []);
  return best?.chosen
    .filter((item) => !item.current && item !== problem.root)
    .map(({ id }) => id)
    .sort();
}

function idOf(option: Option): string {
  return option.bundle === undefined ? option.name : `${option.catalog}/${option.name}`;
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}
