/**
 * What one resolution has found out about options and requirements, and what it may still spend: the same packages are
 * asked about for one bundle after another, and each thing is read and compared once.
 */
import { coverage, rankOf, rankVersions, type Ranking } from '../coverage.ts';
import type { Parsed } from '../version.ts';
import { UNITS_TO_COMPILE } from './cel.ts';
import type { Effort } from '../../api/cel/effort.ts';
import type { Steps } from './optimize.ts';
import { meets, type Option } from './options.ts';
import { kindKey, nothingRead, parseRequirements, type KnownRequirements, type Requirement } from './requirements.ts';

export interface Known {
  /** By the root's catalog and the package. */
  readonly options: Map<string, readonly Option[]>;
  readonly requirements: KnownRequirements;
  readonly requirementsOf: Map<Option, Parsed<readonly Requirement[]>>;
  readonly ranks: WeakMap<readonly Option[], Ranks>;
  /** Options of one list that meet a requirement. */
  readonly meeting: WeakMap<readonly Option[], Map<Requirement, readonly Option[]>>;
  /** What rules in CEL said. */
  readonly rules: Map<Requirement, Map<Option, boolean>>;
  readonly effort: PlanningEffort;
}

/** What is left for all bundles of one resolution together; what is asked for again counts again. */
export interface PlanningEffort extends Effort, Steps {
  /** Options that may be considered. */
  options: number;
}

interface Ranks {
  readonly ranking: Ranking;
  /** The rank of each option's version; -1 where it has none. */
  readonly of: Int32Array;
}

/** Nothing yet. */
export function nothingKnown(effort: PlanningEffort): Known {
  return {
    options: new Map(),
    requirements: nothingRead(),
    requirementsOf: new Map(),
    ranks: new WeakMap(),
    meeting: new WeakMap(),
    rules: new Map(),
    effort,
  };
}

/** What an option depends on. */
export function requirementsOf(option: Option, known: Known): Parsed<readonly Requirement[]> {
  const before = known.requirementsOf.get(option);
  if (before !== undefined) return before;
  const parsed = parseRequirements(option.properties, known.requirements);
  known.requirementsOf.set(option, parsed);
  return parsed;
}

/** Those of some options of one package that meet a requirement that is not made of parts, in their order. */
export function optionsMeeting(requirement: Requirement, options: readonly Option[], known: Known): readonly Option[] {
  let found = known.meeting.get(options);
  if (found === undefined) known.meeting.set(options, (found = new Map()));
  const before = found.get(requirement);
  if (before !== undefined) return before;
  const meeting = findMeeting(requirement, options, known);
  found.set(requirement, meeting);
  return meeting;
}

function findMeeting(requirement: Requirement, options: readonly Option[], known: Known): readonly Option[] {
  switch (requirement.kind) {
    case 'package': {
      if (options[0]?.package !== requirement.package) return [];
      const { ranking, of } = ranksOf(options, known);
      const intervals = coverage(requirement.range, ranking, ranking.length - 1);
      return options.filter((_, place) => {
        const rank = of[place] ?? -1;
        return rank >= 0 && intervals.some(({ first, last }) => first <= rank && rank <= last);
      });
    }
    case 'gvk': {
      const key = kindKey(requirement.gvk);
      return options.filter(({ kinds }) => kinds.has(key));
    }
    default:
      return options.filter((option) => isMetBy(option, requirement, known));
  }
}

function ranksOf(options: readonly Option[], { ranks }: Known): Ranks {
  const before = ranks.get(options);
  if (before !== undefined) return before;
  const ranking = rankVersions(options.flatMap(({ version }) => version?.version ?? []));
  const of = Int32Array.from(options, ({ version }) => (version === undefined ? -1 : rankOf(ranking, version.version)));
  const made = { ranking, of };
  ranks.set(options, made);
  return made;
}

/** Whether one option alone meets a requirement that is not made of parts. */
export function isMetBy(option: Option, requirement: Requirement, known: Known): boolean {
  if (requirement.kind !== 'cel') return meets(option, requirement);
  let said = known.rules.get(requirement);
  if (said === undefined) {
    known.rules.set(requirement, (said = new Map()));
    known.effort.units -= requirement.rule.text.length * UNITS_TO_COMPILE;
  }
  const before = said.get(option);
  if (before !== undefined) return before;
  const met = requirement.rule.test(option.properties, known.effort);
  said.set(option, met);
  return met;
}

/** Whether something is used up: what is found from then on means nothing. */
export function isSpent({ effort }: Known): boolean {
  return effort.options < 0 || effort.steps <= 0 || effort.units <= 0 || effort.expired?.() === true;
}
