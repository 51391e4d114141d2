/**
 * Translates a universe into clauses. Every fact that a person could change has a selector of its own, so that a
 * contradiction comes back as a set of facts. What is logic (one version of a package at a time) has none.
 */
import type { Cause, Conflict, RefusedCandidate } from '../decision.ts';
import { SatSolver } from '../solver/sat.ts';
import { kindKey, needOf, type Requirement } from './requirements.ts';
import type { Option, PackageNode, Universe } from './universe.ts';

/** A universe as clauses. */
export interface Encoding {
  readonly solver: SatSolver;
  /** Facts by the variable that must be assumed for them to count. */
  readonly facts: ReadonlyMap<number, Conflict>;
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

/** The clauses of a universe under a policy. */
export function encode(universe: Universe, policy: Policy): Encoding {
  const writer = createWriter(universe);
  const packages = [...universe.packages.values()].map((node) => writer.declare(node));
  const byName = new Map(packages.map((one) => [one.node.name, one]));
  for (const one of packages) {
    limitToInstalled(one, writer);
    limitToAllowed(one, writer);
    if (policy === 'Require') limitToPresent(one, universe.root, writer);
    for (const { option, chosen } of one.options) encodeRequirements(option, chosen, { universe, writer });
  }
  encodeProviders(universe, writer);
  const root = byName.get(universe.root.package)?.options.find(({ option }) => option === universe.root);
  if (root === undefined) throw new Error('the universe has no root');
  writer.solver.addClause([root.chosen]);
  return { solver: writer.solver, facts: writer.facts, packages };
}

interface Writer {
  readonly solver: SatSolver;
  readonly facts: ReadonlyMap<number, Conflict>;
  readonly declare: (node: PackageNode) => EncodedPackage;
  readonly variableOf: (option: Option) => number;
  /** The selector of a fact; facts of one key share it, and `merge` adds to what is known of them. */
  readonly selector: (key: string, fact: Conflict, merge?: (known: Conflict) => Conflict) => number;
  readonly requires: (requirement: Requirement) => number;
}

function createWriter(universe: Universe): Writer {
  const solver = new SatSolver();
  const variables = new Map<Option, number>();
  const selectors = new Map<string, number>();
  const facts = new Map<number, Conflict>();
  const literals = new Map<string, number>();
  const always = solver.addVariable(true);
  solver.addClause([always]);

  function declare(node: PackageNode): EncodedPackage {
    const active = node.options.filter((option) => node.active.has(option));
    const options = encodeOrder(active, solver);
    for (const { option, chosen } of options) variables.set(option, chosen);
    const current = node.installed === undefined ? undefined : options[0];
    const changed = current === undefined ? (options.at(-1)?.upToHere ?? -always) : -current.chosen;
    return { node, options, changed };
  }

  function variableOf(option: Option): number {
    const variable = variables.get(option);
    if (variable === undefined) throw new Error(`option ${option.name} is not declared`);
    return variable;
  }

  function selector(key: string, fact: Conflict, merge?: (known: Conflict) => Conflict): number {
    const known = selectors.get(key);
    if (known !== undefined) {
      const before = facts.get(known);
      if (merge !== undefined && before !== undefined) facts.set(known, merge(before));
      return known;
    }
    const variable = solver.addVariable(true);
    selectors.set(key, variable);
    facts.set(variable, fact);
    return variable;
  }

  /** A literal from which a requirement (or, with `holds` false, its opposite) follows. */
  function literalFor(requirement: Requirement, holds: boolean): number {
    const key = `${holds}${JSON.stringify(needOf(requirement))}`;
    const known = literals.get(key);
    if (known !== undefined) return known;
    const literal = holds ? writeHolds(requirement) : writeFails(requirement);
    literals.set(key, literal);
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
        return isServed(requirement) ? always : disjunction(universe.matching(requirement).map(variableOf));
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
          : conjunction(universe.matching(requirement).map((option) => -variableOf(option)));
    }
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

  return { solver, facts, declare, variableOf, selector, requires: (requirement) => literalFor(requirement, true) };
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
  const movable = installed.dependency;
  const fact: Conflict = {
    kind: 'keeps',
    package: node.name,
    bundle: installed.bundle,
    version: installed.version,
    ...(installed.subscription !== undefined && { subscription: installed.subscription }),
    movable,
  };
  const keeps = selector(`keeps ${node.name}`, fact);
  solver.addClause([
    -keeps,
    ...options
      .filter(({ option }) => option === current.option || (movable && option.reachable))
      .map(({ chosen }) => chosen),
  ]);
}

/** Nothing that the cluster or the quarantine rules out. */
function limitToAllowed({ options }: EncodedPackage, writer: Writer): void {
  for (const { option, chosen } of options) {
    if (option.barred !== undefined) bar(option, { chosen, cause: option.barred, writer });
  }
}

/** Nothing that is not installed already. */
function limitToPresent({ options }: EncodedPackage, root: Option, { solver, selector }: Writer): void {
  for (const { option, chosen } of options) {
    if (option.bundle === undefined || option === root) continue;
    solver.addClause([-selector('policy', { kind: 'mustBeThere' }), -chosen]);
  }
}

interface Bar {
  readonly chosen: number;
  readonly cause: Cause;
  readonly writer: Writer;
}

function bar({ package: name, name: bundle, text, catalog }: Option, { chosen, cause, writer }: Bar): void {
  const refused: RefusedCandidate = { bundle, version: text, catalog, cause };
  const barred = writer.selector(`barred ${name}`, { kind: 'barred', package: name, causes: [refused] }, (known) =>
    known.kind === 'barred' ? { ...known, causes: [...known.causes, refused] } : known,
  );
  writer.solver.addClause([-barred, -chosen]);
}

interface Scope {
  readonly universe: Universe;
  readonly writer: Writer;
}

/** Choosing an option demands what it depends on. What is installed demands only what it has now. */
function encodeRequirements(option: Option, chosen: number, { universe, writer }: Scope): void {
  const { solver, selector, requires } = writer;
  const parsed = universe.requirementsOf(option);
  if (!parsed.ok) {
    const cause: Cause = { kind: 'requirementInvalid', problem: parsed.problem };
    if (option.bundle !== undefined) bar(option, { chosen, cause, writer });
    return;
  }
  for (const requirement of parsed.value) {
    if (option.bundle === undefined && !universe.isMetNow(requirement)) continue;
    const need = needOf(requirement);
    const fact: Conflict = {
      kind: 'requires',
      package: option.package,
      bundles: [option.name],
      need,
      offered: offeredFor(requirement, universe),
    };
    const counts = selector(`requires ${option.package} ${JSON.stringify(need)}`, fact, (known) =>
      known.kind === 'requires' && !known.bundles.includes(option.name)
        ? { ...known, bundles: [...known.bundles, option.name] }
        : known,
    );
    solver.addClause([-counts, -chosen, requires(requirement)]);
  }
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
    const only = selector(`provider ${key}`, {
      kind: 'provider',
      gvk: kindOf(key),
      packages: ordered.map(({ name }) => name),
    });
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
