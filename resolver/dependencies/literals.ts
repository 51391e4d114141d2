/**
 * Gives every option and every requirement a variable of the solver, with the clauses that define it; encode.ts writes
 * the demands with these variables.
 */
import { SatSolver } from '../solver/sat.ts';
import type { Option, PackageNode, Universe } from './model.ts';
import { kindKey, type Requirement } from './requirements.ts';

export interface EncodedPackage {
  readonly node: PackageNode;
  readonly options: readonly EncodedOption[];
  /** Literal that holds if the package changes: it is newly installed, or no longer the installed version. */
  readonly changed: number;
}

export interface EncodedOption {
  readonly option: Option;
  readonly chosen: number;
  /** Holds if this option or one before it is chosen. */
  readonly upToHere: number;
}

/** The variables of one universe, each declared when it is first asked for. */
export class Literals {
  readonly solver = new SatSolver();
  /** A literal that always holds. */
  readonly always: number;
  readonly #universe: Universe;
  readonly #variables = new Map<Option, number>();
  /** In the order of declaration. */
  readonly #packages = new Map<string, EncodedPackage>();
  /** Literals that hold if a package is there, by the requirements that only this package can meet. */
  readonly #onlyPackages = new Map<Requirement, number>();
  /** Literals from which a requirement follows. */
  readonly #holding = new Map<Requirement, number>();
  /** Literals from which the opposite of a requirement follows. */
  readonly #failing = new Map<Requirement, number>();

  constructor(universe: Universe) {
    this.#universe = universe;
    this.always = this.solver.addVariable(true);
    this.solver.addClause([this.always]);
  }

  /** The declared packages, in the order of declaration. */
  get packages(): ReadonlyMap<string, EncodedPackage> {
    return this.#packages;
  }

  /** Gives a package and its active options their variables. */
  declare(node: PackageNode): EncodedPackage {
    const before = this.#packages.get(node.name);
    if (before !== undefined) return before;
    const active = node.options.filter((option) => node.active.has(option));
    const options = encodeOrder(active, this.solver);
    for (const { option, chosen } of options) this.#variables.set(option, chosen);
    const encoded = { node, options, changed: this.#changeOf(node, options) };
    this.#packages.set(node.name, encoded);
    return encoded;
  }

  /** The variable that holds if an option is chosen; declares the option's package if need be. */
  variableOf(option: Option): number {
    const known = this.#variables.get(option);
    if (known !== undefined) return known;
    const node = this.#universe.packages.get(option.package);
    if (node !== undefined) this.declare(node);
    const variable = this.#variables.get(option);
    if (variable === undefined) throw new Error(`option ${option.name} is not in the universe`);
    return variable;
  }

  /** A literal from which a requirement follows. */
  requires(requirement: Requirement): number {
    return this.#literalFor(requirement, true);
  }

  /**
   * A literal that holds if a package is there; defined only for a requirement that `requires` was called with and that
   * no other package can meet.
   */
  onlyPackage(requirement: Requirement): number | undefined {
    return this.#onlyPackages.get(requirement);
  }

  #changeOf({ installed }: PackageNode, options: readonly EncodedOption[]): number {
    if (installed !== undefined) return -(options[0]?.chosen ?? -this.always);
    const fresh = options.filter(({ option }) => option.bundle !== undefined || option.unread === true);
    if (fresh.length === options.length) return options.at(-1)?.upToHere ?? -this.always;
    const changed = this.solver.addVariable();
    for (const { chosen } of fresh) this.solver.addClause([-chosen, changed]);
    return changed;
  }

  /** A literal from which a requirement (or, with `holds` false, its opposite) follows. */
  #literalFor(requirement: Requirement, holds: boolean): number {
    const written = holds ? this.#holding : this.#failing;
    const known = written.get(requirement);
    if (known !== undefined) return known;
    const literal = holds ? this.#writeHolds(requirement) : this.#writeFails(requirement);
    written.set(requirement, literal);
    return literal;
  }

  #writeHolds(requirement: Requirement): number {
    switch (requirement.kind) {
      case 'all':
        return this.#allOf(this.#literalsFor(requirement.of, true));
      case 'any':
        return this.#anyOf(this.#literalsFor(requirement.of, true));
      case 'not':
        return this.#allOf(this.#literalsFor(requirement.of, false));
      default:
        return this.#isServed(requirement)
          ? this.always
          : this.#oneOf(requirement, this.#universe.matching(requirement, true));
    }
  }

  #writeFails(requirement: Requirement): number {
    switch (requirement.kind) {
      case 'all':
        return this.#anyOf(this.#literalsFor(requirement.of, false));
      case 'any':
        return this.#allOf(this.#literalsFor(requirement.of, false));
      case 'not':
        return this.#anyOf(this.#literalsFor(requirement.of, true));
      default:
        return this.#isServed(requirement)
          ? -this.always
          : this.#allOf(this.#universe.matching(requirement, false).map((option) => -this.variableOf(option)));
    }
  }

  #literalsFor(parts: readonly Requirement[], holds: boolean): readonly number[] {
    return parts.map((part) => this.#literalFor(part, holds));
  }

  /** If all options belong to one package, a clause demands this package too: the solver then infers more. */
  #oneOf(requirement: Requirement, options: readonly Option[]): number {
    const literal = this.#anyOf(options.map((option) => this.variableOf(option)));
    const name = options[0]?.package;
    const present = name === undefined ? undefined : this.#packages.get(name)?.options.at(-1)?.upToHere;
    if (present !== undefined && options.every((option) => option.package === name)) {
      this.solver.addClause([-literal, present]);
      this.#onlyPackages.set(requirement, present);
    }
    return literal;
  }

  #isServed(requirement: Requirement): boolean {
    return requirement.kind === 'gvk' && this.#universe.servedKinds.has(kindKey(requirement.gvk));
  }

  #allOf(parts: readonly number[]): number {
    const literal = this.solver.addVariable();
    for (const part of parts) this.solver.addClause([-literal, part]);
    return literal;
  }

  #anyOf(parts: readonly number[]): number {
    const literal = this.solver.addVariable();
    this.solver.addClause([-literal, ...parts]);
    return literal;
  }
}

/** At most one option is chosen; the variables `upToHere` mark how far down the list it is. */
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
