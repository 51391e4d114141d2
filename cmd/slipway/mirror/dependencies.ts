/**
 * Chooses the bundles that another bundle requires: for each requirement, as the resolver reads it, the latest version
 * that meets it. Of alternatives, all that exist are taken. Pure, over open indexes.
 */
import type { Effort } from '../../../api/cel/effort.ts';
import type { CatalogBundle } from '../../../catalog/model.ts';
import { MOST_EFFORT } from '../../../resolver/dependencies/effort.ts';
import {
  kindKey,
  needOf,
  nothingRead,
  parseRequirements,
  providedKinds,
  type Requirement,
} from '../../../resolver/dependencies/requirements.ts';
import { describeRequired } from '../../../resolver/sentences.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { isInside, latestFirst, offersOf, type ChosenBundle, type SearchedIndex } from './offers.ts';

/** A requirement that one bundle alone can meet. */
type SingleRequirement = Exclude<Requirement, { readonly of: unknown }>;

/** Chooses for all bundles of one mirror: what it has read and found once is not searched again. */
export class DependencyChooser {
  readonly #indexes: readonly SearchedIndex[];
  readonly #known = nothingRead();
  readonly #effort: Effort;
  readonly #providers = new Map<SingleRequirement, readonly ChosenBundle[] | undefined>();

  /** @param effort For the rules of all bundles together: catalogs are written by strangers. */
  constructor(indexes: readonly SearchedIndex[], effort: Effort = { units: MOST_EFFORT.units }) {
    this.#indexes = indexes;
    this.#effort = effort;
  }

  /** @throws ReasonedError InputInvalid if a requirement cannot be read, or no catalog has a bundle that meets it */
  dependenciesOf(bundle: CatalogBundle): readonly ChosenBundle[] {
    const requirements = parseRequirements(bundle.properties, this.#known);
    if (!requirements.ok)
      throw invalidInput(
        `${bundle.name} cannot be installed, as its dependencies cannot be parsed: ${requirements.problem}`,
        'Leave this version out by a range in --package',
      );
    return requirements.value.flatMap((one) => this.#meet(one, bundle, true) ?? this.#refuse(one, bundle));
  }

  /**
   * The bundles to take, none if nothing else is needed; undefined if no catalog has them. `wanted` turns around below
   * each `not`: it asks for no bundle, as the resolver decides which ones are installed together.
   */
  #meet(requirement: Requirement, by: CatalogBundle, wanted: boolean): readonly ChosenBundle[] | undefined {
    if (!('of' in requirement)) return !wanted || this.#isMetBy(by, requirement) ? [] : this.#providersOf(requirement);
    const inner = requirement.kind === 'not' ? !wanted : wanted;
    const needsAll = requirement.kind === 'any' ? !wanted : wanted;
    const parts = requirement.of.map((part) => this.#meet(part, by, inner));
    const met = parts.filter((part) => part !== undefined);
    return (needsAll ? met.length === parts.length : met.length > 0) ? met.flat() : undefined;
  }

  #isMetBy(bundle: CatalogBundle, requirement: SingleRequirement): boolean {
    switch (requirement.kind) {
      case 'package':
        return bundle.package === requirement.package && isInside(bundle, requirement.range);
      case 'gvk':
        return providedKinds(bundle.properties).some((kind) => kindKey(kind) === kindKey(requirement.gvk));
      case 'cel':
        return requirement.rule.test(bundle.properties, this.#effort);
    }
  }

  #providersOf(requirement: SingleRequirement): readonly ChosenBundle[] | undefined {
    if (!this.#providers.has(requirement)) this.#providers.set(requirement, this.#findProvider(requirement));
    return this.#providers.get(requirement);
  }

  /** The latest version of the first offer that has one; a version that the resolver could not read is passed over. */
  #findProvider(requirement: SingleRequirement): readonly ChosenBundle[] | undefined {
    for (const name of new Set(this.#packagesFor(requirement)))
      for (const { catalog, content } of offersOf(this.#indexes, name)) {
        const bundle = latestFirst(content.bundles).find(
          (one) => this.#isMetBy(one, requirement) && parseRequirements(one.properties, this.#known).ok,
        );
        if (bundle !== undefined) return [{ catalog, bundle }];
      }
    return undefined;
  }

  /** A rule that names packages is about those; any other rule may be about any package. */
  #packagesFor(requirement: SingleRequirement): readonly string[] {
    if (requirement.kind === 'package') return [requirement.package];
    if (requirement.kind === 'gvk') return this.#indexes.flatMap((index) => index.providersOf(requirement.gvk));
    const named = requirement.rule.literals.filter((name) => offersOf(this.#indexes, name).length > 0);
    return named.length > 0 ? named : this.#indexes.flatMap((index) => index.packages().map(({ name }) => name));
  }

  #refuse(requirement: Requirement, by: CatalogBundle): never {
    const need = `${by.name} needs ${describeRequired(needOf(requirement))}`;
    if (this.#effort.units <= 0)
      throw invalidInput(
        `${need}, and the rules of the catalogs cost too much to be tried on every bundle`,
        'Mirror fewer packages at a time',
      );
    throw invalidInput(`${need}, which no catalog has`, 'Name a catalog that offers it with a further --catalog');
  }
}
