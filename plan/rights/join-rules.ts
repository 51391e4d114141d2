/** Joins rules into a list without spare ones: none of the result is covered by the others. Pure. */
import { compareText } from '../../api/compare-text.ts';
import { canonicalJson } from '../../api/json.ts';
import { EVERYWHERE } from './atom.ts';
import { costOfRule, type RightsBudget } from './budget.ts';
import { atomsOfScoped, type ScopedRule } from './scoped-rule.ts';
import { findNeeded } from './needed.ts';

/** The rules, each once, without those that the others cover; undefined if they are too many to compare. */
export function joinWithin(rules: readonly ScopedRule[], budget: RightsBudget): readonly ScopedRule[] | undefined {
  if (!rules.every(({ scope, rule }) => budget.spend(costOfRule(rule, scope.length)))) return undefined;
  const each = distinct(rules);
  const needed = findNeeded(each.map(atomsOfScoped));
  const keyed = each.filter((_, at) => needed[at] === true).map((one) => ({ one, key: canonicalJson(one.rule) }));
  return keyed
    .toSorted((a, b) => compareText(a.one.scope, b.one.scope) || compareText(a.key, b.key))
    .map(({ one }) => one);
}

/** Each rule once; paths of the API server count for the whole cluster only. */
export function distinct(rules: readonly ScopedRule[]): readonly ScopedRule[] {
  const plain = rules.flatMap(({ scope, rule }): readonly ScopedRule[] => {
    if (rule.nonResourceURLs.length === 0) return [{ scope, rule }];
    const rest = { ...rule, nonResourceURLs: [] };
    const urls = { ...rule, apiGroups: [], resources: [], resourceNames: [] };
    return [
      ...(scope === EVERYWHERE ? [{ scope, rule: urls }] : []),
      ...(rule.resources.length > 0 ? [{ scope, rule: rest }] : []),
    ];
  });
  return [...new Map(plain.map((one) => [canonicalJson({ ...one }), one])).values()];
}
