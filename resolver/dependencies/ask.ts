/**
 * Answers, for each bundle that a resolution considers, whether its dependencies can be satisfied, and by which steps.
 * resolve.ts makes one oracle for each resolution: `createDependencyOracle(input).problem(bundle, catalog)`.
 */
import { ReasonedError } from '../../api/errors.ts';
import type { CatalogBundle, GroupVersionKind } from '../../catalog/model.ts';
import type { Cause, DependencyStep } from '../decision.ts';
import type { GraphBundle } from '../graph.ts';
import type { CatalogSource, ClusterFacts, ResolveInput } from '../input.ts';
import { failsDependents } from './coming.ts';
import { MOST_EFFORT } from './effort.ts';
import { PlanningMemory } from './memory.ts';
import { OpenWays } from './open-ways.ts';
import { planDependencies, type DependencyPlan } from './plan.ts';
import { hasRequirements, kindKey, parseRequirements, providedKinds, type Requirement } from './requirements.ts';

export interface DependencyOracle {
  /** Why the dependencies of a bundle cannot be satisfied; undefined if they can. */
  readonly problem: (bundle: GraphBundle, catalog: string) => Cause | undefined;
  /** Whether a bundle has that problem because it must wait for an upgrade of another package; costs no search. */
  readonly wayProblem: (bundle: GraphBundle, catalog: string) => Cause | undefined;
  /** The steps that come before a bundle that has no problem. */
  readonly steps: (bundle: CatalogBundle, catalog: string) => readonly DependencyStep[];
}

const NO_STEPS: DependencyPlan = { kind: 'possible', steps: [], best: true };

/** An oracle for one resolution; it makes at most one plan for each bundle. */
export function createDependencyOracle(input: ResolveInput): DependencyOracle {
  const plans = new Map<CatalogBundle, DependencyPlan>();
  const catalogs = input.catalogs.map(forgive);
  const quarantined = new Set(input.quarantined);
  const ways = new OpenWays(input, catalogs);
  const memory = new PlanningMemory({
    ...MOST_EFFORT,
    ...(input.expired !== undefined && { expired: input.expired }),
  });

  function planFor(bundle: CatalogBundle, catalog: string): DependencyPlan {
    const before = plans.get(bundle);
    if (before !== undefined) return before;
    const plan = makePlan(bundle, catalog, { input, catalogs, quarantined, memory });
    plans.set(bundle, plan);
    return plan;
  }

  return {
    problem: (one, catalog) => {
      const { bundle } = one;
      if (input.wanted.dependencies === 'Ignore') return undefined;
      const parsed = parseRequirements(bundle.properties, memory.requirements);
      if (!parsed.ok) return { kind: 'requirementInvalid', problem: parsed.problem };
      const dependents = { coming: [], packages: [], ...input.cluster, installed: input.installed };
      const failed = failsDependents(bundle, dependents) ?? ways.problem(one, catalog);
      if (failed !== undefined) return failed;
      const plan = planFor(bundle, catalog);
      return plan.kind === 'possible' ? undefined : { kind: 'dependency', because: plan.because };
    },
    wayProblem: (one, catalog) => (input.wanted.dependencies === 'Ignore' ? undefined : ways.problem(one, catalog)),
    steps: (bundle, catalog) => {
      const plan = planFor(bundle, catalog);
      return plan.kind === 'possible' ? plan.steps : [];
    },
  };
}

/**
 * A damaged catalog offers no dependencies: the search for the package itself reports the damage. The providers of a
 * kind are read once.
 */
export function forgive(source: CatalogSource): CatalogSource {
  const { content, packages, providersOf } = source;
  const providers = new Map<string, readonly string[]>();
  const ask = (kind: GroupVersionKind): readonly string[] => {
    const key = kindKey(kind);
    const known = providers.get(key) ?? orUndefined(() => providersOf?.(kind)) ?? [];
    providers.set(key, known);
    return known;
  };
  return {
    ...source,
    content: (name) => orUndefined(() => content(name)),
    ...(packages !== undefined && { packages: () => orUndefined(packages) ?? [] }),
    ...(providersOf !== undefined && { providersOf: ask }),
  };
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReasonedError) return undefined;
    throw error;
  }
}

interface PlanningScope {
  readonly input: ResolveInput;
  readonly catalogs: readonly CatalogSource[];
  readonly quarantined: ReadonlySet<string>;
  readonly memory: PlanningMemory;
}

/** Most bundles have no dependencies and concern no installed package: they need no search. */
function makePlan(bundle: CatalogBundle, catalog: string, { input, memory, ...scope }: PlanningScope): DependencyPlan {
  const { wanted } = input;
  if (wanted.dependencies === 'Ignore') return NO_STEPS;
  if (wanted.dependencies === 'Require' && input.cluster === undefined) return NO_STEPS;
  const cluster: ClusterFacts = input.cluster ?? { providedKinds: [] };
  if (!hasRequirements(bundle.properties) && !isConnected(bundle, wanted.package, { cluster, memory })) return NO_STEPS;
  const root = { package: wanted.package, catalog, bundle };
  return planDependencies({ ...scope, root, cluster }, wanted.dependencies, memory);
}

/** Whether another installed package depends on a package, or provides a kind that the bundle provides too. */
function isConnected(
  bundle: CatalogBundle,
  name: string,
  { cluster, memory }: { readonly cluster: ClusterFacts; readonly memory: PlanningMemory },
): boolean {
  const { packages = [] } = cluster;
  const before = packages.filter((one) => one.package === name).flatMap(({ properties }) => providedKinds(properties));
  const own = providedKinds(bundle.properties);
  const kinds = new Set([...before, ...own].map(kindKey));
  const ownKinds = new Set(own.map(kindKey));
  return packages.some(({ package: other, properties }) => {
    if (other === name) return false;
    const parsed = parseRequirements(properties, memory.requirements);
    const concerns = parsed.ok && parsed.value.some((requirement) => isAbout(requirement, name, kinds));
    return concerns || providedKinds(properties).some((kind) => ownKinds.has(kindKey(kind)));
  });
}

function isAbout(requirement: Requirement, name: string, kinds: ReadonlySet<string>): boolean {
  switch (requirement.kind) {
    case 'package':
      return requirement.package === name;
    case 'gvk':
      return kinds.has(kindKey(requirement.gvk));
    case 'cel':
      return true;
    default:
      return requirement.of.some((part) => isAbout(part, name, kinds));
  }
}
