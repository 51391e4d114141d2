/**
 * Follows requirements from option to option, and opens the packages that could meet them, until no new option turns
 * up. Of the packages that provide a kind only the first is read; the others are noted by name, each as an option that
 * could do.
 */
import { isSpent } from './effort.ts';
import type { PlanningMemory } from './memory.ts';
import type { PackagePool } from './package-pool.ts';
import type { Present } from './present.ts';
import { kindKey, type Requirement } from './requirements.ts';

/** Most options that one universe considers; a larger problem is refused, not cut. */
const MAX_OPTIONS = 50_000;

/** The parts that a follower reads and extends. */
export interface Followed {
  readonly pool: PackagePool;
  readonly present: Present;
  readonly memory: PlanningMemory;
  /** Whether to read every package that could be part of an explanation, not only those that a plan needs. */
  readonly thorough: boolean;
}

/** Works through the active options of one pool. */
export class RequirementFollower {
  readonly #pool: PackagePool;
  readonly #present: Present;
  readonly #memory: PlanningMemory;
  readonly #thorough: boolean;
  /** How many packages there were to choose from when a requirement was last followed. */
  readonly #choices = new Map<Requirement, number>();
  /** How many of the pool's active options have been followed. */
  #done = 0;
  /** How many more options may be followed. */
  #left = MAX_OPTIONS;
  #isThorough = true;

  constructor({ pool, present, memory, thorough }: Followed) {
    this.#pool = pool;
    this.#present = present;
    this.#memory = memory;
    this.#thorough = thorough;
  }

  /** Whether no package was left out that could be part of an explanation. */
  get isThorough(): boolean {
    return this.#isThorough;
  }

  /**
   * Follows the requirements of every active option that has not been followed yet; false if that exceeds the effort.
   * An installed option adds no new demands, but the requirements that are met now must stay met.
   */
  followAll(): boolean {
    const { activated } = this.#pool;
    for (; this.#done < activated.length; this.#done++) {
      this.#memory.effort.options--;
      if (--this.#left < 0 || isSpent(this.#memory.effort)) return false;
      const option = activated[this.#done]!;
      const parsed = this.#memory.requirementsOf(option);
      for (const requirement of parsed.ok ? parsed.value : []) {
        // A requirement may have a whole package read.
        if (isSpent(this.#memory.effort)) return false;
        if (option.bundle !== undefined || this.#present.isMetNow(requirement)) this.#follow(requirement, true);
      }
    }
    return true;
  }

  /** Follows the parts of a requirement that are to be met; `wanted` turns around below each `not`. */
  #follow(requirement: Requirement, wanted: boolean): void {
    if ('of' in requirement) {
      const inner = requirement.kind === 'not' ? !wanted : wanted;
      for (const part of requirement.of) this.#follow(part, inner);
    } else if (wanted && this.#hasMoreChoice(requirement)) this.#openFor(requirement);
  }

  /** Whether there is more to choose from than when the requirement was followed last. */
  #hasMoreChoice(requirement: Requirement): boolean {
    const choice = this.#choiceFor(requirement);
    if (this.#choices.get(requirement) === choice) return false;
    this.#choices.set(requirement, choice);
    return true;
  }

  /** Grows whenever more packages may meet the requirement. */
  #choiceFor(requirement: Requirement): number {
    if (requirement.kind === 'package') return 0;
    return requirement.kind === 'gvk'
      ? this.#pool.openProvidersOf(kindKey(requirement.gvk)).size
      : this.#pool.packages.size;
  }

  /** Opens the packages that could meet a requirement, unless something that stays meets it already. */
  #openFor(requirement: Requirement): void {
    if (this.#present.isServed(requirement)) return;
    this.#openGuests(requirement);
    if (!this.#thorough && this.#present.isMetForGood(requirement)) {
      this.#isThorough = false;
      return;
    }
    const names = this.#packagesFor(requirement);
    const first = names.some((name) => this.#pool.isRead(name)) ? undefined : names[0];
    for (const name of names) {
      const isSpare = requirement.kind === 'gvk' && name !== first && !this.#pool.isRead(name);
      if (this.#thorough || !isSpare) this.#pool.openFor(requirement, name);
      else {
        this.#isThorough = false;
        this.#pool.noteName(name, requirement);
      }
    }
  }

  #openGuests(requirement: Requirement): void {
    const { guests, guestsWith } = this.#present;
    if (requirement.kind === 'package' && guests.has(requirement.package)) this.#pool.open(requirement.package);
    if (requirement.kind === 'gvk') for (const name of guestsWith(kindKey(requirement.gvk))) this.#pool.open(name);
  }

  #packagesFor(requirement: Requirement): readonly string[] {
    if (requirement.kind === 'package') return [requirement.package];
    if (requirement.kind === 'cel') return this.#packagesForRule(requirement.rule.literals);
    if (requirement.kind !== 'gvk') return [];
    const open = this.#pool.openProvidersOf(kindKey(requirement.gvk));
    return [...new Set([...open, ...this.#pool.sources.providersOf(requirement.gvk)])];
  }

  /** A rule that names packages is about those; any other rule may be about any package. */
  #packagesForRule(literals: readonly string[]): readonly string[] {
    const { packages, sources } = this.#pool;
    const named = literals.filter((name) => packages.has(name) || sources.has(name));
    return named.length > 0 ? named : [...new Set([...packages.keys(), ...sources.packages()])];
  }
}
