/**
 * Translates a universe into clauses. Every fact that a person could change has a selector of its own, so that a
 * contradiction comes back as a set of facts. What is logic (one version of a package at a time) has none.
 */
import type { Cause, Conflict, RefusedCandidate } from '../decision.ts';
import { SatSolver } from '../solver/sat.ts';
import { kindKey, needOf, type Requirement } from './requirements.ts';
import type { Option } from './options.ts';
import type { PackageNode, Universe } from './universe.ts';

/** A universe as clauses. */
export interface Encoding {
  readonly solver: SatSolver;
  /** Facts by the variable that must be assumed for them to count; described where somebody wants to know. */
  readonly facts: ReadonlyMap<number, () => Conflict>;
  readonly packages: readonly EncodedPackage[];
}

export interface EncodedPackage {
  readonly node: PackageNode;
  readonly options: readonly EncodedOption[];
  /** Literal that holds where the package is changed: newly installed, or not what it was. */
  readonly changed: number;
}

export interface EncodedOption {
  readonly option: Option;
  readonly chosen: number;
  /** Holds where this option or one before it is chosen. */
  readonly upToHere: number;
}

/** How a policy limits what may be done about dependencies. */
export type Policy = 'Install' | 'Require';

/**
 * The clauses of a universe under a policy. Without selectors all facts count, which is solved faster; a contradiction
 * is then not explained.
 */
export function encode(universe: Universe, policy: Policy, { explained }: { readonly explained: boolean }): Encoding {
  const writer = createWriter(universe, explained);
  const packages = [...universe.packages.values()].map((node) => writer.declare(node));
  const byName = new Map(packages.map((one) => [one.node.name, one]));
  for (const one of packages) {
    limitToInstalled(one, writer);
    limitToAllowed(one, { universe, writer });
    encodeRequirements(one, { universe, writer });
  }
  if (policy === 'Require') limitToPresent(packages, universe.root, writer);
  encodeProviders(universe, writer);
  const root = byName.get(universe.root.package)?.options.find(({ option }) => option === universe.root);
  if (root === undefined) throw new Error('the universe has no root');
  writer.solver.addClause([root.chosen]);
  return { solver: writer.solver, facts: writer.facts, packages };
}

interface Writer {
  readonly solver: SatSolver;
  readonly facts: Map<number, () => Conflict>;
  readonly declare: (node: PackageNode) => EncodedPackage;
  readonly variableOf: (option: Option) => number;
  /** A selector: the variable that must be assumed for a fact to count. */
  readonly selector: (describe: () => Conflict) => number;
  readonly requires: (requirement: Requirement) => number;
  /** Holds where a package is there; only where a requirement can be met by no other. */
  readonly onlyPackage: (requirement: Requirement) => number | undefined;
  readonly explained: boolean;
}

function createWriter(universe: Universe, explained: boolean): Writer {
  const solver = new SatSolver();
  const variables = new Map<Option, number>();
  const declared = new Map<string, EncodedPackage>();
  const facts = new Map<number, () => Conflict>();
  const onlyPackages = new Map<Requirement, number>();
  const literals = { true: new Map<Requirement, number>(), false: new Map<Requirement, number>() };
  const always = solver.addVariable(true);
  solver.addClause([always]);

  function declare(node: PackageNode): EncodedPackage {
    const active = node.options.filter((option) => node.active.has(option));
    const options = encodeOrder(active, solver);
    for (const { option, chosen } of options) variables.set(option, chosen);
    const current = node.installed === undefined ? undefined : options[0];
    const changed = current === undefined ? (options.at(-1)?.upToHere ?? -always) : -current.chosen;
    const encoded = { node, options, changed };
    declared.set(node.name, encoded);
    return encoded;
  }

  function variableOf(option: Option): number {
    const variable = variables.get(option);
    if (variable === undefined) throw new Error(`option ${option.name} is not declared`);
    return variable;
  }

  function selector(describe: () => Conflict): number {
    if (!explained) return always;
    const variable = solver.addVariable(true);
    facts.set(variable, describe);
    return variable;
  }

  /** A literal from which a requirement (or, with `holds` false, its opposite) follows. */
  function literalFor(requirement: Requirement, holds: boolean): number {
    const known = literals[`${holds}`].get(requirement);
    if (known !== undefined) return known;
    const literal = holds ? writeHolds(requirement) : writeFails(requirement);
    literals[`${holds}`].set(requirement, literal);
    return literal;
  }

  function writeHolds(requirement: Requirement): number {
    switch (requirement.kind) {
      case 'all':
        return conjunction(requirement.of.map((part) => literalFor(part, true)));
      case 'any':
        return disjunction(requirement.of.map((part) => literalFor(part, true)));
      case 'not':
        return conjunction(requirement.of.map((part) => literalFor(part, false)));
      default:
        return isServed(requirement) ? always : oneOf(requirement, universe.matching(requirement, true));
    }
  }

  function writeFails(requirement: Requirement): number {
    switch (requirement.kind) {
      case 'all':
        return disjunction(requirement.of.map((part) => literalFor(part, false)));
      case 'any':
        return conjunction(requirement.of.map((part) => literalFor(part, false)));
      case 'not':
        return disjunction(requirement.of.map((part) => literalFor(part, true)));
      default:
        return isServed(requirement)
          ? -always
          : conjunction(universe.matching(requirement, false).map((option) => -variableOf(option)));
    }
  }

  /** Where all options are of one package, it is said too that the package is there: more follows without a search. */
  function oneOf(requirement: Requirement, options: readonly Option[]): number {
    const literal = disjunction(options.map(variableOf));
    const name = options[0]?.package;
    const present = name === undefined ? undefined : declared.get(name)?.options.at(-1)?.upToHere;
    if (present !== undefined && options.every((option) => option.package === name)) {
      solver.addClause([-literal, present]);
      onlyPackages.set(requirement, present);
    }
    return literal;
  }

  function isServed(requirement: Requirement): boolean {
    return requirement.kind === 'gvk' && universe.servedKinds.has(kindKey(requirement.gvk));
  }

  function conjunction(parts: readonly number[]): number {
    const literal = solver.addVariable();
    for (const part of parts) solver.addClause([-literal, part]);
    return literal;
  }

  function disjunction(parts: readonly number[]): number {
    const literal = solver.addVariable();
    solver.addClause([-literal, ...parts]);
    return literal;
  }

  return {
    solver,
    facts,
    declare,
    variableOf,
    selector,
    requires: (requirement) => literalFor(requirement, true),
    onlyPackage: (requirement) => onlyPackages.get(requirement),
    explained,
  };
}

/** At most one option is chosen; the helpers in between say how far down the list it is. */
function encodeOrder(options: readonly Option[], solver: SatSolver): readonly EncodedOption[] {
  let before: number | undefined;
  return options.map((option) => {
    const chosen = solver.addVariable();
    const upToHere = solver.addVariable();
    solver.addClause([-chosen, upToHere]);
    if (before === undefined) solver.addClause([-upToHere, chosen]);
    else {
      solver.addClause([-before, upToHere]);
      solver.addClause([-chosen, -before]);
      solver.addClause([-upToHere, before, chosen]);
    }
    before = upToHere;
    return { option, chosen, upToHere };
  });
}

/** What is installed stays, or moves along its graph where it was installed as a dependency; it never goes. */
function limitToInstalled({ node, options }: EncodedPackage, { solver, selector }: Writer): void {
  const { installed } = node;
  const [current] = options;
  if (installed === undefined || current === undefined) return;
  const { bundle, version, subscription, dependency: movable } = installed;
  const keeps = selector(() => ({
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
function limitToAllowed({ node, options }: EncodedPackage, { universe, writer }: Scope): void {
  const barred = options.flatMap(({ option, chosen }) => {
    const cause = causeAgainst(option, universe);
    return cause === undefined ? [] : [{ option, chosen, cause }];
  });
  if (barred.length === 0) return;
  const allowed = writer.selector(() => ({
    kind: 'barred',
    package: node.name,
    causes: barred.map(({ option, cause }) => describeBarred(option, cause)),
  }));
  for (const { chosen } of barred) writer.solver.addClause([-allowed, -chosen]);
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
function limitToPresent(packages: readonly EncodedPackage[], root: Option, { solver, selector }: Writer): void {
  const policy = selector(() => ({ kind: 'mustBeThere' }));
  for (const { option, chosen } of packages.flatMap(({ options }) => options)) {
    if ((option.bundle !== undefined || option.unread === true) && option !== root)
      solver.addClause([-policy, -chosen]);
  }
}

interface Scope {
  readonly universe: Universe;
  readonly writer: Writer;
}

/**
 * Choosing an option demands what it depends on. What is installed demands only what it has now. That the versions of
 * a package need the same is one fact.
 */
function encodeRequirements({ node, options }: EncodedPackage, { universe, writer }: Scope): void {
  const { solver, selector, requires } = writer;
  const needing = new Map<Requirement, { readonly counts: number; readonly bundles: Set<string> }>();
  for (const { option, chosen } of options) {
    const parsed = universe.requirementsOf(option);
    for (const requirement of parsed.ok ? parsed.value : []) {
      if (option.bundle === undefined && !universe.isMetNow(requirement)) continue;
      let fact = needing.get(requirement);
      if (fact === undefined) {
        const bundles = new Set<string>();
        fact = { bundles, counts: selector(() => describeNeed(node, bundles, { requirement, universe })) };
        needing.set(requirement, fact);
      }
      fact.bundles.add(option.name);
      solver.addClause([-fact.counts, -chosen, requires(requirement)]);
    }
  }
  if (!writer.explained) bringAlong(options, { universe, writer });
}

/** Where all versions of a package need another one, it is said of the package too: more follows without a search. */
function bringAlong(options: readonly EncodedOption[], { universe, writer }: Scope): void {
  const needing = new Map<number, number>();
  for (const { option } of options) {
    const parsed = universe.requirementsOf(option);
    const requirements = option.bundle !== undefined && parsed.ok ? parsed.value : [];
    const needed = new Set(requirements.flatMap((requirement) => writer.onlyPackage(requirement) ?? []));
    for (const present of needed) needing.set(present, (needing.get(present) ?? 0) + 1);
  }
  const own = options.at(-1)?.upToHere;
  for (const [present, count] of needing)
    if (own !== undefined && count === options.length) writer.solver.addClause([-own, present]);
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
function encodeProviders(universe: Universe, writer: Writer): void {
  const { solver, selector, variableOf } = writer;
  for (const [key, nodes] of providersByKind(universe)) {
    if (nodes.length < 2) continue;
    const provides = (name: string): boolean => universe.current.get(name)?.kinds.has(key) === true;
    const ordered = nodes.toSorted((a, b) => Number(provides(b.name)) - Number(provides(a.name)));
    const only = selector(() => ({
      kind: 'provider',
      gvk: kindOf(key),
      packages: ordered.map(({ name }) => name),
    }));
    let before: number | undefined;
    for (const node of ordered) {
      const upToHere = solver.addVariable();
      if (before !== undefined) solver.addClause([-before, upToHere]);
      for (const option of node.active) {
        if (!option.kinds.has(key)) continue;
        solver.addClause([-variableOf(option), upToHere]);
        if (before !== undefined && !provides(node.name)) solver.addClause([-only, -variableOf(option), -before]);
      }
      before = upToHere;
    }
  }
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
