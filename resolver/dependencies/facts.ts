/**
 * Distinguishes facts. A fact is a demand that a person could change; its clauses count only if the solver assumes the
 * selector of the fact, a variable. A contradiction then comes back as the selectors that took part in it. Logic, such
 * as "one version of a package at a time", is no fact.
 */
import type { Conflict } from '../decision.ts';
import type { Literals } from './literals.ts';

/** Facts that belong together: those about one package, that one kind has one provider, or the policy. */
export type FactGroup = `package ${string}` | `kind ${string}` | 'policy';

/**
 * How finely a contradiction can be explained. `none`: all facts count and none can be named, which is solved fastest.
 * `groups`: the groups of facts can be named. A set of groups: only their facts count, and each can be named.
 */
export type FactDetail = 'none' | 'groups' | ReadonlySet<FactGroup>;

/** The selectors of one encoding. */
export class FactSelectors {
  readonly detail: FactDetail;
  readonly #literals: Literals;
  /** Facts by selector; each is described only if it takes part in an explanation. */
  readonly #facts = new Map<number, () => Conflict>();
  /** Groups by selector. */
  readonly #groups = new Map<number, FactGroup>();
  readonly #byGroup = new Map<FactGroup, number>();

  constructor(literals: Literals, detail: FactDetail) {
    this.#literals = literals;
    this.detail = detail;
  }

  get facts(): ReadonlyMap<number, () => Conflict> {
    return this.#facts;
  }

  get groups(): ReadonlyMap<number, FactGroup> {
    return this.#groups;
  }

  /** Whether the facts of a group count. */
  counts(group: FactGroup): boolean {
    return typeof this.detail === 'string' || this.detail.has(group);
  }

  /** The selector of a fact; `describe` says which fact it is. */
  selector(group: FactGroup, describe: () => Conflict): number {
    if (this.detail === 'none') return this.#literals.always;
    return this.detail === 'groups' ? this.#selectorOfGroup(group) : this.#selectorOfFact(describe);
  }

  #selectorOfGroup(group: FactGroup): number {
    const before = this.#byGroup.get(group);
    if (before !== undefined) return before;
    const variable = this.#literals.solver.addVariable(true);
    this.#byGroup.set(group, variable);
    this.#groups.set(variable, group);
    return variable;
  }

  #selectorOfFact(describe: () => Conflict): number {
    const variable = this.#literals.solver.addVariable(true);
    this.#facts.set(variable, describe);
    return variable;
  }
}
