/**
 * Gives every option and every requirement a variable of the solver, with the clauses that say what it means; encode.ts
 * says with them what is demanded.
 */
import { SatSolver } from '../solver/sat.ts';
import type { Option } from './options.ts';
import { kindKey, type Requirement } from './requirements.ts';
import type { PackageNode, Universe } from './universe.ts';

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

export interface Literals {
  readonly solver: SatSolver;
  /** A literal that always holds. */
  readonly always: number;
  /** In the order in which they were declared. */
  readonly packages: ReadonlyMap<string, EncodedPackage>;
  readonly declare: (node: PackageNode) => EncodedPackage;
  /** Declares the option's package where that has not been done. */
  readonly variableOf: (option: Option) => number;
  /** A literal from which a requirement follows. */
  readonly requires: (requirement: Requirement) => number;
  /** Holds where a package is there; only where a requirement, asked for before, can be met by no other. */
  readonly onlyPackage: (requirement: Requirement) => number | undefined;
}

/** No literals yet. */
export function createLiterals(universe: Universe): Literals {
  const solver = new SatSolver();
  const variables = new Map<Option, number>();
  const packages = new Map<string, EncodedPackage>();
  const onlyPackages = new Map<Requirement, number>();
  const holding = new Map<Requirement, number>();
  const failing = new Map<Requirement, number>();
  const always = solver.addVariable(true);
  solver.addClause([always]);

  function declare(node: PackageNode): EncodedPackage {
    const before = packages.get(node.name);
    if (before !== undefined) return before;
    const active = node.options.filter((option) => node.active.has(option));
    const options = encodeOrder(active, solver);
    for (const { option, chosen } of options) variables.set(option, chosen);
    const changed = changeOf(node, options);
    const encoded = { node, options, changed };
    packages.set(node.name, encoded);
    return encoded;
  }

  function changeOf({ installed }: PackageNode, options: readonly EncodedOption[]): number {
    if (installed !== undefined) return -(options[0]?.chosen ?? -always);
    const fresh = options.filter(({ option }) => option.bundle !== undefined || option.unread === true);
    if (fresh.length === options.length) return options.at(-1)?.upToHere ?? -always;
    const changed = solver.addVariable();
    for (const { chosen } of fresh) solver.addClause([-chosen, changed]);
    return changed;
  }

  function variableOf(option: Option): number {
    const known = variables.get(option);
    if (known !== undefined) return known;
    const node = universe.packages.get(option.package);
    if (node !== undefined) declare(node);
    const variable = variables.get(option);
    if (variable === undefined) throw new Error(`option ${option.name} is not in the universe`);
    return variable;
  }

  /** A literal from which a requirement (or, with `holds` false, its opposite) follows. */
  function literalFor(requirement: Requirement, holds: boolean): number {
    const written = holds ? holding : failing;
    const known = written.get(requirement);
    if (known !== undefined) return known;
    const literal = holds ? writeHolds(requirement) : writeFails(requirement);
    written.set(requirement, literal);
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
    const present = name === undefined ? undefined : packages.get(name)?.options.at(-1)?.upToHere;
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
    always,
    packages,
    declare,
    variableOf,
    requires: (requirement) => literalFor(requirement, true),
    onlyPackage: (requirement) => onlyPackages.get(requirement),
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
