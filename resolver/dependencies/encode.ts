/**
 * Translates a universe into clauses: what is demanded of the options that literals.ts has given variables. Every fact
 * that a person could change can be told apart, so that a contradiction comes back as a set of facts. What is logic (one
 * version of a package at a time) is none.
 */
import type { Cause, Conflict, RefusedCandidate } from '../decision.ts';
import type { SatSolver } from '../solver/sat.ts';
import { createLiterals, type EncodedOption, type EncodedPackage, type Literals } from './literals.ts';
import type { Option } from './options.ts';
import { needOf, type Requirement } from './requirements.ts';
import type { PackageNode, Universe } from './universe.ts';

/** A universe as clauses. */
export interface Encoding {
  readonly solver: SatSolver;
  /** Facts by the variable that must be assumed for them to count; described where somebody wants to know. */
  readonly facts: ReadonlyMap<number, () => Conflict>;
  /** Instead of single facts, the groups of them. */
  readonly groups: ReadonlyMap<number, Group>;
  readonly packages: readonly EncodedPackage[];
}

/** How a policy limits what may be done about dependencies. */
export type Policy = 'Install' | 'Require';

/** Facts that belong together: those about one package, that one kind has one provider, or the policy. */
export type Group = `package ${string}` | `kind ${string}` | 'policy';

/**
 * What is told apart of the facts. Nothing: all of them count, which is solved fastest. Their groups: those of which a
 * contradiction is made can be named. The facts of some groups: no others count.
 */
export type Telling = 'nothing' | 'groups' | ReadonlySet<Group>;

/** The clauses of a universe under a policy. */
export function encode(universe: Universe, policy: Policy, telling: Telling): Encoding {
  const literals = createLiterals(universe);
  const { solver, packages } = literals;
  const writer = { ...literals, ...createSelectors(literals, telling), universe };
  if (typeof telling === 'string') for (const node of universe.packages.values()) literals.declare(node);
  for (const node of universe.packages.values()) {
    if (!writer.counts(`package ${node.name}`)) continue;
    const one = literals.declare(node);
    limitToInstalled(one, writer);
    limitToAllowed(one, writer);
    encodeRequirements(one, writer);
  }
  encodeProviders(writer);
  if (policy === 'Require' && writer.counts('policy')) limitToPresent(writer);
  solver.addClause([literals.variableOf(universe.root)]);
  return { solver, facts: writer.facts, groups: writer.groups, packages: [...packages.values()] };
}

interface Selectors {
  readonly tellsNothing: boolean;
  readonly facts: Map<number, () => Conflict>;
  readonly groups: Map<number, Group>;
  readonly counts: (group: Group) => boolean;
  /** The variable that must be assumed for a fact of a group to count. */
  readonly selector: (group: Group, describe: () => Conflict) => number;
}

interface Writer extends Literals, Selectors {
  readonly universe: Universe;
}

function createSelectors({ solver, always }: Literals, telling: Telling): Selectors {
  const facts = new Map<number, () => Conflict>();
  const groups = new Map<number, Group>();
  const byGroup = new Map<Group, number>();

  function selectorOfGroup(group: Group): number {
    const before = byGroup.get(group);
    if (before !== undefined) return before;
    const variable = solver.addVariable(true);
    byGroup.set(group, variable);
    groups.set(variable, group);
    return variable;
  }

  function selectorOfFact(describe: () => Conflict): number {
    const variable = solver.addVariable(true);
    facts.set(variable, describe);
    return variable;
  }

  return {
    tellsNothing: telling === 'nothing',
    facts,
    groups,
    counts: (group) => typeof telling === 'string' || telling.has(group),
    selector: (group, describe) =>
      telling === 'nothing' ? always : telling === 'groups' ? selectorOfGroup(group) : selectorOfFact(describe),
  };
}

/** What is installed stays, or moves along its graph where it was installed as a dependency; it never goes. */
function limitToInstalled({ node, options }: EncodedPackage, { solver, selector }: Writer): void {
  const { installed } = node;
  const [current] = options;
  if (installed === undefined || current === undefined) return;
  const { bundle, version, subscription, dependency: movable } = installed;
  const keeps = selector(`package ${node.name}`, () => ({
    kind: 'keeps',
    package: node.name,
    bundle,
    version,
    ...(subscription !== undefined && { subscription }),
    movable,
  }));
  solver.addClause([
    -keeps,
    ...options
      .filter(({ option }) => option === current.option || (movable && option.reachable))
      .map(({ chosen }) => chosen),
  ]);
}

/** Nothing that the cluster or the quarantine rules out, nor what cannot be read. */
function limitToAllowed({ node, options }: EncodedPackage, { universe, solver, selector }: Writer): void {
  const barred = options.flatMap(({ option, chosen }) => {
    const cause = causeAgainst(option, universe);
    return cause === undefined ? [] : [{ option, chosen, cause }];
  });
  if (barred.length === 0) return;
  const allowed = selector(`package ${node.name}`, () => ({
    kind: 'barred',
    package: node.name,
    causes: barred.map(({ option, cause }) => describeBarred(option, cause)),
  }));
  for (const { chosen } of barred) solver.addClause([-allowed, -chosen]);
}

function causeAgainst(option: Option, universe: Universe): Cause | undefined {
  if (option.barred !== undefined || option.bundle === undefined) return option.barred;
  const parsed = universe.requirementsOf(option);
  return parsed.ok ? undefined : { kind: 'requirementInvalid', problem: parsed.problem };
}

function describeBarred({ name, text, catalog }: Option, cause: Cause): RefusedCandidate {
  return { bundle: name, version: text, catalog, cause };
}

/** Nothing that is not installed already. */
function limitToPresent({ packages, universe: { root }, solver, selector }: Writer): void {
  const policy = selector('policy', () => ({ kind: 'mustBeThere' }));
  for (const { option, chosen } of [...packages.values()].flatMap(({ options }) => options)) {
    if ((option.bundle !== undefined || option.unread === true) && option !== root)
      solver.addClause([-policy, -chosen]);
  }
}

/**
 * Choosing an option demands what it depends on. What is installed demands only what it has now. That the versions of
 * a package need the same is one fact.
 */
function encodeRequirements({ node, options }: EncodedPackage, writer: Writer): void {
  const { universe, solver, selector, requires } = writer;
  const needing = new Map<Requirement, { readonly counts: number; readonly bundles: Set<string> }>();
  for (const { option, chosen } of options) {
    const parsed = universe.requirementsOf(option);
    for (const requirement of parsed.ok ? parsed.value : []) {
      if (option.bundle === undefined && !universe.isMetNow(requirement)) continue;
      let fact = needing.get(requirement);
      if (fact === undefined) {
        const bundles = new Set<string>();
        fact = {
          bundles,
          counts: selector(`package ${node.name}`, () => describeNeed(node, bundles, { requirement, universe })),
        };
        needing.set(requirement, fact);
      }
      fact.bundles.add(option.name);
      solver.addClause([-fact.counts, -chosen, requires(requirement)]);
    }
  }
  if (writer.tellsNothing) bringAlong(options, writer);
}

/** Where all versions of a package need another one, it is said of the package too: more follows without a search. */
function bringAlong(options: readonly EncodedOption[], { universe, onlyPackage, solver }: Writer): void {
  const needing = new Map<number, number>();
  for (const { option } of options) {
    const parsed = universe.requirementsOf(option);
    const requirements = option.bundle !== undefined && parsed.ok ? parsed.value : [];
    const needed = new Set(requirements.flatMap((requirement) => onlyPackage(requirement) ?? []));
    for (const present of needed) needing.set(present, (needing.get(present) ?? 0) + 1);
  }
  const own = options.at(-1)?.upToHere;
  for (const [present, count] of needing)
    if (own !== undefined && count === options.length) solver.addClause([-own, present]);
}

function describeNeed(
  node: PackageNode,
  bundles: ReadonlySet<string>,
  { requirement, universe }: { readonly requirement: Requirement; readonly universe: Universe },
): Conflict {
  const need = needOf(requirement);
  return {
    kind: 'requires',
    package: node.name,
    bundles: [...bundles],
    need,
    offered: offeredFor(requirement, universe),
  };
}

/** The versions of a required package that there are, the preferred first. */
function offeredFor(requirement: Requirement, { packages }: Universe): readonly string[] {
  if (requirement.kind !== 'package') return [];
  return [...new Set((packages.get(requirement.package)?.options ?? []).map(({ text }) => text))];
}

/** At most one package provides a kind; those that are installed side by side already are left alone. */
function encodeProviders({ universe, solver, selector, counts, variableOf }: Writer): void {
  for (const [key, nodes] of providersByKind(universe)) {
    if (nodes.length < 2 || !counts(`kind ${key}`)) continue;
    const provides = (name: string): boolean => universe.current.get(name)?.kinds.has(key) === true;
    const ordered = nodes.toSorted((a, b) => Number(provides(b.name)) - Number(provides(a.name)));
    const only = selector(`kind ${key}`, () => ({
      kind: 'provider',
      gvk: kindOf(key),
      packages: ordered.map(({ name }) => name),
    }));
    let before: number | undefined;
    for (const node of ordered) {
      const upToHere = solver.addVariable();
      if (before !== undefined) solver.addClause([-before, upToHere]);
      for (const option of node.active) {
        if (!option.kinds.has(key) || isGuest(option, node)) continue;
        solver.addClause([-variableOf(option), upToHere]);
        if (before !== undefined && !provides(node.name)) solver.addClause([-only, -variableOf(option), -before]);
      }
      before = upToHere;
    }
  }
}

/** What a Subscription without a say here has installed: that it provides a kind rules out no other provider. */
function isGuest({ bundle, unread }: Option, { installed }: PackageNode): boolean {
  return bundle === undefined && unread !== true && installed === undefined;
}

function providersByKind({ packages }: Universe): ReadonlyMap<string, readonly PackageNode[]> {
  const providers = new Map<string, PackageNode[]>();
  for (const node of packages.values()) {
    const keys = new Set<string>();
    for (const { kinds } of node.active) for (const key of kinds) keys.add(key);
    for (const key of keys) {
      const nodes = providers.get(key);
      if (nodes === undefined) providers.set(key, [node]);
      else nodes.push(node);
    }
  }
  return providers;
}

function kindOf(key: string): { readonly group: string; readonly version: string; readonly kind: string } {
  const [kind = '', version = '', ...group] = key.split('.');
  return { group: group.join('.'), version, kind };
}
