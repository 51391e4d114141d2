/** Every rule, in the order of the findings. A test checks the list against the folder and the keywords. */
import type { AreEqual } from './equal-parts.ts';
import type { CrdRule, NodePair, NodeRule, VersionRule } from './rule.ts';
import { boundRules } from './rules/bounds.ts';
import { compositionRules } from './rules/composition.ts';
import { defaultRule } from './rules/default.ts';
import { DOCUMENTATION, documentationRule } from './rules/documentation.ts';
import { embeddedResourceRule } from './rules/embedded-resource.ts';
import { enumRule } from './rules/enum.ts';
import { formatRule } from './rules/format.ts';
import { mapValuesRule } from './rules/map-values.ts';
import { nullableRule } from './rules/nullable.ts';
import { crdRules } from './rules/of-crd.ts';
import { otherKeywordsRule } from './rules/other-keywords.ts';
import { patternRule } from './rules/pattern.ts';
import { pruningRule } from './rules/pruning.ts';
import { removedFieldRule } from './rules/removed-field.ts';
import { requiredRule } from './rules/required.ts';
import { scaleRule } from './rules/scale.ts';
import { topologyRule } from './rules/topology.ts';
import { typeRule } from './rules/type.ts';
import { unknownFieldsRule } from './rules/unknown-fields.ts';
import { validationsRule } from './rules/validations.ts';

export const CRD_RULES: readonly CrdRule[] = crdRules;

export const VERSION_RULES: readonly VersionRule[] = [removedFieldRule, defaultRule, scaleRule, pruningRule];

const KNOWN_RULES: readonly NodeRule[] = [
  typeRule,
  requiredRule,
  enumRule,
  patternRule,
  ...boundRules,
  nullableRule,
  formatRule,
  topologyRule,
  unknownFieldsRule,
  mapValuesRule,
  embeddedResourceRule,
  ...compositionRules,
  validationsRule,
  documentationRule,
];

/** Keywords that are compared as nodes of their own, or by a rule on all nodes. */
const ELSEWHERE = ['properties', 'items', 'default'];

export const NODE_RULES: readonly NodeRule[] = [
  ...KNOWN_RULES,
  otherKeywordsRule(new Set([...ELSEWHERE, ...KNOWN_RULES.flatMap(({ keywords }) => keywords)])),
];

/** Keywords that no rule of another keyword reads. */
const READ_ALONE: ReadonlySet<string> = new Set([...DOCUMENTATION, 'items', 'default']);

/**
 * The rules that can find a change in the two nodes: in most nodes of a CRD that changes, nothing but the description is
 * another one. `areEqual` compares the parts of both.
 */
export function rulesFor({ old, next }: NodePair, areEqual: AreEqual): readonly NodeRule[] {
  if (areEqual(old, next)) return [];
  const isSame = (keyword: string): boolean => areSame(old[keyword], next[keyword], areEqual);
  const keywords = [...Object.keys(old), ...Object.keys(next)];
  return keywords.every((keyword) => READ_ALONE.has(keyword) || isSame(keyword)) ? [documentationRule] : NODE_RULES;
}

function areSame(one: unknown, other: unknown, areEqual: AreEqual): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other;
  return areEqual(one, other);
}
