/**
 * Remembers the options and requirements that one resolution has read and compared: many bundles depend on the same
 * packages, and each of these is read once.
 */
import { coverage, rankOf, rankVersions, type Ranking } from '../coverage.ts';
import type { Parsed } from '../version.ts';
import { UNITS_TO_COMPILE } from './cel.ts';
import { MOST_EFFORT, type PlanningEffort } from './effort.ts';
import type { Option } from './model.ts';
import { meets } from './options.ts';
import { kindKey, nothingRead, parseRequirements, type KnownRequirements, type Requirement } from './requirements.ts';

interface Ranks {
  readonly ranking: Ranking;
  /** The rank of each option's version; -1 for an option without a version. */
  readonly of: Int32Array;
}

/** The memory of one resolution, empty at first, and the effort that is left for it. */
export class PlanningMemory {
  readonly effort: PlanningEffort;
  /** Requirements by their text, which bundles share. */
  readonly requirements: KnownRequirements = nothingRead();
  /** Offered options, by the root's catalog and the package. */
  readonly #offered = new Map<string, readonly Option[]>();
  /** The other options of installed packages. */
  readonly #alternatives = new Map<string, readonly Option[]>();
  readonly #requirementsOf = new Map<Option, Parsed<readonly Requirement[]>>();
  readonly #ranks = new WeakMap<readonly Option[], Ranks>();
  /** Options of one list that meet a requirement. */
  readonly #meeting = new WeakMap<readonly Option[], Map<Requirement, readonly Option[]>>();
  /** Results of rules in CEL. */
  readonly #rules = new Map<Requirement, Map<Option, boolean>>();

  constructor(effort: PlanningEffort = { ...MOST_EFFORT }) {
    this.effort = effort;
  }

  /** How many packages have been read so far, counted once for each catalog that a root came from. */
  get packagesRead(): number {
    return this.#offered.size;
  }

  /** The options that catalogs offer for a package, in the order for a root of one catalog; `read` is called once. */
  offered(catalog: string, name: string, read: () => readonly Option[]): readonly Option[] {
    const key = `${catalog}\n${name}`;
    const before = this.#offered.get(key);
    if (before !== undefined) return before;
    const options = read();
    this.#offered.set(key, options);
    return options;
  }

  /** The other options of an installed package; `read` is called once. */
  alternatives(name: string, read: () => readonly Option[]): readonly Option[] {
    const before = this.#alternatives.get(name);
    if (before !== undefined) return before;
    const options = read();
    this.#alternatives.set(name, options);
    return options;
  }

  /** The requirements of an option. */
  requirementsOf(option: Option): Parsed<readonly Requirement[]> {
    const before = this.#requirementsOf.get(option);
    if (before !== undefined) return before;
    const parsed = parseRequirements(option.properties, this.requirements);
    this.#requirementsOf.set(option, parsed);
    return parsed;
  }

  /** The options of one package, out of a list, that meet a requirement that is not made of parts; in the list's order. */
  optionsMeeting(requirement: Requirement, options: readonly Option[]): readonly Option[] {
    let found = this.#meeting.get(options);
    if (found === undefined) this.#meeting.set(options, (found = new Map()));
    const before = found.get(requirement);
    if (before !== undefined) return before;
    const meeting = this.#findMeeting(requirement, options);
    found.set(requirement, meeting);
    return meeting;
  }

  /** Whether one option alone meets a requirement that is not made of parts. */
  isMetBy(option: Option, requirement: Requirement): boolean {
    if (requirement.kind !== 'cel') return meets(option, requirement);
    let results = this.#rules.get(requirement);
    if (results === undefined) {
      this.#rules.set(requirement, (results = new Map()));
      this.effort.units -= requirement.rule.text.length * UNITS_TO_COMPILE;
    }
    const before = results.get(option);
    if (before !== undefined) return before;
    const met = requirement.rule.test(option.properties, this.effort);
    results.set(option, met);
    return met;
  }

  #findMeeting(requirement: Requirement, options: readonly Option[]): readonly Option[] {
    switch (requirement.kind) {
      case 'package': {
        if (options[0]?.package !== requirement.package) return [];
        const { ranking, of } = this.#ranksOf(options);
        const intervals = coverage(requirement.range, ranking, ranking.length - 1);
        return options.filter((_, position) => {
          const rank = of[position] ?? -1;
          return rank >= 0 && intervals.some(({ first, last }) => first <= rank && rank <= last);
        });
      }
      case 'gvk': {
        const key = kindKey(requirement.gvk);
        return options.filter(({ kinds }) => kinds.has(key));
      }
      default:
        return options.filter((option) => this.isMetBy(option, requirement));
    }
  }

  #ranksOf(options: readonly Option[]): Ranks {
    const before = this.#ranks.get(options);
    if (before !== undefined) return before;
    const ranking = rankVersions(options.flatMap(({ version }) => version?.version ?? []));
    const of = Int32Array.from(options, ({ version }) =>
      version === undefined ? -1 : rankOf(ranking, version.version),
    );
    const ranks = { ranking, of };
    this.#ranks.set(options, ranks);
    return ranks;
  }
}
