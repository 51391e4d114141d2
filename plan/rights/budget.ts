/**
 * Bounds the comparison of rights. A bundle of some kilobytes can grant products of lists that no memory holds: verbs,
 * groups, resources and names of a rule; holders and rules of a role; the lists of a webhook. All products of one side of
 * a change are paid from one budget, before any part of them is made. Pure.
 */
import type { RightsRule } from './rule.ts';

/**
 * Of 851 published bundles of the corpus the largest side has 782 parts, and costs about 1,100. A role of the namespaces that an
 * operator watches counts once for each of them: with the 100 that a Subscription may name, the costliest of 15 such packages is 19,919
 * (cloudnative-pg 1.24.1). All are compared exactly. A hostile bundle near the limit takes 0.6 s.
 */
const MOST_EFFORT = 30_000;
/** Texts of this length count as a further part: they are copied into keys and sentences. */
const LONG_TEXT = 256;

/** Mutable: it knows how much is left. */
export class RightsBudget {
  #left: number;

  constructor(most: number = MOST_EFFORT) {
    this.#left = most;
  }

  /** Takes the cost, if that much is left. */
  spend(cost: number): boolean {
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }
}

/** The lists whose product a rule of RBAC or of a webhook is; one of them may be empty. */
export type RuleLists = readonly (readonly string[])[];

/** Number of combinations of the lists, found without making one. */
export function countCombinations(lists: RuleLists): number {
  return lists.reduce((product, { length }) => product * length, 1);
}

/** Cost of the combinations, each with some more characters. */
export function costOfLists(lists: RuleLists, moreCharacters = 0): number {
  const count = countCombinations(lists);
  const characters = lists.map((list) => list.reduce((sum, { length }) => sum + length, 0));
  const inOne = lists.reduce(
    (sum, { length }, at) => sum + (characters[at] ?? 0) / Math.max(1, length),
    moreCharacters,
  );
  const read = characters.reduce((sum, length) => sum + length, 0);
  return 1 + count + Math.floor((count * inOne + read) / LONG_TEXT);
}

/** Cost of all parts of a rule; at least 1, so that rules without parts are bounded as well. */
export function costOfRule(rule: RightsRule, moreCharacters = 0): number {
  const { verbs, nonResourceURLs } = rule;
  return costOfLists(resourceLists(rule), moreCharacters) + costOfLists([verbs, nonResourceURLs], moreCharacters) - 1;
}

/** Number of parts of a rule. */
export function countParts(rule: RightsRule): number {
  return countCombinations(resourceLists(rule)) + countCombinations([rule.verbs, rule.nonResourceURLs]);
}

function resourceLists({ verbs, apiGroups, resources, resourceNames }: RightsRule): RuleLists {
  return [verbs, apiGroups, resources, resourceNames.length === 0 ? [''] : resourceNames];
}

/** Cost of a text. */
export function costOfText({ length }: string): number {
  return 1 + Math.floor(length / LONG_TEXT);
}
